// The parts of a wallboard: the queues' cards, the agents' tiles, the day's chart, the notes.
import { h, icon, svg } from "../../shared/dom.js";
import { pauseWords } from "../reasons.js";
import { ageOf, clockOf, figure, fill, gettext, ngettext, percent, timeExactOf, timeOf } from "../../shared/words.js";

const looks = {
  lost: ["heart_broken", gettext("Lost")], away: ["heart_broken", gettext("Away")], free: ["check_circle", gettext("Free")], offer: ["notifications_active", gettext("Has an offer")],
  wrap_up: ["edit_note", gettext("Wrap-up")], paused: ["pause_circle", gettext("Paused")], room: ["forum", gettext("In room")],
};
const order = ["room", "free", "offer", "wrap_up", "paused", "away", "lost"];
const LONG_ROOM_SECONDS = 600;
let data = null;
let moment = null; // the moment that is shown; null = now
const nowMs = () => moment ?? Date.now();

const secondsSince = (ms) => (ms ? Math.max(0, (nowMs() - ms) / 1000) : null);

/** Draw a half ring filled by the share, with a tick at the goal. */
function gauge(share, goal, bad) {
  const arc = "M 12 70 A 58 58 0 0 1 128 70";
  const angle = Math.PI * (1 - goal);
  const at = (radius) => [70 + radius * Math.cos(angle), 70 - radius * Math.sin(angle)];
  const [x1, y1] = at(48);
  const [x2, y2] = at(68);
  return svg("svg", { viewBox: "0 0 140 78", class: "board__gauge", "aria-hidden": "true" },
    svg("path", { d: arc, class: "board__ring", pathLength: "100" }),
    svg("path", { d: arc, class: `board__ring board__ring--${bad ? "bad" : "ok"}`, pathLength: "100", "stroke-dasharray": `${Math.round(share * 100)} 100` }),
    svg("line", { x1, y1, x2, y2, class: "board__goal" }));
}

function bar(agents) {
  const total = Object.values(agents).reduce((sum, n) => sum + n, 0);
  if (!total) return [h("div", { class: "board__bar" }), h("p", { class: "board__small" }, gettext("No agents on shift"))];
  let x = 0;
  const parts = order.filter((state) => agents[state]).map((state) => {
    const width = (agents[state] / total) * 100;
    const part = svg("rect", { x, y: 0, width: Math.max(0, width - 0.6), height: 4, class: `board__part board__part--${state}` });
    x += width;
    return part;
  });
  const words = order.filter((state) => agents[state]).map((state) => `${figure(agents[state])} ${looks[state][1].toLowerCase()}`);
  return [svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "board__bar", "aria-hidden": "true" }, ...parts), h("p", { class: "board__small" }, words.join(" · "))];
}

function queueCard(queue) {
  const waited = secondsSince(queue.oldest_ms);
  const late = queue.waiting > 0 && waited > queue.alarm_seconds;
  const opens = queue.opens ? timeOf(new Date(queue.opens)) : "";
  const chip = late ? h("span", { class: "chip chip--bad" }, icon("error"), fill(gettext("Over %(t)s"), { t: ageOf(queue.alarm_seconds) }))
    : queue.open ? null : h("span", { class: "chip" }, icon("dark_mode"), gettext("Closed"));
  const bad = queue.level !== null && queue.level < queue.goal;
  const side = queue.open || queue.level !== null
    ? h("div", { class: "board__level" }, queue.level === null ? h("span", { class: "board__small" }, gettext("No visitors offered yet")) : gauge(queue.level, queue.goal, bad), queue.level === null ? null : h("b", {}, percent(queue.level, 0)),
      h("span", { class: "board__small" }, fill(gettext("In %(s)s s, goal %(p)s"), { s: queue.within, p: percent(queue.goal, 0) })))
    : h("div", { class: "board__level" }, h("span", { class: "board__small" }, opens ? fill(gettext("opens %(t)s"), { t: opens }) : gettext("closed")));
  const small = (value, word, hot) => h("div", {}, h("b", { class: `board__figure${hot ? " board__figure--bad" : ""}` }, value), h("span", { class: "board__small" }, word));
  return h("section", { class: `board__card board__queue${late ? " board__queue--bad" : ""}`, "aria-label": queue.name },
    h("div", { class: "board__title" }, h("h2", {}, queue.name), chip),
    h("div", { class: "board__pair" }, h("div", {}, h("b", { class: "board__big" }, figure(queue.waiting)), h("span", { class: "board__small" }, gettext("waiting"))), side),
    h("div", { class: "board__three" }, small(queue.waiting ? clockOf(waited) : "–", gettext("longest"), late), small(figure(queue.served), gettext("served today")), small(percent(queue.gave_up), gettext("gave up"))),
    queue.promises ? h("p", { class: "board__small" }, fill(gettext("Inside wait range: %(p)s of %(of)s in 24 h"), { p: percent(queue.promises.inside / queue.promises.of, 0), of: figure(queue.promises.of) })) : null,
    ...bar(queue.agents),
    queue.shared ? h("p", { class: "board__small" }, fill(ngettext("%(n)s also serves other queues", "%(n)s also serve other queues", queue.shared), { n: figure(queue.shared) })) : null);
}

function agentTile(agent) {
  const passed = secondsSince(agent.since);
  const rooms = agent.rooms > 1 ? `${fill(gettext("%(n)s rooms"), { n: agent.rooms })}, ` : "";
  const long = agent.state === "room" && passed > LONG_ROOM_SECONDS;
  const words = {
    lost: () => fill(gettext("no heartbeat %(t)s"), { t: ageOf(passed) }),
    away: () => fill(gettext("away %(t)s"), { t: clockOf(passed) }),
    free: () => fill(gettext("free %(t)s"), { t: clockOf(passed) }),
    offer: () => gettext("offered a visitor"),
    wrap_up: () => fill(gettext("wrap-up %(t)s"), { t: clockOf((agent.until - nowMs()) / 1000) }),
    paused: () => `${pauseWords(agent.word) || gettext("paused")} ${ageOf(passed)}`,
    room: () => rooms + (long ? fill(gettext("%(t)s, long"), { t: clockOf(passed) }) : clockOf(passed)),
  };
  const text = (words[agent.state] ?? words.free)();
  return h("div", { class: `board__agent board__agent--${agent.state}${long ? " board__agent--long" : ""}` }, icon(looks[agent.state]?.[0] ?? "person"),
    h("div", {}, h("b", {}, agent.name), h("span", { class: "num" }, text)));
}

function chart(buckets) {
  const [width, height, left, bottom] = [440, 250, 32, 24];
  const most = Math.max(4, ...buckets.map((bucket) => bucket.served + bucket.gave_up));
  const top = Math.ceil(most / 4) * 4;
  const y = (value) => (height - bottom) * (1 - value / top) + 6;
  const step = (width - left) / buckets.length;
  const grid = [0, top / 2, top].map((value) => svg("g", {}, svg("line", { x1: left, x2: width, y1: y(value), y2: y(value), class: "board__grid" }), label(left - 6, y(value) + 4, figure(value), "end")));
  const bars = buckets.map((bucket, place) => {
    const x = left + place * step + step * 0.12;
    const title = svg("title", {}, `${timeOf(new Date(bucket.at))}: ${fill(gettext("%(a)s served, %(b)s gave up"), { a: bucket.served, b: bucket.gave_up })}`);
    const low = y(bucket.served);
    return svg("g", {}, title,
      svg("rect", { x, width: step * 0.76, y: low, height: Math.max(0, y(0) - low), class: "board__served" }),
      svg("rect", { x, width: step * 0.76, y: y(bucket.served + bucket.gave_up), height: Math.max(0, low - y(bucket.served + bucket.gave_up) - 1), class: "board__gone" }),
      ...(place % 2 ? [] : [label(x + step * 0.38, height, timeOf(new Date(bucket.at)), "middle")]));
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height + 4}`, class: "board__plot", role: "img", "aria-label": gettext("Visitors per 15 min") }, ...grid, ...bars);
}
const label = (x, y, text, anchor) => svg("text", { x, y, class: "board__label", "text-anchor": anchor }, text);

function notes() {
  const found = [];
  for (const queue of data.queues) {
    const free = data.queues.filter((other) => other !== queue && other.agents.free && !other.waiting);
    if (queue.waiting && queue.oldest_ms && secondsSince(queue.oldest_ms) > queue.alarm_seconds) {
      found.push(["error", "bad", fill(gettext("Wait too long in %(queue)s: not enough agents"), { queue: queue.name })]);
      if (free.length) found.push(["lightbulb", "ok", fill(gettext("Agents in %(queue)s are free"), { queue: free[0].name })]);
    }
  }
  found.push(data.drift ? ["gpp_bad", "bad", fill(gettext("Consistency check: %(n)s errors"), { n: data.drift })] : ["verified", "ok", gettext("Consistency check: no errors")]);
  return found.map(([name, look, text]) => h("li", { class: `board__note board__note--${look}` }, icon(name), text));
}

/** Show the agents who are not on shift in one folded line. */
function showOffline(names) {
  const box = document.querySelector("[data-offline]");
  if (!box) return;
  box.hidden = !names.length;
  box.querySelector("summary").textContent = fill(ngettext("%(n)s offline", "%(n)s offline", names.length), { n: figure(names.length) });
  box.querySelector("p").textContent = names.join(gettext(", "));
}

/** Return the names of the queues whose visitors wait too long. */
export function lateOf(state) {
  return state.queues.filter((queue) => queue.waiting && secondsSince(queue.oldest_ms) > queue.alarm_seconds).map((queue) => queue.name).join();
}

/** Draw a desk's state; `at` (ms) shows all running times as of that moment. */
export function draw(next = data, at = null) {
  data = next;
  moment = at;
  document.querySelector("[data-sum]").textContent = `${fill(ngettext("%(n)s waiting", "%(n)s waiting", data.waiting), { n: figure(data.waiting) })} · ${fill(ngettext("%(n)s served today", "%(n)s served today", data.served), { n: figure(data.served) })}`;
  document.querySelector("[data-queues]").replaceChildren(...(data.queues.length ? data.queues.map(queueCard) : [h("p", { class: "board__small" }, gettext("This desk has no queues yet."))]));
  document.querySelector("[data-agents]").replaceChildren(...(data.agents.length ? data.agents.map(agentTile) : [h("p", { class: "board__small" }, gettext("No agents are online."))]));
  document.querySelector("[data-states]").replaceChildren(...order.filter((state) => data.states[state]).map((state) => h("span", { class: "board__key" }, icon(looks[state][0]), looks[state][1], " ", h("b", {}, figure(data.states[state])))));
  const more = document.querySelector("[data-more]");
  more.hidden = !data.more_agents;
  more.textContent = fill(gettext("and %(n)s more"), { n: figure(data.more_agents) });
  showOffline(data.offline ?? []);
  document.querySelector("[data-chart]").replaceChildren(chart(data.chart));
  document.querySelector("[data-notes]").replaceChildren(...notes());
  document.querySelector("[data-now]").textContent = timeExactOf(nowMs());
}
