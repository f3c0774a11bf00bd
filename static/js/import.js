// The import panel: a file is dropped or chosen, progress is live, tabs change without a new page; undoing asks first.
import { subscribe } from "../live.js";
import { ask } from "./dialog.js";
import { startProgress, ENDED } from "./progress.js";
import { errorState } from "./dom.js";
import { fill, figure, gettext } from "./words.js";

const LIMIT_BYTES = 32 * 1024 * 1024;
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
    dock.replaceChildren(errorState(gettext("Import not loaded"), gettext("The import itself is not affected."), () => draw(url)));
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

function startFile(form) {
  const input = form.querySelector("input[type=file]");
  const drop = form.querySelector("[data-drop]");
  const name = form.querySelector("[data-file-name]");
  const error = form.querySelector("[data-error]");
  const complain = (sentence) => {
    error.hidden = !sentence;
    error.lastElementChild.textContent = sentence;
    input.toggleAttribute("aria-invalid", Boolean(sentence));
  };
  const check = () => {
    const file = input.files[0];
    name.textContent = file ? file.name : gettext("Choose a file, or drop it here");
    drop.classList.toggle("drop--chosen", Boolean(file));
    if (!file) return gettext("Choose a file first.");
    if (!/\.(csv|tsv|txt|xlsx)$/i.test(file.name)) return gettext("The file is neither CSV nor XLSX. Nothing was added.");
    if (file.size > LIMIT_BYTES) return fill(gettext("The file has %(n)s MB, 32 at most. Nothing was added."), { n: figure(file.size / 1048576) });
    if (!file.size) return gettext("The file is empty. Nothing was added.");
    return "";
  };
  input.addEventListener("change", () => complain(input.files.length ? check() : ""));
  form.addEventListener("submit", (event) => {
    const sentence = check();
    complain(sentence);
    if (sentence) { event.preventDefault(); event.stopPropagation(); input.focus(); }
  });
  form.noValidate = true;
  for (const kind of ["dragover", "dragenter"]) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("drop--over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("drop--over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("drop--over");
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    complain(check());
  });
}

/** Forms with data-ask-… ask first; the reason goes along. */
function startAsking() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-ask-go]");
    if (!form || form.dataset.asked) return;
    event.preventDefault();
    const answer = await ask({ title: form.dataset.askTitle, text: form.dataset.askText, go: form.dataset.askGo, danger: true, reason: "required" });
    if (!answer) return;
    form.elements.reason.value = answer.reason;
    form.dataset.asked = "1";
    form.requestSubmit();
  }, true);
}

/** In the list of imports: a state changes when its work ends. */
function startJobs() {
  for (const chip of document.querySelectorAll("[data-imports] [data-job]")) {
    subscribe(`jobs.job:${chip.dataset.job}`, { snapshot: (job) => { if (ENDED.includes(job.state)) location.reload(); } });
  }
}
