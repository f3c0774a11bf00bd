// Single-key shortcuts: `/` search, `?` list, `g` then a letter. They are off inside fields, and can be switched off.

const storage = "poolsite:single-keys";
const readable = () => { try { return localStorage.getItem(storage) !== "off"; } catch { return true; } };

// A closing dialog may leave the focus in its hidden field until the next frame.
const inField = (target) =>
  target instanceof HTMLElement && target.checkVisibility() && (target.isContentEditable || target.matches("input:not([type=radio]), textarea, select"));

const handlers = new Map();
/** Add a page's own shortcut. */
export const onKey = (key, run) => handlers.set(key, run);

export function startKeys() {
  const list = document.querySelector("[data-keys]");
  const box = list?.querySelector("[data-keys-off]");
  let on = readable();
  if (box) {
    box.checked = on;
    box.addEventListener("change", () => {
      on = box.checked;
      try { localStorage.setItem(storage, on ? "on" : "off"); } catch { /* this page only */ }
    });
  }
  const show = () => list?.showModal();
  document.querySelectorAll("[data-keys-open]").forEach((button) => button.addEventListener("click", show));
  onKey("?", show);

  let going = 0; // when `g` was pressed; on a busy page, earlier than now
  document.addEventListener("keydown", (event) => {
    if (!on || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (inField(event.target) || document.querySelector("dialog[open]")) return;
    if (going && event.timeStamp - going < 1500) {
      going = 0;
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); return; }
    }
    if (event.key === "g") { going = event.timeStamp; return; }
    const run = handlers.get(event.key);
    if (run) { event.preventDefault(); run(event); }
  });
}
