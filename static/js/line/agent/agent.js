// The agent's console: online state, the lines, the rooms side by side, and a keyboard shortcut for every action.
import { onPersonal, subscribe } from "../../../live.js";
import { stayPresent } from "../../../live/presence.js";
import { announce, getJSON, h, icon, pageData, postJSON, setText } from "../../shared/dom.js";
import { refill } from "../../shared/figures.js";
import { onKey } from "../../shared/keys.js";
import { NoticeBanner, alertPerson, startSoundSwitch } from "../alert.js";
import { AgentLine } from "./line.js";
import { Room } from "./room.js";
import { SlotList, Slots } from "./slots.js";
import { keep, kept } from "../kept.js";
import { pauseWords } from "../reasons.js";
import { keptWrap, pairWraps } from "./wrap.js";
import { toastFailure } from "../../shared/toast.js";
import { countOf } from "../waiting.js";
import { clockOf, fill, gettext, ngettext, spanOf } from "../../shared/words.js";

const page = pageData("agent-page");
const find = (name) => document.querySelector(`[data-${name}]`);
const shelf = find("rooms");
const queues = new Map(page.queues.map((queue) => [queue.slug, queue]));
/** @type {Map<string, Room>} visit → its room; a wrap-up keeps the room that it follows */
const rooms = new Map();
let state = null;
const slots = new Slots(page.user, page.capacity);
let chosen = Number(kept("chosen", page.user, "0")); // the visible slot
let wanted = ""; // the visit whose room the agent asked for; the room is shown when it comes

let asked = ""; // the last command until the state shows its effect, so that pressing twice sends it once

/**
 * Call the agent's API. The state in the answer is shown only while the live state is disconnected. Live frames come in
 * order; but an older frame, still on its way, would turn a room back into its offer while the agent uses it.
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
  banner.show(now.state !== "offline");
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
  if (now.state === "paused") words = now.word ? fill(gettext("Paused: %(reason)s"), { reason: pauseWords(now.word) }) : gettext("Paused");
  if (online && now.pending === "pause") words = gettext("Online · then paused");
  if (online && now.pending === "logout") words = gettext("Online · then offline");
  chip.className = `chip ${online ? "chip--ok" : now.state === "paused" ? "chip--warn" : ""}`;
  setText(chip.querySelector(".icon"), online ? "check_circle" : now.state === "paused" ? "pause_circle" : "radio_button_unchecked");
  setText(find("state-words"), words);
  find("online").hidden = online && !now.pending;
  setText(find("online-words"), now.state === "offline" ? gettext("Go online") : gettext("Continue"));
  find("pause-box").hidden = !online || Boolean(now.pending);
  find("offline").hidden = now.state === "offline" || now.pending === "logout";
  const next = find("next");
  if (next) {
    next.disabled = !online;
    next.title = online ? "" : gettext("Go online to take a visitor.");
  }
  const pause = inRooms ? gettext("Pause after this room") : gettext("Pause");
  setText(find("pause-words"), pause);
  find("pause-button").setAttribute("aria-label", pause);
}

/** Show the server's rooms and offers. A wrap-up stays in the room that it follows. */
function showRooms(given, tell) {
  const there = new Set(given.filter((slot) => slot.visit).map((slot) => slot.visit));
  const wraps = given.filter((slot) => slot.kind === "wrap_up").sort((one, other) => one.until_ms - other.until_ms);
  const opened = []; // slots to notify the agent about
  for (const slot of given.filter((each) => each.visit)) {
    const known = rooms.get(slot.visit);
    if (known) known.show(slot, state);
    else open(slot);
    const isNew = !known && tell;
    if (isNew || (known?.kind === "offer" && slot.kind === "room")) opened.push(slot);
    if (known) known.kind = slot.kind;
  }
  const ended = [...rooms.values()].filter((room) => !there.has(room.visit));
  const keep = new Set();
  const pairs = pairWraps(wraps, ended);
  for (const wrap of wraps) {
    const room = pairs.get(wrap) ?? openWrap(wrap);
    keep.add(room);
    room.wrap(wrap.until_ms);
  }
  for (const room of ended) if (!keep.has(room)) close(room);
  slots.place([...rooms.values()]);
  if (wanted && slots.indexOf(wanted) >= 0) {
    chosen = slots.indexOf(wanted);
    wanted = "";
  }
  // choose the first room when the page opens or the agent had none; otherwise the chosen room stays
  if (!chosenRoom() && (!tell || slots.used === 1)) chosen = Math.max(0, slots.rows.findIndex((row) => row.visit));
  opened.forEach((slot) => tellOf(slot));
  showFree();
  showChosen();
}

const chosenRoom = () => rooms.get(slots.rows[chosen]?.visit);

/** Show one room at a time. The list (on a phone, the tabs) leads to the other rooms. */
function showChosen() {
  const room = chosenRoom();
  slots.rows.forEach((row, index) => rooms.get(row.visit)?.number(index + 1, index === chosen));
  roomList.draw(slots, chosen, (visit) => rooms.get(visit));
  if (seen === room) return;
  seen = room;
  keep("chosen", page.user, String(chosen));
  chose(room); // the only place where the chosen room changes
}

let seen;
/** Handle a change of the visible room (undefined for an empty slot): show its context next to it. */
function chose(room) {
  find("side").replaceChildren(...(room?.context ? [room.context.element] : []));
}

function choose(index) {
  if (!slots.rows[index]?.visit) return;
  chosen = index;
  showFree();
  showChosen();
  chosenRoom()?.focus();
}

function open(slot) {
  const room = new Room(slot, { act, page, queues, offerToken: () => state.offer_token, changed: showChosen, want: (visit) => { wanted = visit; } });
  room.kind = slot.kind;
  rooms.set(slot.visit, room);
  shelf.append(room.element);
  room.show(slot, state);
}

/** Notify the agent of a room or an offer that came while the page was open. */
function tellOf(slot) {
  if (slot.kind === "room") return matched(slot);
  const words = fill(gettext("New visitor: %(name)s"), { name: slot.name || gettext("A visitor") });
  alertPerson(words);
  find("alert").textContent = words;
  return undefined;
}

function matched(slot) {
  const words = fill(gettext("%(name)s is in your room"), { name: slot.name || gettext("A visitor") });
  alertPerson(words);
  find("alert").textContent = words;
  if (slots.indexOf(slot.visit) === chosen) rooms.get(slot.visit)?.focus();
}

function openWrap(wrap) {
  const known = keptWrap(wrap.until_ms);
  const name = known?.visit ?? `wrap-up-${wrap.until_ms}`;
  const room = new Room({ ...known, kind: "wrap_up", visit: name, until_ms: wrap.until_ms }, { act, page, queues, changed: showChosen });
  rooms.set(name, room);
  shelf.append(room.element);
  return room;
}

function close(room) {
  room.close();
  rooms.delete(room.visit);
  if (!room.visit.startsWith("wrap-up")) setTimeout(askDay, 4000); // by then, the visit is in the history
}

/** Show what comes next if the chosen slot is empty. */
function showFree() {
  const before = shelf.querySelector(".room--free");
  if (chosenRoom()) return before?.remove();
  const online = state.state === "online";
  const title = online ? gettext("Free") : state.state === "paused" ? gettext("You are paused") : gettext("You are offline");
  const text = online ? gettext("The next visitor appears here automatically. You can also take one from the line.") : gettext("Go online to get visitors.");
  const card = before ?? h("section", { class: "card room room--free" });
  refill(card, [h("div", { class: "state" }, icon(online ? "chair" : "headset_off"), h("p", { class: "state__title" }, title), h("p", { class: "state__text" }, text), online ? null : h("dl", { class: "console__today" }, ...queuesNow()), h("a", { class: "button button--small", "data-focus": "history", href: "/agent/history/" }, icon("history"), gettext("My history")))]);
  return shelf.append(card);
}

/** Return the number of waiting visitors in each of the agent's queues, shown while no visitor is served. */
function queuesNow() {
  return lines.flatMap((line) => {
    const count = Object.keys(line.data).length;
    return [h("dt", {}, line.queue.name), h("dd", { class: "num" }, fill(ngettext("%(n)s in line", "%(n)s in line", count), { n: countOf(count) }))];
  });
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
  } catch { /* the earlier figures stay */ }
}

// -- starting -------------------------------------------------------------------------------------

const lines = page.queues.map((queue) => new AgentLine(document.querySelector(`[data-line="${CSS.escape(queue.slug)}"]`), queue, {
  user: page.user,
  capacity: page.capacity,
  take: (visit) => take({ visit }),
  why: (visit) => getJSON(`/api/v1/agent/why/${visit}`),
  counted: () => { if (state && state.state !== "online") showFree(); },
}));

/** Take a visitor, and show their room when it comes. */
async function take(body = {}) {
  const answer = await act("take", body);
  if (!answer?.visit) return;
  wanted = answer.visit;
  if (state && rooms.has(wanted)) showRooms(state.slots, false);
}

const banner = new NoticeBanner(find("notices"));
const roomList = new SlotList({ list: find("slots"), count: find("slots-used"), tabs: find("room-tabs"), choose });
roomList.reserve(slots.rows.length);
find("online").addEventListener("click", () => {
  banner.ask();
  act("login");
});
startSoundSwitch(find("sound"));
find("offline").addEventListener("click", () => act("logout"));
document.querySelectorAll("[data-pause]").forEach((button) => button.addEventListener("click", () => act("pause", { reason: button.dataset.pause })));
find("next")?.addEventListener("click", () => take());

onKey("n", () => take());
onKey("f", () => chosenRoom()?.finish());
onKey("a", () => {
  const offer = chosenRoom()?.kind === "offer" ? chosenRoom() : [...rooms.values()].find((room) => room.kind === "offer");
  offer?.accept();
});
onKey("t", () => chosenRoom()?.transfer());
for (let digit = 1; digit <= 9; digit += 1) onKey(String(digit), () => choose(digit - 1));
// outside of a field, the single-key shortcuts work again
shelf.addEventListener("keydown", (event) => { if (event.key === "Escape" && event.target.matches("textarea")) event.target.closest(".room").focus(); });

const keyList = document.querySelector("[data-keys] dl");
for (const [key, words] of [["n", gettext("Take the next visitor")], ["a", gettext("Accept an offer")], ["f", gettext("End the room or the wrap-up")], ["t", gettext("Transfer")], ["1", gettext("Go to room 1 to 9")], ["/", gettext("Saved replies (in a message)")], ["Esc", gettext("Leave the field to use shortcuts")]]) {
  keyList?.append(h("dt", {}, h("kbd", { class: "key" }, key)), h("dd", {}, words));
}
onPersonal("line.typing", (data) => rooms.get(data.visit)?.typing());
stayPresent();
subscribe(`line.agent:${page.user}`, { snapshot: show });
setInterval(() => {
  lines.forEach((line) => line.tick());
  rooms.forEach((room) => room.tick());
  if (state) roomList.draw(slots, chosen, (visit) => rooms.get(visit));
}, 1000);
showDay(page.today);
announce(fill(ngettext("%(n)s queue", "%(n)s queues", page.queues.length), { n: page.queues.length }));
