// Forms of campaigns: a file of recipients, and steps that ask first.
import "../shared/asking.js";
import { startFile } from "../shared/file_drop.js";

document.querySelectorAll("[data-file-form]").forEach(startFile);

// A draft is sent as it was saved: with other words in its fields it would go out as nobody sees it.
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
