// A page that the server drew for one state of a thing is drawn anew when the state has changed.
const YOUNG = 2000; // ms in which a page may still hear of the state before, and would be drawn again and again
let timer = 0;

/** Whether the page waits to be drawn anew, because its state `differs`; never under somebody's hands. `look` is asked again when a young page has settled. */
export function isOutdated(differs, look) {
  clearTimeout(timer);
  if (!differs || document.querySelector("dialog[open], form :focus")) return false;
  const left = YOUNG - performance.now();
  if (left > 0) timer = setTimeout(look, left);
  else location.reload();
  return true;
}
