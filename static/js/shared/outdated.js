// A page that the server drew for one state of a thing is drawn anew when the state has changed.
const YOUNG = 2000; // ms in which a page may still hear of the state before, and would be drawn again and again
const HANDS = 2000; // ms until it is asked again whether somebody still writes in the page
const LEAVING = 10000; // ms for the page that was asked for to come; a download asks for none, so the page goes on after them
let timer = 0; // one for the page: who watches many rows asks once for all of them
let leftAt = -LEAVING;

// Drawn anew just now, the page would take back the click that is leading away from it.
addEventListener("beforeunload", () => { leftAt = performance.now(); });

/** Whether the page waits to be drawn anew, because its state `differs`; never under somebody's hands. `look` is asked again when a young page has settled, or those hands may have gone. */
export function isOutdated(differs, look) {
  clearTimeout(timer);
  if (!differs) return false;
  const held = document.querySelector("dialog[open], form :focus") || performance.now() - leftAt < LEAVING;
  const left = held ? HANDS : YOUNG - performance.now();
  if (left > 0) timer = setTimeout(look, left);
  else location.reload();
  return !held;
}

/** Draw the page anew once what was just done has been told, unless somebody is leaving it already. */
export function drawAnew() {
  setTimeout(() => isOutdated(true, drawAnew), 600);
}
