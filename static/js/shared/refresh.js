// Server-rendered pages that a topic refreshes: each frame fetches the page again and takes over the parts marked
// data-refresh (each with an ID) that have changed. For pages with few readers; fast-moving figures have their own
// topics.
import { connection, subscribe } from "../../live.js";
import { tickTimes } from "./time.js";

const PATIENCE = 20_000; // for the page
const PAUSE = 5_000; // after a failure

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
        const asked = location.href;
        const answer = await fetch(asked, { headers: { Accept: "text/html" }, redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
        const text = await answer.text();
        if (asked !== location.href) again = true; // another panel was opened meanwhile
        else if (answer.ok) takeOver(new DOMParser().parseFromString(text, "text/html"));
        else if (![403, 404].includes(answer.status)) throw new Error(String(answer.status));
      } while (again);
    } catch {
      // The next frame may be far away, and none follows if only this request failed.
      setTimeout(() => connection.state !== "signed-out" && refresh(), PAUSE);
    } finally {
      running = false;
    }
  }

  if (page.dataset.refreshTopic) subscribe(page.dataset.refreshTopic, { snapshot: refresh, change: refresh });
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
