// Runs the money audit by hand.
import { did, once } from "../shared/act.js";

document.querySelector("[data-audit-run]")?.addEventListener("click", ({ currentTarget: button }) => {
  once(button, () => did(button.dataset.auditRun, {}, { topic: "audit" }, 60));
});
