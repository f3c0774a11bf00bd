// The agent's view of a room in short: its entry in the list of rooms, the facts at its top, why it was assigned.
import { h } from "../../shared/dom.js";
import { clockOf, fill, gettext, spanOf } from "../../shared/words.js";

/** Return the time since a moment: 4:12. */
export const since = (ms) => clockOf((Date.now() - ms) / 1000);

/** Return why this agent was chosen: the reason from the Lua scripts as a sentence. */
export function whyWords(why) {
  const found = /^(fewest rooms longest idle|agent became free) rooms (\d+) idle s (\d+)$/.exec(why);
  if (!found) return handedBy(why);
  const words = found[1] === "agent became free" ? gettext("this visitor was next when you became free (%(rooms)s rooms, idle for %(idle)s)")
    : gettext("you had the fewest rooms (%(rooms)s) and the longest idle time (%(idle)s)");
  return fill(words, { rooms: found[2], idle: spanOf(Number(found[3])) });
}

function handedBy(why) {
  if (why === "taken by the agent") return gettext("you took this visitor");
  const [, how, name] = /^(taken|transferred) by (.+)$/.exec(why) ?? [];
  if (!how) return why;
  return fill(how === "taken" ? gettext("taken by %(name)s") : gettext("transferred by %(name)s"), { name });
}

export const awayWords = (slot) => fill(gettext("Away for %(time)s"), { time: since(slot.away_ms) });

/** Return the facts at the top of a room; `lasted` is the element with the room's duration. */
export function factsOf(slot, began, lasted) {
  const waited = slot.joined ? clockOf((began - Date.parse(slot.joined)) / 1000) : "–";
  const fact = (label, value) => h("div", {}, h("dt", {}, label), value instanceof Element ? value : h("dd", { title: value }, value));
  return h("dl", { class: "room__facts" }, fact(gettext("In the room"), lasted), fact(gettext("Wait"), waited), fact(gettext("Topic"), slot.topic || "–"), fact(gettext("Queue"), slot.queue || "–"));
}

/** Return the values of the saved replies' placeholders in a room. */
export function replyValues(slot, began, agent) {
  const wait = slot.joined ? spanOf((began - Date.parse(slot.joined)) / 1000) : "";
  return { visitor: slot.name, agent, topic: slot.topic, queue: slot.queue, place: slot.place || "", wait };
}

/** Return a room's entry in the list of rooms. */
export function summaryOf(room) {
  const { slot, drawn, talk } = room;
  if (room.until) return { chip: gettext("Wrap-up"), sign: "timer", time: clockOf(room.secondsLeft), words: gettext("The room has ended"), unread: 0 };
  if (drawn === "offer") return { chip: gettext("New visitor"), sign: "notifications", time: clockOf(room.offerLeft), words: gettext("Accept or decline"), unread: 0 };
  const last = talk?.list.querySelector(".talk__row:last-of-type .talk__words")?.textContent.slice(0, 120);
  const words = room.isTyping ? gettext("Typing") : slot.away_ms ? awayWords(slot) : last || slot.queue || "";
  return { chip: slot.topic || "", sign: "", time: since(room.since), words, unread: talk?.receipts.unread ?? 0 };
}
