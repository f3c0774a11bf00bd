// Prints a receipt. A receipt that waits for its payment provider polls until the payment is decided.
const FIRST_MS = 1000;
const LONGEST_MS = 15000;
const PATIENCE_MS = 30 * 60 * 1000;

for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());

const waiting = document.querySelector("[data-waits]");
if (waiting) watch(waiting.dataset.waits, FIRST_MS, Date.now() + PATIENCE_MS);

/** Poll the payment's state at growing intervals; reload the page when it changes. */
function watch(url, delay, until) {
  if (Date.now() > until) return;
  setTimeout(async () => {
    if (!document.hidden && await changed(url)) { location.reload(); return; }
    watch(url, Math.min(delay * 1.3, LONGEST_MS), until);
  }, delay);
}

async function changed(url) {
  try {
    const answer = await fetch(url, { credentials: "same-origin", headers: { Accept: "application/json" } });
    if (!answer.ok) return false;
    const { status } = await answer.json();
    return status !== "waiting" && status !== "input";
  } catch {
    return false;
  }
}
