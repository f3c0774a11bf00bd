// The import panel: a file is dropped or chosen, progress is live, tabs change without a new page; undoing asks first.
import { subscribe } from "../live.js";
import { startAsking } from "./asking.js";
import { startProgress, ENDED } from "./progress.js";
import { errorState } from "./dom.js";
import { startFile } from "./file_drop.js";
import { gettext } from "./words.js";

const dock = document.querySelector("[data-import-dock]");

startAsking();
startJobs();
if (dock) { startPanel(); startTabs(); }

/** Everything in a panel that has just been drawn. */
function startPanel() {
  const panel = dock.querySelector("[data-import-panel]");
  const form = panel.querySelector("[data-import-upload]");
  if (form) startFile(form);
  startProgress(panel, () => ended(panel));
}

/** The work is over: show what came of it, and with an import or undo also the list as it is now. */
async function ended(panel) {
  if (panel.dataset.step === "working") { location.reload(); return; }
  await draw(panel.dataset.partUrl);
}

async function draw(url) {
  const focused = document.activeElement?.closest(".tabs") !== null && document.activeElement?.closest("[data-import-dock]");
  try {
    const answer = await fetch(url, { credentials: "same-origin", headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    dock.replaceChildren(...page.body.children);
    startPanel();
    if (focused) dock.querySelector(".tabs [aria-current]")?.focus();
  } catch {
    dock.replaceChildren(errorState(gettext("Couldn't load the import"), gettext("The import itself is not affected."), () => draw(url)));
  }
}

function startTabs() {
  dock.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-import-part]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const panel = link.closest("[data-import-panel]");
    event.preventDefault();
    const wanted = new URL(link.href);
    draw(`${panel.dataset.partUrl}${wanted.search}`);
    const here = new URL(location.href);
    for (const name of ["tab", "all"]) { here.searchParams.delete(name); if (wanted.searchParams.has(name)) here.searchParams.set(name, wanted.searchParams.get(name)); }
    history.replaceState(null, "", here);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]") || !dock.contains(document.activeElement)) return;
    dock.querySelector("[data-import-close]")?.click();
  });
}

/** In the list of imports: a state changes when its work ends. */
function startJobs() {
  for (const chip of document.querySelectorAll("[data-imports] [data-job]")) {
    subscribe(`jobs.job:${chip.dataset.job}`, { snapshot: (job) => { if (ENDED.includes(job.state)) location.reload(); } });
  }
}
