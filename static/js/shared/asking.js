// Forms with data-ask-… ask for confirmation. The reason is sent in the field `reason`. With data-ask-reason="none" the
// dialog asks for no reason; with data-ask-calm its button looks like that of an ordinary action instead of a red one.
import { ask } from "./dialog.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-ask-go]");
  if (!form || form.dataset.asked) return;
  event.preventDefault();
  const reason = form.dataset.askReason === "none" ? false : "required";
  const { askTitle: title, askText: text, askGo: go } = form.dataset;
  form.dataset.asking = "1"; // refresh.js then does not replace the form, because a removed form can't be submitted
  const answer = await ask({ title, text, go, danger: !("askCalm" in form.dataset), reason });
  delete form.dataset.asking;
  if (!answer) return;
  if (reason) form.elements.reason.value = answer.reason;
  form.dataset.asked = "1";
  form.requestSubmit();
}, true);
addEventListener("pageshow", () => document.querySelectorAll("form[data-asked]").forEach((form) => delete form.dataset.asked));
