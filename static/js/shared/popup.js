// One popup at a time: opening a popup closes the open one.

let open = null;

/** Report that a popup has opened. `close` is called when another popup opens. */
export function opened(close) {
  const before = open;
  open = close;
  if (before && before !== close) before();
}

export function closed(close) {
  if (open === close) open = null;
}
