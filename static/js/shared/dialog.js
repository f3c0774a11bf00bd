// Dialogs. ask() asks for confirmation, with the count in its button; data-dialog="id" opens the dialog with that ID.
import { gettext } from "./words.js";

/**
 * Ask for confirmation. Resolves to {reason}, or to null if the user cancels.
 * {title, text, go: "Quarantine 3 numbers", danger, reason: "required" | "optional" | false}
 */
export function ask({ title, text, go, danger = false, reason = false }) {
  const dialog = document.querySelector("[data-ask]");
  const find = (name) => dialog.querySelector(`[data-ask-${name}]`);
  find("title").textContent = title;
  find("text").textContent = text;
  const button = find("go");
  button.textContent = go;
  button.className = `button ${danger ? "button--danger" : "button--primary"}`;
  const field = find("reason");
  const error = find("error");
  find("reason-field").hidden = !reason;
  field.value = "";
  field.removeAttribute("aria-invalid");
  error.hidden = true;
  return new Promise((resolve) => {
    let answer = null;
    const submit = (event) => {
      event.preventDefault();
      if (reason === "required" && !field.value.trim()) {
        error.lastElementChild.textContent = gettext("Enter a short reason.");
        error.hidden = false;
        field.setAttribute("aria-invalid", "true");
        field.focus();
        return;
      }
      answer = { reason: field.value.trim() };
      dialog.close();
    };
    const form = dialog.querySelector("form");
    form.addEventListener("submit", submit);
    dialog.addEventListener("close", () => {
      form.removeEventListener("submit", submit);
      resolve(answer);
    }, { once: true });
    dialog.showModal();
    (reason ? field : button).focus();
  });
}

export function startDialogs() {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-dialog]");
    if (opener) document.getElementById(opener.dataset.dialog)?.showModal();
    if (event.target.closest("[data-dialog-close]")) event.target.closest("dialog")?.close();
    // a click on the backdrop closes a dialog without a form
    if (event.target instanceof HTMLDialogElement && !event.target.querySelector("form")) event.target.close();
  });
  document.querySelectorAll("dialog[data-open]").forEach((dialog) => dialog.showModal());
  // submit a form only once
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    const button = event.submitter ?? form.querySelector("button:not([type=button])");
    if (!button) return;
    if (button.getAttribute("aria-busy") === "true") event.preventDefault();
    button.setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", () => document.querySelectorAll("[aria-busy=true]").forEach((b) => b.removeAttribute("aria-busy")));
}
