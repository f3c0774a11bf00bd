// Forms with data-ask-… ask first; the reason goes along in the field `reason`. data-ask-reason="none" asks for no
// reason, data-ask-calm shows the button of an ordinary step instead of a red one.
import { ask } from "./dialog.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-ask-go]");
  if (!form || form.dataset.asked) return;
  event.preventDefault();
  const reason = form.dataset.askReason === "none" ? false : "required";
  const { askTitle: title, askText: text, askGo: go } = form.dataset;
  form.dataset.asking = "1"; // refresh.js leaves it where it is: a form that is gone cannot be sent
  const answer = await ask({ title, text, go, danger: !("askCalm" in form.dataset), reason });
  delete form.dataset.asking;
  if (!answer) return;
  if (reason) form.elements.reason.value = answer.reason;
  form.dataset.asked = "1";
  form.requestSubmit();
}, true);
addEventListener("pageshow", () => document.querySelectorAll("form[data-asked]").forEach((form) => delete form.dataset.asked));
