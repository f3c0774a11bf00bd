// The transcript: saved as a file, or emailed.
import { call } from "./store.js";
import { startEmail, tellError } from "./forms.js";
import { toastFailure } from "../../shared/toast.js";
import { gettext } from "../../shared/words.js";

const dialog = document.getElementById("mail");
const form = dialog.querySelector("form");
const words = dialog.querySelector("[data-mail-words]");
const asked = words.textContent;
let keptOf = () => null;

/** @param {() => any} kept the visit */
export function startTranscript(kept) {
  keptOf = kept;
  document.querySelector("[data-transcript]").addEventListener("click", save);
  for (const button of document.querySelectorAll("[data-mail-transcript]")) button.addEventListener("click", mailTranscript);
  startEmail(form, send);
}

/** Ask for an email address and send the transcript there. Any button or menu may call this. */
function mailTranscript() {
  words.textContent = asked;
  showForm(true);
  tellError(form, "");
  dialog.showModal();
  form.elements.email.focus();
}

async function send(email) {
  const kept = keptOf();
  await call(`visits/${kept.visit}/transcript-mail`, { kept, body: { email, zone: document.documentElement.dataset.zone } });
  showForm(false);
  words.textContent = gettext("The transcript is on its way.");
  words.tabIndex = -1;
  words.focus();
}

function showForm(shown) {
  form.querySelector("[data-mail-field]").hidden = !shown;
  form.querySelector("[data-mail-send]").hidden = !shown;
}

async function save() {
  const kept = keptOf();
  try {
    const zone = encodeURIComponent(document.documentElement.dataset.zone);
    const text = await call(`visits/${kept.visit}/transcript?zone=${zone}`, { kept, text: true });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = `transcript-${kept.visit}.txt`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } catch (error) {
    toastFailure(error);
  }
}
