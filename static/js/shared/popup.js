// One popup at a time: what opens closes what is open.

let open = null;

/** Something has opened; `close` is called when something else opens. */
export function opened(close) {
  const before = open;
  open = close;
  if (before && before !== close) before();
}

export function closed(close) {
  if (open === close) open = null;
}
