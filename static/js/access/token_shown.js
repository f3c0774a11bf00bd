// The page that shows a new token once: copying, and no second form when it is loaded again.
import { announce, copyField } from "../shared/dom.js";
import { gettext } from "../shared/words.js";

const page = document.querySelector("[data-token-shown]");
const secret = page.querySelector("[data-secret]");
const copy = page.querySelector("[data-copy]");
const example = page.querySelector("[data-example]");
const copyExample = page.querySelector("[data-copy-example]");
const stored = page.querySelector("[data-stored]");
const done = page.querySelector("[data-done]");

history.replaceState(null, "", page.dataset.list); // loading the page again shows the list

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

/** "Done" waits until the reader says that the token is stored. */
function wait() {
  done.toggleAttribute("inert", !stored.querySelector("input").checked);
  done.setAttribute("aria-disabled", String(done.hasAttribute("inert")));
}
stored.hidden = false;
stored.addEventListener("change", wait);
wait();
