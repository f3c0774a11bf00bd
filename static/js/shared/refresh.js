// Pages that the server draws and a topic keeps fresh: each frame fetches the page again and takes
// over the parts marked data-refresh (each with an id) that have changed. For pages of few readers;
// figures that move fast have topics of their own.
import { subscribe } from "../../live.js";
import { tickTimes } from "./time.js";

function startRefresh() {
  const page = document.querySelector("[data-refresh-topic]");
  if (!page) return;
  let running = false;
  let again = false;

  async function refresh() {
    if (!document.querySelector("[data-refresh]")) return; // a panel that is closed
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      do {
        again = false;
        const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
        if (answer.ok) takeOver(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } while (again);
    } catch {
      // The live badge tells that the server is away; the next frame tries again.
    } finally {
      running = false;
    }
  }

  subscribe(page.dataset.refreshTopic, { snapshot: refresh, change: refresh });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const part = target.closest("[data-refresh-kept]");
    if (part && !part.contains(relatedTarget)) refresh();
  });
  document.addEventListener("refresh", refresh); // a module has changed something by itself
}

function takeOver(fresh) {
  for (const part of document.querySelectorAll("[data-refresh]")) {
    const next = fresh.getElementById(part.id);
    if (!next) continue;
    // What the reader has in hand, or is being asked about, stays until they let go of it.
    const kept = part.matches(":focus-within") || part.querySelector("[data-asking]") !== null;
    part.toggleAttribute("data-refresh-kept", kept);
    for (const { id } of part.querySelectorAll("details[open][id]")) next.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
    if (kept || part.innerHTML === next.innerHTML) continue;
    part.replaceChildren(...next.childNodes);
    tickTimes(part);
  }
}

startRefresh();
