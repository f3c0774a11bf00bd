// States of topics that came with the page (`first_snapshots` of its view), each for the topic's first watcher.
const firsts = JSON.parse(document.getElementById("first-snapshots")?.textContent ?? "{}");

/** Pass the topic's state to `tell` once, after the calling module has run. Does nothing if the page has none. */
export function first(topic, tell) {
  if (!(topic in firsts)) return;
  const data = firsts[topic];
  delete firsts[topic];
  queueMicrotask(() => tell(data));
}
