// The months of a year: one month at a time opens in place, with its own URL. Each URL also works as a page of its own.
import { pageData } from "../shared/dom.js";
import { startUsage } from "./usage.js";

let asked = 0;

function drawDays() {
  const card = document.querySelector("[data-statement-days]");
  if (card?.querySelector("[data-usage-body]")) startUsage(card, pageData("statement-days"));
}

/** Replace the months with those of another URL. If they can't be loaded, navigate to it. */
async function show(url) {
  const mine = (asked += 1);
  try {
    const answer = await fetch(url, { credentials: "same-origin", headers: { Accept: "text/html" } });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    const months = found.querySelector("[data-statements]");
    if (!answer.ok || !months) throw new Error(url);
    if (mine !== asked) return false;
    document.querySelector("[data-statements]").replaceWith(document.adoptNode(months));
    document.title = found.title;
    drawDays();
    return true;
  } catch {
    if (mine === asked) location.assign(url);
    return false;
  }
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-month]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const { month } = link.dataset;
  if (await show(link.href)) {
    history.pushState(null, "", link.href);
    document.querySelector(`[data-month="${month}"]`)?.focus({ preventScroll: true });
  }
});
window.addEventListener("popstate", () => show(location.href));
drawDays();
