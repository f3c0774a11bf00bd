// The import panel: drop or choose a file, with live progress. Undoing an import asks for confirmation.
import { subscribe } from "../../live.js";
import "../shared/asking.js";
import { dock, show } from "../shared/docked.js";
import { startFile } from "../shared/file_drop.js";
import { startProgress, ENDED } from "../shared/progress.js";

startJobs();
if (dock) { startPanel(); dock.addEventListener("panel", startPanel); }

/** Start everything in a panel that has just been drawn. */
function startPanel() {
  const panel = dock.querySelector("[data-import-panel]");
  const form = panel?.querySelector("[data-import-upload]");
  if (form) startFile(form);
  // when the job is over, show the result; after an import or undo, reload to refresh the list, too
  if (panel) startProgress(panel, () => (panel.dataset.step === "working" ? location.reload() : show()));
}

/** In the list of imports, reload when a job ends, because its state changes. */
function startJobs() {
  for (const chip of document.querySelectorAll("[data-imports] [data-job]")) {
    subscribe(`jobs.job:${chip.dataset.job}`, { snapshot: (job) => { if (ENDED.includes(job.state)) location.reload(); } });
  }
}
