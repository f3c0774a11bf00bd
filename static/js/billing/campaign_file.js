// Forms of campaigns: a file of recipients, and actions that ask for confirmation.
import "../shared/asking.js";
import { startFile } from "../shared/file_drop.js";

document.querySelectorAll("[data-file-form]").forEach(startFile);

// Sending uses the saved draft. With unsaved changes, the user would send something else than the page shows.
const settings = document.querySelector("[data-settings]");
const send = document.querySelector("[data-send] button");
if (settings && send && !send.disabled) {
  const saved = new URLSearchParams(new FormData(settings)).toString();
  const hint = document.querySelector("[data-unsaved]");
  settings.addEventListener("input", () => {
    const changed = new URLSearchParams(new FormData(settings)).toString() !== saved;
    send.disabled = changed;
    hint.hidden = !changed;
  });
}
