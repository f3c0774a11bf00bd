// The browser's side of docs/reference/live-protocol.md: one socket per page; a snapshot of each
// topic, then its changes. Lost frames are recovered automatically.

/**
 * @typedef {object} Handlers
 * @property {(data: any, version: number) => void} snapshot  gets the whole state; may come again
 * @property {(data: any, version: number) => void} [change]  gets what has changed; without it, a
 *     change is the new state and goes to `snapshot`
 * @property {(code: number) => void} [refused]  4403 not allowed, 4404 not found
 *
 * @typedef {object} Entry
 * @property {string} topic
 * @property {Set<Handlers>} handlers
 * @property {number | null} version  of the state that the handlers have; null = none yet
 * @property {number} age  FRESH, LOST (its snapshot is on the way) or STALE (the server cannot read it)
 * @property {object[]} early  changes that came before their snapshot
 */

import { first } from "./live/first.js";
import { pauseBefore } from "./live/retry.js";

const QUIET = 10_000; // after this long without a frame, ping the server
const PATIENCE = 5_000; // for the answer to the ping
const HIDDEN = 60_000; // then a hidden page closes its socket
const STEADY = 5_000; // after a connection of this length, retries start with the shortest pause
const SIGNED_OUT = 4401;
const TRY_LATER = 4503;
const [FRESH, LOST, STALE] = [0, 1, 2];

/** @type {Map<string, Entry>} */
export const topics = new Map();
/** @type {Map<string, Set<(data: any) => void>>} */
export const people = new Map();

/**
 * What the badge shows. Fires `state` at every change and once a second while the page is visible.
 * state: idle (nothing to watch), connecting, live, reconnecting, stale (connected, but the server
 * cannot read some figures), offline, signed-out. Times are as of Date.now().
 */
class Connection extends EventTarget {
  state = "idle";
  attempt = 0;
  retryAt = 0; // the next try; 0 = none planned
  dataAt = 0; // when the figures were last known to be right; 0 = never

  /** Try now instead of after the pause. */
  retry() {
    attempt(0);
  }
}

export const connection = new Connection();

/** @type {WebSocket | null} */
let socket = null;
let ready = false;
let heardAt = 0;
let asked = false; // a ping is not answered yet
let openedAt = 0;
let acked = 0;
let retryTimer = 0;
let hiddenTimer = 0;
let pulse = 0;

/** Set by live/presence.js before the first subscribe. `present`: keep the socket while hidden. */
export const manner = { path: "/ws/live/", greeting: null, present: false };

/**
 * Watch a topic. Returns a function that ends the watch.
 * @param {string} topic
 * @param {Handlers} handlers
 */
export function subscribe(topic, handlers) {
  const mine = { ...handlers };
  const known = topics.get(topic);
  const entry = known ?? { topic, handlers: new Set(), version: null, early: [], healedAt: 0, age: FRESH };
  entry.handlers.add(mine);
  topics.set(topic, entry);
  if (known) entry.version = null; // a second watcher needs the whole state, too
  else first(topic, (data) => entry.version ?? tell(entry, "snapshot", data));
  ask(entry);
  attempt(0);
  return () => {
    entry.handlers.delete(mine);
    letGo(entry);
  };
}

/**
 * Receive personal messages of one kind. Returns a function that ends this.
 * @param {string} kind
 * @param {(data: any) => void} hear
 */
export function onPersonal(kind, hear) {
  const all = people.get(kind) ?? new Set();
  people.set(kind, all.add(hear));
  attempt(0);
  return () => {
    all.delete(hear);
    if (!all.size && people.get(kind) === all) people.delete(kind);
    rest();
  };
}

const wanted = () => topics.size > 0 || people.size > 0;

function show(state) {
  connection.state = state;
  connection.dispatchEvent(new Event("state"));
}

function refresh() {
  const worst = Math.max(FRESH, ...[...topics.values()].map((entry) => entry.age));
  if (!worst) connection.dataAt = heardAt;
  show(["live", "reconnecting", "stale"][worst]);
}

function send(frame) {
  if (ready) socket.send(JSON.stringify(frame));
}

function ask(entry) {
  entry.early = [];
  send({ op: "subscribe", topic: entry.topic, version: entry.version ?? undefined });
}

const watched = (entry) => topics.get(entry.topic) === entry;

function askIn(wait, entry) {
  setTimeout(() => watched(entry) && ask(entry), wait);
}

/** End the watch of a topic without handlers. */
function letGo(entry) {
  if (entry.handlers.size || !watched(entry)) return;
  topics.delete(entry.topic);
  send({ op: "unsubscribe", topic: entry.topic });
  rest();
}

/** Connect after this many seconds, 0 = now, unless there is a socket already. */
function attempt(seconds) {
  if (socket || !wanted() || (document.hidden && !manner.present)) return;
  clearTimeout(retryTimer);
  if (!navigator.onLine) return show("offline");
  beat();
  if (!seconds) return open();
  connection.retryAt = Date.now() + seconds * 1000;
  retryTimer = setTimeout(open, seconds * 1000);
  show("reconnecting");
}

function open() {
  if (socket) return;
  const mine = (socket = new WebSocket(location.origin.replace("http", "ws") + manner.path));
  if (manner.greeting) mine.onopen = () => mine.send(JSON.stringify(manner.greeting));
  ready = false;
  acked = 0;
  asked = false;
  heardAt = Date.now();
  connection.attempt += 1;
  connection.retryAt = 0;
  show(connection.dataAt || connection.attempt > 1 ? "reconnecting" : "connecting");
  mine.onmessage = (event) => mine === socket && hear(JSON.parse(event.data));
  mine.onclose = (event) => mine === socket && lost(event.code);
}

function lost(code) {
  const steady = ready && Date.now() - openedAt > STEADY;
  drop();
  if (!wanted()) return show("idle");
  loseAll();
  if (code === SIGNED_OUT) return show("signed-out");
  if (steady) connection.attempt = 0;
  if (document.hidden) show("reconnecting"); // continues when the page is visible again
  attempt(pauseBefore(connection.attempt));
}

/** Close the socket. No figure counts as current until its next snapshot. */
function leave() {
  drop();
  loseAll();
}

/** Close the socket, and ignore what it still receives. */
function drop() {
  const old = socket;
  socket = null;
  ready = false;
  clearTimeout(retryTimer);
  old?.close(1000);
}

function rest() {
  if (wanted()) return;
  setTimeout(() => {
    if (wanted() || !socket) return;
    drop();
    clearInterval(pulse);
    pulse = 0;
    connection.attempt = 0;
    show("idle");
  }, 1000);
}

function hear(frame) {
  heardAt = Date.now();
  asked = false;
  if (frame.ack > acked) send({ op: "ack", ack: (acked = frame.ack) });
  if (frame.op === "beat") return send({ op: "beat" });
  if (frame.op === "hello") return begin();
  if (frame.op === "personal") return each(people.get(frame.kind) ?? [], (hearer) => hearer(frame.data));
  if (frame.op === "error") return reportError(new Error(`live: ${frame.reason}`));
  const entry = topics.get(frame.topic);
  if (!entry) return;
  takes[frame.op]?.(frame, entry);
  refresh();
}

const takes = {
  snapshot: takeSnapshot,
  change: takeChange,
  current: takeCurrent,
  refused: takeRefusal,
  stale: (_frame, entry) => { entry.age = STALE; },
};

function begin() {
  ready = true;
  openedAt = Date.now();
  for (const entry of topics.values()) ask(entry);
  refresh();
}

function takeSnapshot(frame, entry) {
  entry.version = frame.version;
  entry.age = FRESH;
  tell(entry, "snapshot", frame.data);
  const early = entry.early;
  entry.early = [];
  for (const change of early) if (change.from === entry.version) takeChange(change, entry);
}

function takeChange(frame, entry) {
  if (entry.version === null) {
    if (entry.early.push(frame) > 50) entry.early.shift();
  } else if (frame.from === entry.version) {
    entry.version = frame.to;
    entry.age = FRESH;
    tell(entry, "change", frame.data);
  } else if (frame.to !== entry.version) {
    heal(entry);
  }
}

function takeCurrent(frame, entry) {
  if (frame.version === entry.version) entry.age = FRESH;
  else if (entry.version !== null) heal(entry);
}

function takeRefusal(frame, entry) {
  if (frame.code === TRY_LATER) {
    entry.age = STALE;
    return askIn(2000, entry);
  }
  entry.age = STALE; // unless the page says what follows
  each(entry.handlers, ({ refused }) => {
    if (!refused) return;
    entry.age = FRESH;
    refused(frame.code);
  });
}

/** Start again with a snapshot, at most once a second, so that a faulty page does not loop. */
function heal(entry) {
  entry.version = null;
  entry.age = LOST;
  const wait = Math.max(0, entry.healedAt + 1000 - Date.now());
  entry.healedAt = Date.now() + wait;
  askIn(wait, entry);
}

function tell(entry, verb, data) {
  const fine = each(entry.handlers, (handlers) => (handlers[verb] ?? handlers.snapshot)(data, entry.version));
  if (!fine) heal(entry);
}

const loseAll = () => topics.forEach((entry) => { entry.age = LOST; });

/** Call each. An exception is reported (window's error event) and does not stop the others. */
function each(all, call) {
  let fine = true;
  for (const one of [...all]) {
    try {
      call(one);
    } catch (error) {
      fine = false;
      reportError(error);
    }
  }
  return fine;
}

function beat() {
  pulse ||= setInterval(() => {
    const silent = Math.abs(Date.now() - heardAt); // hours, after the computer slept or its clock was set
    if (socket && silent > QUIET + (ready ? PATIENCE : 0)) lost(0);
    else if (ready && !asked && silent > QUIET) {
      asked = true;
      send({ op: "ping" });
    }
    if (!document.hidden) connection.dispatchEvent(new Event("state"));
  }, 1000);
}

addEventListener("online", () => attempt(0));
addEventListener("offline", () => {
  leave();
  if (wanted()) show("offline");
});
addEventListener("pagehide", leave); // an open socket would keep the page out of the bfcache
addEventListener("pageshow", () => attempt(0));
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden && !manner.present) hiddenTimer = setTimeout(leave, HIDDEN);
  else attempt(0);
});
