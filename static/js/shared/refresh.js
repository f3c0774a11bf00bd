// Server-rendered pages that a topic refreshes: each frame fetches the page again and takes over the parts marked
// data-refresh (each with an ID) that have changed. For pages with few readers; fast-moving figures have their own
// topics.
import { subscribe } from "../../live.js";
import { tickTimes } from "./time.js";

function startRefresh() {
  const page = document.querySelector("[data-refresh-topic]");
  if (!page) return;
  let running = false;
  let again = false;

  async function refresh() {
    if (!document.querySelector("[data-refresh]")) return; // a closed panel
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
      // The live badge shows that the server can't be reached. The next frame tries again.
    } finally {
      running = false;
    }
  }

  subscribe(page.dataset.refreshTopic, { snapshot: refresh, change: refresh });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const part = target.closest("[data-refresh-kept]");
    if (part && !part.contains(relatedTarget)) refresh();
  });
  document.addEventListener("refresh", refresh); // fired by modules that changed something
}

function takeOver(fresh) {
  for (const part of document.querySelectorAll("[data-refresh]")) {
    const next = fresh.getElementById(part.id);
    if (!next) continue;
    // Don't replace a part while the user is at work in it or answers its dialog.
    const kept = part.matches(":focus-within") || part.querySelector("[data-asking]") !== null;
    part.toggleAttribute("data-refresh-kept", kept);
    for (const { id } of part.querySelectorAll("details[open][id]")) next.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
    if (kept || part.innerHTML === next.innerHTML) continue;
    part.replaceChildren(...next.childNodes);
    tickTimes(part);
  }
}

startRefresh();
