// The page that shows a new token once: copy buttons, and no resubmission when the page is reloaded.
import { announce, copyField } from "../shared/dom.js";
import { gettext } from "../shared/words.js";

const page = document.querySelector("[data-token-shown]");
const secret = page.querySelector("[data-secret]");
const copy = page.querySelector("[data-copy]");
const example = page.querySelector("[data-example]");
const copyExample = page.querySelector("[data-copy-example]");
const stored = page.querySelector("[data-stored]");
const done = page.querySelector("[data-done]");

history.replaceState(null, "", page.dataset.list); // reloading the page shows the list

copy.hidden = false;
copy.addEventListener("click", async () => {
  await copyField(secret, copy, gettext("Copied"));
  announce(gettext("Copied"));
});
secret.addEventListener("focus", () => secret.select());

if (copyExample) {
  copyExample.hidden = false;
  copyExample.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(example.textContent); } catch { return; }
    copyExample.lastElementChild.textContent = gettext("Copied");
    announce(gettext("Copied"));
  });
}

/** Disable "Done" until the user confirms that the token is stored. */
function wait() {
  done.toggleAttribute("inert", !stored.querySelector("input").checked);
  done.setAttribute("aria-disabled", String(done.hasAttribute("inert")));
}
stored.hidden = false;
stored.addEventListener("change", wait);
wait();
