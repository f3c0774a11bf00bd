// Times that grow while the page is open: <span data-since="2026-11-21T10:00:00Z"> and <time data-clock>.
// data-sentence="checked %(time)s ago" puts the time into a sentence.
import { ageOf, clockOf, fill, momentOf, spanOf } from "./words.js";

const kinds = { since: ageOf, span: spanOf, running: clockOf };

function tick(root = document) {
  for (const [name, words] of Object.entries(kinds)) {
    for (const element of root.querySelectorAll(`[data-${name}]`)) {
      const at = Date.parse(element.dataset[name]);
      if (Number.isNaN(at)) continue;
      const time = words((Date.now() - at) / 1000);
      const text = fill(element.dataset.sentence ?? "%(time)s", { time });
      if (element.textContent !== text) element.textContent = text;
    }
  }
  for (const element of root.querySelectorAll("[data-clock]")) {
    const text = momentOf(new Date());
    if (element.textContent !== text) element.textContent = text;
  }
}

export function startTime() {
  tick();
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
  document.addEventListener("visibilitychange", () => tick());
}

export { tick as tickTimes };
