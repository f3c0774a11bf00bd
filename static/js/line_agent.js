// The agent's console: online, the line, the rooms side by side, one keyboard path for all.
import { onPersonal, subscribe } from "../live.js";
import { stayPresent } from "../live/presence.js";
import { announce, getJSON, h, icon, pageData, postJSON, setText } from "./dom.js";
import { onKey } from "./keys.js";
import { alertPerson, askForNotifications, startSoundSwitch } from "./line_alert.js";
import { AgentLine } from "./line_agent_line.js";
import { Room } from "./line_agent_room.js";
import { keptWrap, pairWraps } from "./line_agent_wrap.js";
import { toastFailure } from "./toast.js";
import { clockOf, fill, gettext, ngettext, spanOf } from "./words.js";

const page = pageData("agent-page");
const find = (name) => document.querySelector(`[data-${name}]`);
const shelf = find("rooms");
const queues = new Map(page.queues.map((queue) => [queue.slug, queue]));
/** @type {Map<string, Room>} visit → its room; a wrap-up keeps the room that it follows */
const rooms = new Map();
let state = null;
let chosen = 0;

let asked = ""; // what waits to be seen in the state: pressed twice, it is sent once

/**
 * One call of the agent's interface. The state that it answers is shown only without the live one: that comes in
 * order, and an older frame on its way would turn a room back into its offer, under the agent's hands.
 */
async function act(what, body = {}) {
  const words = JSON.stringify([what, body]);
  if (asked === words) return null;
  asked = words;
  setTimeout(() => { if (asked === words) asked = ""; }, 1000);
  try {
    const answer = await postJSON(`/api/v1/agent/${what}`, body);
    if (answer?.slots && document.documentElement.dataset.connection !== "live") show(answer);
    return answer;
  } catch (error) {
    asked = "";
    toastFailure(error);
    return null;
  }
}

// -- state ----------------------------------------------------------------------------------------

function show(now) {
  const before = state;
  state = now;
  asked = "";
  const inRooms = now.slots.filter((slot) => slot.kind === "room").length;
  showVerbs(now, inRooms);
  showRooms(now.slots, before !== null);
  lines.forEach((line) => line.showMe(now));
  if (before?.state === "online" && now.state === "offline") {
    alertPerson(gettext("You are offline"));
    announce(gettext("You are offline."));
  }
}

function showVerbs(now, inRooms) {
  const chip = find("agent-state");
  const online = now.state === "online";
  let words = gettext("Offline");
  if (online) words = fill(gettext("Online · %(used)s of %(all)s rooms"), { used: inRooms, all: page.capacity });
  if (now.state === "paused") words = now.word ? fill(gettext("Paused: %(reason)s"), { reason: now.word }) : gettext("Paused");
  if (online && now.pending === "pause") words = gettext("Online · then paused");
  if (online && now.pending === "logout") words = gettext("Online · then offline");
  chip.className = `chip ${online ? "chip--ok" : now.state === "paused" ? "chip--warn" : ""}`;
  setText(chip.querySelector(".icon"), online ? "check_circle" : now.state === "paused" ? "pause_circle" : "radio_button_unchecked");
  setText(find("state-words"), words);
  find("online").hidden = online && !now.pending;
  setText(find("online-words"), now.state === "offline" ? gettext("Go online") : gettext("Go on"));
  find("pause-box").hidden = !online || Boolean(now.pending);
  find("offline").hidden = now.state === "offline" || now.pending === "logout";
  const pause = inRooms ? gettext("Pause after this room") : gettext("Pause");
  setText(find("pause-words"), pause);
  find("pause-button").setAttribute("aria-label", pause);
}

/** Rooms and offers as the server has them; a wrap-up stays in the room that it follows. */
function showRooms(slots, tell) {
  const wanted = new Set(slots.filter((slot) => slot.visit).map((slot) => slot.visit));
  const wraps = slots.filter((slot) => slot.kind === "wrap_up").sort((one, other) => one.until_ms - other.until_ms);
  for (const slot of slots.filter((each) => each.visit)) {
    const known = rooms.get(slot.visit);
    if (known) known.show(slot, state);
    else open(slot, tell);
    if (known && known.kind === "offer" && slot.kind === "room") matched(slot);
    if (known) known.kind = slot.kind;
  }
  const ended = [...rooms.values()].filter((room) => !wanted.has(room.visit));
  const keep = new Set();
  const pairs = pairWraps(wraps, ended);
  for (const wrap of wraps) {
    const room = pairs.get(wrap) ?? openWrap(wrap);
    keep.add(room);
    room.wrap(wrap.until_ms);
  }
  for (const room of ended) if (!keep.has(room)) close(room);
  showFree(wanted.size + wraps.length);
  showChosen();
}

/** On a phone one room is seen at a time, and tabs lead to the others. */
function showChosen() {
  const all = [...rooms.values()];
  all.forEach((room, index) => room.number(index + 1, index === chosen));
  find("room-tabs").replaceChildren(...(all.length < 2 ? [] : all.map((room, index) => h("button", { type: "button", "aria-pressed": String(index === chosen), onclick: () => choose(index) }, `${index + 1} ${room.name}`))));
}

function choose(index) {
  chosen = index;
  showChosen();
  [...rooms.values()][index]?.focus();
}

function open(slot, tell) {
  const room = new Room(slot, { act, page, queues, offerToken: () => state.offer_token });
  room.kind = slot.kind;
  rooms.set(slot.visit, room);
  shelf.append(room.element);
  room.show(slot, state);
  chosen = rooms.size - 1;
  if (!tell) return;
  if (slot.kind === "room") matched(slot);
  else {
    const words = fill(gettext("%(name)s is offered to you"), { name: slot.name || gettext("A visitor") });
    alertPerson(words);
    find("alert").textContent = words;
  }
}

function matched(slot) {
  const words = fill(gettext("%(name)s is in your room"), { name: slot.name || gettext("A visitor") });
  alertPerson(words);
  find("alert").textContent = words;
  rooms.get(slot.visit)?.focus();
}

function openWrap(wrap) {
  const known = keptWrap(wrap.until_ms);
  const name = known?.visit ?? `wrap-up-${wrap.until_ms}`;
  const room = new Room({ ...known, kind: "wrap_up", visit: name, until_ms: wrap.until_ms }, { act, page, queues });
  rooms.set(name, room);
  shelf.append(room.element);
  return room;
}

function close(room) {
  room.close();
  rooms.delete(room.visit);
  if (!room.visit.startsWith("wrap-up")) setTimeout(askDay, 4000); // by then the history has it
  chosen = Math.max(0, Math.min(chosen, rooms.size - 1));
}

function showFree(used) {
  shelf.querySelectorAll(".room--free").forEach((each) => each.remove());
  const online = state.state === "online";
  const free = online ? page.capacity - used : rooms.size ? 0 : 1;
  for (let index = 0; index < Math.min(free, 4); index += 1) {
    const title = online ? gettext("Free") : state.state === "paused" ? gettext("You are paused") : gettext("You are offline");
    const text = online ? gettext("The next visitor appears here by itself, or take one from the line.") : gettext("Go online to get visitors.");
    shelf.append(h("section", { class: "card room room--free" }, h("div", { class: "state" }, icon(online ? "chair" : "headset_off"), h("p", { class: "state__title" }, title), h("p", { class: "state__text" }, text))));
  }
}

// -- the day's figures ----------------------------------------------------------------------------

function showDay({ served, mean_seconds: mean, stars, since }) {
  const say = (name, label, value) => find(name).replaceChildren(...(value === null ? [] : [`${label} `, h("b", { class: "num" }, value)]));
  say("served", gettext("Served today"), String(served));
  say("mean", gettext("Mean room"), mean === null ? null : clockOf(mean));
  say("stars", gettext("Rating"), stars === null ? null : stars.toFixed(1));
  say("shift", gettext("On shift"), since ? spanOf((Date.now() - Date.parse(since)) / 1000) : null);
}

async function askDay() {
  try {
    showDay((await getJSON("/api/v1/agent/rooms")).today);
  } catch { /* the figures of before stay */ }
}

// -- starting -------------------------------------------------------------------------------------

const lines = page.queues.map((queue) => new AgentLine(document.querySelector(`[data-line="${CSS.escape(queue.slug)}"]`), queue, {
  user: page.user,
  capacity: page.capacity,
  take: (visit) => act("take", { visit }),
  why: (visit) => getJSON(`/api/v1/agent/why/${visit}`),
}));

find("online").addEventListener("click", () => {
  askForNotifications();
  act("login");
});
startSoundSwitch(find("sound"));
find("offline").addEventListener("click", () => act("logout"));
document.querySelectorAll("[data-pause]").forEach((button) => button.addEventListener("click", () => act("pause", { reason: button.dataset.pause })));
find("next")?.addEventListener("click", () => act("take"));

const list = () => [...rooms.values()];
onKey("n", () => act("take"));
onKey("f", () => list()[chosen]?.finish());
onKey("a", () => list().find((room) => room.kind === "offer")?.accept());
onKey("t", () => list()[chosen]?.transfer());
for (let digit = 1; digit <= 9; digit += 1) onKey(String(digit), () => {
  if (list()[digit - 1]) choose(digit - 1);
});
shelf.addEventListener("focusin", (event) => {
  const index = list().findIndex((room) => room.element.contains(event.target));
  if (index >= 0) chosen = index;
});
// out of a field the single keys work again
shelf.addEventListener("keydown", (event) => { if (event.key === "Escape" && event.target.matches("textarea")) event.target.closest(".room").focus(); });

const keyList = document.querySelector("[data-keys] dl");
for (const [key, words] of [["n", gettext("Take the next visitor")], ["a", gettext("Accept the offer")], ["f", gettext("End the room, or the wrap-up")], ["t", gettext("Hand over")], ["1", gettext("Go to room 1 (to 9)")], ["Esc", gettext("Out of the field, so that keys work")]]) {
  keyList?.append(h("dt", {}, h("kbd", { class: "key" }, key)), h("dd", {}, words));
}
onPersonal("line.typing", (data) => rooms.get(data.visit)?.typing());
stayPresent();
subscribe(`line.agent:${page.user}`, { snapshot: show });
setInterval(() => {
  lines.forEach((line) => line.tick());
  rooms.forEach((room) => room.tick());
}, 1000);
showDay(page.today);
announce(fill(ngettext("%(n)s queue", "%(n)s queues", page.queues.length), { n: page.queues.length }));
