// The panel docked next to a list. Its URL is the page's with ?panel=: the page is fetched and its panel taken over, so
// that reload and Back keep the panel. Escape follows [data-dock-close]; a link with data-dock-link shows its panel in
// this page.
import { announce, errorState } from "./dom.js";
import { tickTimes } from "./time.js";
import { gettext } from "./words.js";

const docked = document.querySelector(".docked");
export const dock = docked?.querySelector("[data-dock-panel]") ?? null;
/** The name of the panel in the URL; "" if there is none. */
export const chosen = () => new URLSearchParams(location.search).get("panel") ?? "";

let shown = chosen();
let asked = 0;

/** Show the panel named in the URL, or none. Then fires "panel" on the dock, with the previous panel as its detail. */
export async function show() {
  const turn = ++asked;
  const panel = chosen() && await load();
  if (turn !== asked) return;
  const [before, focused] = [shown, dock.contains(document.activeElement)];
  shown = chosen();
  dock.replaceChildren(...(panel ? [panel] : []));
  dock.hidden = !panel;
  if (panel) delete docked.dataset.dock;
  else docked.dataset.dock = "closed";
  document.querySelector("[data-shell]").classList.toggle("shell--rail", Boolean(panel));
  tickTimes(dock);
  if (focused) (dock.querySelector(".tabs [aria-current]") ?? dock.querySelector("[data-dock-close]"))?.focus();
  if (panel && shown !== before) announce(dock.querySelector(".card__title, .state__title").textContent);
  dock.dispatchEvent(new CustomEvent("panel", { detail: before }));
}

async function load() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("[data-dock-panel]").firstElementChild;
  } catch {
    return errorState(gettext("Couldn't load this panel"), gettext("The list is not affected."), show);
  }
}

/** Show the panel of a URL of this page. Another panel is a step in the history; another part of a panel is not. */
export function go(address) {
  const next = new URL(address, location.href);
  const same = (next.searchParams.get("panel") ?? "") === shown;
  history[same ? "replaceState" : "pushState"](null, "", next);
  return show();
}

/** Show the panel with this name and leave the list as it is; "" closes the panel. */
export function open(name) {
  const here = new URL(location.href);
  if (name) here.searchParams.set("panel", name);
  else here.searchParams.delete("panel");
  return go(here);
}

if (dock) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-dock-link]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.href);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]") || !dock.contains(document.activeElement)) return;
    dock.querySelector("[data-dock-close]")?.click();
  });
  addEventListener("popstate", () => { if (chosen() !== shown) show(); });
}
