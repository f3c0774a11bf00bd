// The floor's agents, those who need attention first. A new order waits 2 s, and never comes while the pointer or the
// focus is on the rows, or a menu is open.
import { h, icon, setText } from "../../shared/dom.js";
import { redraw, refill } from "../../shared/figures.js";
import { LiveTable } from "../../shared/live_table.js";
import { pauseWords } from "../reasons.js";
import { ageOf, clockOf, figure, fill, gettext, initialsOf, ngettext, spanOf } from "../../shared/words.js";

const ORDER_MS = 2000;
const LONG_ROOM_SECONDS = 600;
const MISSED_MANY = 2;
const STATES = {
  away: ["heart_broken", gettext("No heartbeat"), "chip--bad"], paused: ["pause_circle", gettext("Paused"), "chip--warn"], room: ["forum", gettext("In room"), "chip--info"],
  offer: ["notifications_active", gettext("Has an offer"), "chip--info"], wrap_up: ["edit_note", gettext("Wrap-up"), ""], free: ["check_circle", gettext("Free"), "chip--ok"],
};
const SIGNS = { ...STATES, offline: ["radio_button_unchecked", gettext("Offline")] };
const find = (name) => document.querySelector(`[data-${name}]`);

export class FloorAgents {
  constructor({ verbs, now }) {
    Object.assign(this, { verbs, now });
    this.body = find("agents");
    this.table = new LiveTable("agents", this.columns(), { mark: (line, { id }) => { line.dataset.agent = id; } });
    this.order = [];
    this.wantedAt = 0; // since when another order is wanted; 0 if the current order is right
    this.state = "";
    this.seen = "";
    for (const name of ["find", "skill", "queue"]) find(name).addEventListener("input", () => this.draw(true));
  }

  show(data) {
    this.data = data;
    this.fillChoice("skill", [...new Set(data.agents.flatMap((agent) => agent.skills.map((skill) => skill.name)))].sort().map((name) => [name, name]));
    this.fillChoice("queue", data.queues.map((queue) => [queue.slug, queue.name]).sort(([, one], [, other]) => one.localeCompare(other)));
    this.draw();
  }

  /** Show only the agents of one queue. */
  showQueue(slug) {
    find("queue").value = slug;
    this.draw(true);
  }

  fillChoice(name, choices) {
    const select = find(name);
    const wanted = JSON.stringify(choices);
    if (select.dataset.filled === wanted) return;
    const { value } = select;
    select.dataset.filled = wanted;
    select.replaceChildren(select.firstElementChild, ...choices.map(([key, words]) => h("option", { value: key }, words)));
    select.value = choices.some(([key]) => key === value) ? value : "";
  }

  matches(agent) {
    const text = find("find").value.trim().toLowerCase();
    const names = [agent.name, ...agent.slots.map((slot) => slot.name)];
    return (!text || names.some((name) => name.toLowerCase().includes(text)))
      && (!find("skill").value || agent.skills.some((skill) => skill.name === find("skill").value))
      && (!find("queue").value || agent.queues.includes(find("queue").value));
  }

  /** `atOnce`: apply a new order at once, because the user asked for it. */
  draw(atOnce = false) {
    if (!this.data) return;
    const among = this.data.agents.filter((agent) => this.matches(agent));
    this.drawStates(among);
    const shown = among.filter((agent) => !this.state || stateOf(agent) === this.state);
    this.setOrder(shown.map((agent) => agent.id), atOnce);
    const known = new Map(shown.map((agent) => [agent.id, agent]));
    this.table.draw(this.order.map((id) => [id, known.get(id)]));
    this.drawNone(shown);
    this.drawOffline();
    this.drawFoot();
  }

  // -- the order ------------------------------------------------------------------------------------

  get isHeld() {
    return this.verbs.isOpen || this.body.matches(":hover") || this.body.matches(":focus-within");
  }

  setOrder(ids, atOnce) {
    const wanted = ids.join();
    if (this.order.join() === wanted) { this.wantedAt = 0; return; }
    const now = this.now();
    this.wantedAt ||= now;
    if (atOnce || !this.order.length || (!this.isHeld && now - this.wantedAt >= ORDER_MS)) {
      this.order = ids;
      this.wantedAt = 0;
      return;
    }
    const there = new Set(ids); // until then, new agents come last
    this.order = [...this.order.filter((id) => there.has(id)), ...ids.filter((id) => !this.order.includes(id))];
  }

  // -- a row ----------------------------------------------------------------------------------------

  columns() {
    return [
      { head: true, look: "name", told: (agent) => `${agent.name} ${this.minutes(agent)}`, parts: (agent) => this.who(agent) },
      { label: gettext("State"), runs: true, write: (cell, agent) => this.putState(cell, agent) },
      { label: gettext("Rooms"), runs: true, write: (cell, agent) => this.putRooms(cell, agent) },
      { label: gettext("Skills"), told: ({ skills }) => JSON.stringify(skills), parts: skillsOf },
      { label: gettext("Served"), look: "right", text: ({ served }) => figure(served) },
      { label: gettext("Mean"), look: "right", text: (agent) => (agent.mean_seconds === null ? "–" : clockOf(agent.mean_seconds)) },
      { label: gettext("Missed"), look: "right", write: putMissed },
      { label: gettext("Last seen"), look: "right", runs: true, write: (cell, agent) => this.putSeen(cell, agent) },
      ...(this.verbs.mayAct ? [{ look: "right", told: ({ name }) => name, parts: (agent) => [this.menuButton(agent)] }] : []),
    ];
  }

  menuButton({ id, name }) {
    return h("button", { type: "button", class: "row-menu", "data-verb": "", "data-focus": `menu ${id}`, "aria-haspopup": "true", "aria-expanded": "false", "aria-label": fill(gettext("Actions for %(name)s"), { name }), disabled: this.verbs.stale, onclick: (event) => this.verbs.toggle(event.currentTarget, this.table.row(id)) }, icon("more_horiz"));
  }

  minutes(agent) {
    return Math.floor((this.now() - agent.login) / 60_000);
  }

  who(agent) {
    const minutes = this.minutes(agent);
    const shift = minutes < 1 ? gettext("On shift less than a minute") : fill(gettext("On shift %(t)s"), { t: spanOf(minutes * 60) });
    return [h("span", { class: "floor__who" }, h("span", { class: "floor__face", "aria-hidden": "true" }, initialsOf(agent.name)), h("span", {}, h("b", {}, agent.name), h("small", {}, shift)))];
  }

  putState(cell, agent) {
    const [sign, words, look] = STATES[agent.state];
    redraw(cell, agent.state, () => [h("span", { class: "floor__state" }, h("span", { class: `chip ${look}` }, icon(sign), words), h("span", { class: "num", "data-since": "" })), h("small", { "data-second": "" })]);
    const passed = agent.since ? (this.now() - agent.since) / 1000 : 0;
    const left = Math.max(0, ...agent.slots.map((slot) => (slot.until ? (slot.until - this.now()) / 1000 : 0)));
    const over = agent.limit_seconds ? passed - agent.limit_seconds : 0;
    const since = cell.querySelector("[data-since]");
    setText(since, clockOf(agent.state === "wrap_up" ? left : passed));
    since.className = `num ${agent.state === "away" ? "floor__bad" : over > 0 || (agent.state === "room" && passed > LONG_ROOM_SECONDS) ? "floor__warn" : ""}`;
    setText(cell.querySelector("[data-second]"), secondWords(agent, over, left));
  }

  putRooms(cell, agent) {
    redraw(cell, JSON.stringify([agent.slots, agent.capacity]), () => this.rooms(agent));
    const now = this.now();
    for (const time of cell.querySelectorAll("[data-slot-since]")) {
      const [begun, until] = [Number(time.dataset.slotSince), Number(time.dataset.slotUntil)];
      setText(time, until ? clockOf((until - now) / 1000) : begun ? clockOf((now - begun) / 1000) : "");
      time.classList.toggle("floor__warn", !until && begun > 0 && now - begun > LONG_ROOM_SECONDS * 1000);
    }
  }

  putSeen(cell, agent) {
    setText(cell, agent.heard ? ageOf(Math.max(0, (this.now() - agent.heard) / 1000)) : "–");
    cell.classList.toggle("floor__bad", agent.state === "away");
  }

  rooms(agent) {
    const used = agent.slots.length;
    const boxes = Array.from({ length: agent.capacity }, (_, index) => h("i", { class: `floor__slot floor__slot--${agent.slots[index]?.kind ?? "none"}` }));
    const names = agent.slots.map((slot) => {
      const name = slot.kind === "wrap_up" ? gettext("Wrap-up") : slot.name || gettext("Visitor");
      const told = slot.visit && this.verbs.mayAct ? h("a", { href: this.verbs.storyOf(slot.visit) }, name) : h("span", {}, name);
      return h("span", { class: "floor__visitor" }, told, h("time", { class: "num", "data-slot-since": String(slot.since || 0), "data-slot-until": String(slot.until || 0) }));
    });
    return [h("span", { class: "floor__rooms" }, h("span", {}, h("span", { class: "floor__slots", "aria-hidden": "true" }, ...boxes), h("small", {}, fill(gettext("%(n)s of %(all)s"), { n: used, all: agent.capacity }))), h("span", {}, ...(names.length ? names : [h("span", { class: "muted" }, gettext("No visitor"))])))];
  }

  // -- around the rows ------------------------------------------------------------------------------

  drawStates(among) {
    const counts = new Map([["", among.length], ...Object.keys(STATES).filter((state) => state !== "offer").map((state) => [state, among.filter((agent) => stateOf(agent) === state).length]), ["offline", this.data.offline.length]]);
    const wanted = JSON.stringify([[...counts], this.state]);
    if (this.seen === wanted) return;
    this.seen = wanted;
    const box = find("states");
    refill(box, [...counts].map(([state, n]) => h("button", { type: "button", "data-state": state, "data-focus": `state ${state}`, "aria-pressed": String(this.state === state), onclick: () => { this.state = this.state === state ? "" : state; this.draw(true); } },
      h("span", { class: `floor__key floor__key--${state || "all"}` }, state ? icon(SIGNS[state][0], "icon--tiny") : null, state ? SIGNS[state][1] : gettext("Online"), " ", h("b", {}, figure(n))))));
  }

  drawNone(shown) {
    find("agents-none").hidden = shown.length > 0 || this.state === "offline";
    setText(find("agents-none-title"), this.data.agents.length ? gettext("No agents match") : gettext("No agents online"));
  }

  drawOffline() {
    const { offline } = this.data;
    const box = find("offline");
    box.hidden = !offline.length;
    if (this.state === "offline") box.open = true;
    setText(find("offline-count"), fill(ngettext("%(n)s offline", "%(n)s offline", offline.length), { n: figure(offline.length) }));
    setText(find("offline-some"), offline.slice(0, 4).join(gettext(", ")) + (offline.length > 4 ? " …" : ""));
    redraw(find("offline-all"), offline.join("\n"), () => offline.map((name) => h("li", {}, name)));
  }

  drawFoot() {
    const { served, mean_seconds: mean, missed } = this.data;
    const words = [fill(ngettext("%(n)s served today", "%(n)s served today", served), { n: figure(served) })];
    if (mean !== null) words.push(fill(gettext("mean room %(t)s"), { t: clockOf(mean) }));
    words.push(fill(ngettext("%(n)s missed offer", "%(n)s missed offers", missed), { n: figure(missed) }));
    setText(find("foot"), words.join(" · "));
  }

  tick() {
    if (this.wantedAt) this.draw();
  }
}

const stateOf = (agent) => (agent.state === "offer" ? "room" : agent.state);

function secondWords(agent, over, left) {
  const reason = pauseWords(agent.reason);
  if (agent.state === "paused") return over > 0 ? fill(gettext("%(reason)s, %(t)s over"), { reason, t: ageOf(over) }) : reason;
  if (agent.state === "wrap_up") return fill(gettext("Free in %(t)s"), { t: clockOf(left) });
  if (agent.pending === "pause") return reason ? fill(gettext("Then a pause: %(reason)s"), { reason }) : gettext("Then a pause");
  if (agent.pending === "logout") return gettext("Then offline");
  return agent.state === "offer" ? gettext("Has an offer to answer") : "";
}

const skillsOf = ({ skills }) => (skills.length ? skills.map((skill) => h("span", { class: "chip" }, `${skill.name} ${skill.level}`)) : ["–"]);

function putMissed(cell, { missed }) {
  setText(cell, figure(missed));
  cell.classList.toggle("floor__warn", missed >= MISSED_MANY);
}
