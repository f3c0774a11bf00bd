// The import panel: a file is dropped or chosen, progress is live; undoing asks first.
import { subscribe } from "../../live.js";
import "../shared/asking.js";
import { dock, show } from "../shared/docked.js";
import { startFile } from "../shared/file_drop.js";
import { startProgress, ENDED } from "../shared/progress.js";

startJobs();
if (dock) { startPanel(); dock.addEventListener("panel", startPanel); }

/** Everything in a panel that has just been drawn. */
function startPanel() {
  const panel = dock.querySelector("[data-import-panel]");
  const form = panel?.querySelector("[data-import-upload]");
  if (form) startFile(form);
  // the work is over: show what came of it, and with an import or undo also the list as it is now
  if (panel) startProgress(panel, () => (panel.dataset.step === "working" ? location.reload() : show()));
}

/** In the list of imports: a state changes when its work ends. */
function startJobs() {
  for (const chip of document.querySelectorAll("[data-imports] [data-job]")) {
    subscribe(`jobs.job:${chip.dataset.job}`, { snapshot: (job) => { if (ENDED.includes(job.state)) location.reload(); } });
  }
}
