// Reloads a page that the server rendered for one state of an object after that state has changed.
const YOUNG = 2000; // ms in which a new page may still get the earlier state, and would reload again and again
const HANDS = 2000; // ms until checking again whether the user is still at work in the page
const LEAVING = 10000; // ms for the next page to come; a download brings no page, so reloads are possible again afterwards
let timer = 0; // one timer for the page, so that a module that watches many rows checks once for all rows
let leftAt = -LEAVING;

// A reload now would cancel the click that is leading to another page.
addEventListener("beforeunload", () => { leftAt = performance.now(); });

/**
 * Reload the page if its state `differs`, but not while the user is at work in it. Returns whether the page is about to
 * be reloaded. `look` is called again when a new page has settled, or the user may have finished.
 */
export function isOutdated(differs, look) {
  clearTimeout(timer);
  if (!differs) return false;
  const held = document.querySelector("dialog[open], form :focus") || performance.now() - leftAt < LEAVING;
  const left = held ? HANDS : YOUNG - performance.now();
  if (left > 0) timer = setTimeout(look, left);
  else location.reload();
  return !held;
}

/** Reload the page after the result of an action was shown, unless the user is already leaving the page. */
export function drawAnew() {
  setTimeout(() => isOutdated(true, drawAnew), 600);
}
