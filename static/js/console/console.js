// Starts the modules that every page of the console needs.
import { startBadge } from "../shared/badge.js";
import { startDialogs } from "../shared/dialog.js";
import "../shared/drawn.js";
import { onKey, startKeys } from "../shared/keys.js";
import { startDrawer, startMenus, startNavigation, startRail } from "../shared/menu.js";
import { startPresses } from "../shared/press.js";
import { startProblems } from "../shared/problems.js";
import { startSparklines } from "../shared/sparkline.js";
import "../shared/theme_switch.js";
import { startTime } from "../shared/time.js";

startRail();
startNavigation();
startSparklines();
startBadge();
startMenus();
startDrawer();
startDialogs();
startKeys();
startTime();
startPresses();
startProblems();

// The palette's module is loaded when it is first opened. Meanwhile the field accepts text, and Escape closes it.
const palette = document.querySelector("[data-search]");
const sought = palette?.querySelector("[data-search-input]");
async function search() {
  if (palette.open || document.querySelector("dialog[open]")) return;
  palette.showModal();
  sought.select();
  const program = await import("./search.js").catch(() => null);
  if (program) { program.startSearch(); return; }
  const hint = palette.querySelector("[data-search-hint]");
  hint.textContent = hint.dataset.failed;
  hint.hidden = false;
}
if (palette) {
  sought.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault(); // by default, Escape would clear the search field and leave the dialog open
    palette.close();
  });
  palette.addEventListener("close", () => { sought.value = ""; });
  onKey("/", search);
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    search();
  });
  addEventListener("load", () => setTimeout(() => import("./palette_recent.js").then(({ startRecents }) => startRecents())));
  document.querySelectorAll("[data-search-open]").forEach((button) => button.addEventListener("click", search));
}
if (document.querySelector("input[data-short-name]")) import("./short_name.js");
if (document.querySelector("tr[data-href], [data-bulk], [data-auto-submit], [data-refresh]")) import("../shared/table.js").then(({ startTables }) => startTables());
