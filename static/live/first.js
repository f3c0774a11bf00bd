// States of topics that came with the page (`first_snapshots` of its view), each for its first watcher.
const firsts = JSON.parse(document.getElementById("first-snapshots")?.textContent ?? "{}");

/** Tell the topic's state once, as soon as the module that asks has run; nothing when the page has none. */
export function first(topic, tell) {
  if (!(topic in firsts)) return;
  const data = firsts[topic];
  delete firsts[topic];
  queueMicrotask(() => tell(data));
}
