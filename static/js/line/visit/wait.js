// What a waiting visitor sees: the place, the visitors ahead and behind, and the expected wait.
import { announce, setText, svg } from "../../shared/dom.js";
import { clockOf, fill, gettext, ngettext } from "../../shared/words.js";

const DOTS = 7;
const find = (name) => document.querySelector(`[data-${name}]`);

/** Format a range: "4 to 9 min". Minutes only, because no one could keep a promise in seconds. */
export function rangeWords([low, high]) {
  const [from, until] = [Math.floor(low / 60), Math.max(1, Math.ceil(high / 60))];
  if (until === 1) return gettext("less than a minute");
  return from >= until ? fill(gettext("%(m)s min"), { m: until }) : fill(gettext("%(low)s to %(high)s min"), { low: from, high: until });
}

export function showPlace({ ahead, waiting, queueName, offered, estimate }) {
  const number = ahead === null ? "–" : String(ahead + 1);
  setText(find("place-label"), fill(gettext("Your place in the %(queue)s line"), { queue: queueName }));
  const changed = setText(find("place"), number);
  let before = "";
  if (offered) before = gettext("We're asking an agent now");
  else if (ahead === 0) before = gettext("You're next");
  else if (ahead !== null) before = fill(ngettext("%(n)s person is ahead of you", "%(n)s people are ahead of you", ahead), { n: ahead });
  setText(find("before"), before);
  showDots(ahead ?? 0, Math.max(0, (waiting ?? 0) - (ahead ?? 0) - 1));
  if (changed && ahead !== null) {
    const wait = estimate ? ` ${fill(gettext("Expected wait: %(range)s."), { range: rangeWords(estimate) })}` : "";
    announce(fill(gettext("You're number %(n)s in line."), { n: number }) + wait);
  }
}

function showDots(ahead, behind) {
  const before = Math.min(ahead, DOTS - 2);
  const after = Math.min(behind, DOTS - 1 - before);
  const box = find("dots");
  const wanted = `${before},${after}`;
  if (box.dataset.shown === wanted) return;
  box.dataset.shown = wanted;
  const dot = (name, text = "") => Object.assign(document.createElement("span"), { className: name, textContent: text });
  box.replaceChildren(
    ...Array.from({ length: before }, () => dot("visit__dot visit__dot--before")),
    dot("visit__you", gettext("You")),
    ...Array.from({ length: after }, () => dot("visit__dot")),
  );
}

/** Describe the agents in numbers. If the visitor needs skills, say that agents with them are asked first. */
function agentWords(agents, needs) {
  const doing = [
    [agents.talking, gettext("%(n)s with visitors")],
    [agents.wrap_up, gettext("%(n)s finishing up")],
    [agents.paused, gettext("%(n)s on a break")],
    [agents.free, gettext("%(n)s free")],
  ].filter(([n]) => n).map(([n, words]) => fill(words, { n }));
  const all = fill(ngettext("%(n)s agent online: %(doing)s.", "%(n)s agents online: %(doing)s.", agents.agents), { n: agents.agents, doing: doing.join(gettext(", ")) });
  return needs?.length ? `${all} ${fill(gettext("We ask agents for %(skills)s first."), { skills: needs.join(gettext(", ")) })}` : all;
}

export function showWait({ estimate, joined, online, promises, agents, needs }) {
  setText(find("range"), estimate ? rangeWords(estimate) : gettext("We can't estimate yet"));
  setText(find("waited"), clockOf((Date.now() - joined) / 1000));
  const words = [];
  if (online && agents?.agents) words.push(agentWords(agents, needs));
  else if (online) words.push(fill(ngettext("%(n)s agent is online.", "%(n)s agents are online.", online), { n: online }));
  else if (online === 0) words.push(gettext("No agents are online right now. You keep your place."));
  if (promises) words.push(fill(gettext("In the last 24 hours, %(inside)s of %(of)s visitors were served within the time range we gave them."), promises));
  setText(find("agents"), words.join(" "));
  showBar(estimate);
}

function showBar(estimate) {
  const bar = find("range-bar");
  bar.toggleAttribute("hidden", !estimate);
  if (!estimate) return;
  const [low, high] = [Math.floor(estimate[0] / 60), Math.max(1, Math.ceil(estimate[1] / 60))];
  const most = [2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 240, 480].find((minutes) => minutes >= high * 1.3) ?? high * 2;
  const x = (minutes) => (300 * minutes) / most;
  bar.setAttribute("aria-label", rangeWords(estimate));
  bar.replaceChildren(
    svg("rect", { class: "visit__track", x: 0, y: 10, width: 300, height: 8, rx: 4 }),
    svg("rect", { class: "visit__span", x: x(low), y: 10, width: Math.max(3, x(high) - x(low)), height: 8 }),
    ...[low, high].map((at) => svg("rect", { class: "visit__tick", x: Math.max(0, x(at) - 1), y: 7, width: 2, height: 14 })),
    svg("text", { x: 0, y: 38, class: low > most * 0.2 ? "" : "visit__none" }, gettext("now")),
    svg("text", { x: Math.max(4, x(low)), y: 38, class: "visit__mark-text", "text-anchor": low ? "middle" : "start" }, String(low)),
    svg("text", { x: x(high), y: 38, class: "visit__mark-text", "text-anchor": "middle" }, fill(gettext("%(m)s min"), { m: high })),
    svg("text", { x: 300, y: 38, "text-anchor": "end" }, fill(gettext("%(m)s min"), { m: most })),
  );
}
