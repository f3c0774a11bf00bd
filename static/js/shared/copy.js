// Buttons that copy an element's text.
import { copyField } from "./dom.js";
import { gettext } from "./words.js";

for (const button of document.querySelectorAll("[data-copy-of]")) button.hidden = false;
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy-of]");
  if (button) copyField(document.getElementById(button.dataset.copyOf), button, gettext("Copied"));
});
