// The list of incidents: a row opens its incident in the panel next to the list. In windows that are too narrow for
// the panel, the row's link leads to the incident's page.
import { chosen, dock, open } from "../shared/docked.js";
import { onKey } from "../shared/keys.js";
import "../shared/refresh.js";

const ROWS = "[data-incident]";
const wide = matchMedia("(min-width: 1280px)");
const list = dock.previousElementSibling;
const linkOf = (row) => row.querySelector(".attention__title, .two-lines__first");

function mark() {
  for (const row of list.querySelectorAll(ROWS)) {
    const link = linkOf(row);
    if (row.dataset.incident === chosen()) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Handle a change of panel: when the panel was closed, return the focus to its row. */
function changed({ detail: before }) {
  mark();
  const row = !chosen() && list.querySelector(`[data-incident="${CSS.escape(before)}"]`);
  if (row && !list.contains(document.activeElement)) linkOf(row).focus();
}

function step(by) {
  const rows = [...list.querySelectorAll(ROWS)].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const now = at < 0 ? rows.findIndex((row) => row.dataset.incident === chosen()) : at;
  const next = rows[now < 0 ? 0 : now + by];
  if (!next) return;
  linkOf(next).focus();
  if (wide.matches) open(next.dataset.incident);
}

list.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const row = event.target.closest(ROWS);
  if (!row || !wide.matches || getSelection()?.toString()) return;
  const control = event.target.closest("a, button, summary, details ul");
  if (control && control !== linkOf(row)) return;
  event.preventDefault();
  if (row.dataset.incident !== chosen()) open(row.dataset.incident);
});
dock.addEventListener("panel", changed);
onKey("j", () => step(1));
onKey("k", () => step(-1));
for (const box of list.querySelectorAll("[data-attention-rows], [data-refresh]")) new MutationObserver(mark).observe(box, { childList: true });
mark();
