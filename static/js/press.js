// A click counts although its row was drawn anew between press and release: a line that moves would swallow it otherwise.
const named = (element) => element?.closest?.("[data-focus]");

export function startPresses() {
  let pressed = null;
  addEventListener("pointerdown", (event) => { pressed = event.button === 0 ? named(event.target) : null; }, true);
  addEventListener("pointerup", (event) => {
    const gone = pressed && !pressed.isConnected ? pressed.dataset.focus : "";
    const here = named(document.elementFromPoint(event.clientX, event.clientY));
    pressed = null;
    if (gone && here?.dataset.focus === gone && !event.ctrlKey && !event.metaKey && !event.shiftKey) here.click();
  }, true);
}
