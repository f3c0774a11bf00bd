// Buttons that free a holder's slot ask for a reason. The form names the permit by its token.
import { setText } from "../shared/dom.js";
import { fill, gettext } from "../shared/words.js";

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-free]");
  if (!button) return;
  const { free: holder, token, name } = button.dataset;
  const dialog = document.getElementById("free-holder");
  const form = dialog.querySelector("form");
  form.elements.holder.value = holder;
  form.elements.token.value = token;
  form.elements.reason.value = "";
  setText(dialog.querySelector("[data-free-title]"), fill(gettext("Free the slot held by %(holder)s?"), { holder: name }));
  dialog.showModal();
  form.elements.reason.focus();
});
