// The dialog that frees one holder's slot, with a reason.
import { setText } from "../shared/dom.js";
import { fill, gettext } from "../shared/words.js";

/** Ask for the reason; the form names the permit that was looked at by its token. */
export function askToFree(holder, token, name) {
  const dialog = document.getElementById("free-holder");
  const form = dialog.querySelector("form");
  form.elements.holder.value = holder;
  form.elements.token.value = token;
  form.elements.reason.value = "";
  setText(dialog.querySelector("[data-free-title]"), fill(gettext("Free the slot held by %(holder)s?"), { holder: name }));
  dialog.showModal();
  form.elements.reason.focus();
}
