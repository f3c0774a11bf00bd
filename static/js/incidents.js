// The incidents: a row opens its incident in the panel beside the list, with an address of its own.
// Where there is no room for the panel, the row's link leads to the incident's page.
import "./refresh.js";
import { announce } from "./dom.js";
import { onKey } from "./keys.js";
import { tickTimes } from "./time.js";

const ROWS = "[data-incident]";
const wide = matchMedia("(min-width: 1280px)");
const docked = document.querySelector(".docked--incidents");
const dock = docked.querySelector("[data-incident-dock]");
const shell = document.querySelector("[data-shell]");
const linkOf = (row) => row.querySelector(".attention__title, .two-lines__first");
const chosen = () => new URLSearchParams(location.search).get("panel") ?? "";
let asked = 0;

function mark() {
  const id = chosen();
  for (const row of docked.querySelectorAll(ROWS)) {
    const link = linkOf(row);
    if (row.dataset.incident === id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Show the incident that the address names, or none. */
async function show() {
  const turn = ++asked;
  const id = chosen();
  let panel = null;
  if (id) {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
      if (answer.ok) panel = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-incident-panel]");
    } catch { /* its own page tells what is wrong */ }
    if (turn !== asked) return;
    if (!panel) { location.assign(`${location.pathname}${encodeURIComponent(id)}/`); return; }
  }
  dock.replaceChildren(...(panel ? [panel] : []));
  dock.hidden = !panel;
  if (panel) delete docked.dataset.dock;
  else docked.dataset.dock = "closed";
  shell.classList.toggle("shell--rail", Boolean(panel));
  mark();
  if (!panel) return;
  tickTimes(dock);
  announce(panel.querySelector("#panel-title").textContent);
}

function open(id) {
  if (id === chosen()) return;
  const here = new URL(location.href);
  if (id) here.searchParams.set("panel", id);
  else here.searchParams.delete("panel");
  history.pushState(null, "", here);
  show();
}

function close() {
  const id = chosen();
  open("");
  const row = docked.querySelector(`[data-incident="${CSS.escape(id)}"]`);
  if (row) linkOf(row).focus();
}

function step(by) {
  const rows = [...docked.querySelectorAll(ROWS)].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const now = at < 0 ? rows.findIndex((row) => row.dataset.incident === chosen()) : at;
  const next = rows[now < 0 ? 0 : now + by];
  if (!next) return;
  linkOf(next).focus();
  if (wide.matches) open(next.dataset.incident);
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (event.target.closest("[data-incident-close]")) { event.preventDefault(); close(); return; }
  const row = event.target.closest(ROWS);
  if (!row || !wide.matches || getSelection()?.toString()) return;
  const control = event.target.closest("a, button, summary, details ul");
  if (control && control !== linkOf(row)) return;
  event.preventDefault();
  open(row.dataset.incident);
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !dock.hidden && dock.contains(document.activeElement) && !document.querySelector("dialog[open]")) close();
});
addEventListener("popstate", show);
onKey("j", () => step(1));
onKey("k", () => step(-1));
for (const list of docked.querySelectorAll("[data-attention-rows]")) new MutationObserver(mark).observe(list, { childList: true });
mark();
