// A click counts even if the pressed element was redrawn or moved before the release. Otherwise rows that move would
// swallow clicks.
const SLIP = 8; // px that the pointer may move
const named = (element) => element?.closest?.("[data-focus]");
const again = (name) => document.querySelector(`[data-focus="${CSS.escape(name)}"]`);

export function startPresses() {
  let pressed = null;
  addEventListener("pointerdown", (event) => {
    const element = event.button === 0 ? named(event.target) : null;
    pressed = element && { element, x: event.clientX, y: event.clientY };
  }, true);
  addEventListener("pointerup", (event) => {
    const was = pressed;
    pressed = null;
    if (!was || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (Math.hypot(event.clientX - was.x, event.clientY - was.y) > SLIP) return;
    const { element } = was;
    if (!element.isConnected) again(element.dataset.focus)?.click();
    else if (named(document.elementFromPoint(event.clientX, event.clientY)) !== element) element.click();
  }, true);
}
