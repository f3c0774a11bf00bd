// A queue's line on the agent's console: place, name, class, skills, wait, and why nobody serves.
import { subscribe } from "../../../live.js";
import { h, icon, setText } from "../../shared/dom.js";
import { languageChip } from "./language.js";
import { verified } from "./verified.js";
import { foldReasons } from "../reasons.js";
import { clockOf, fill, gettext, ngettext } from "../../shared/words.js";

const NORMAL = 5; // the class of everybody who asked for none
const SHOWN = 50;
const SIGNS = {
  offline: "radio_button_unchecked", paused: "coffee", leaving: "logout", offered: "notifications", away: "heart_broken", at_capacity: "group",
  wrap_up: "edit_note", declined: "block", skill: "school", queue: "call_split", free: "check_circle",
};

export class AgentLine {
  constructor(card, queue, { user, capacity, take, why, counted }) {
    Object.assign(this, { card, queue, user, capacity, take, why, counted });
    this.list = card.querySelector("[data-rows]");
    this.rows = new Map();
    this.data = {};
    this.opened = "";
    this.me = null;
    subscribe(`line.waiting:${queue.slug}`, {
      snapshot: (data) => this.show(data.rows),
      change: ({ set, gone }) => {
        const next = { ...this.data, ...set };
        for (const visit of gone) delete next[visit];
        this.show(next);
      },
    });
  }

  show(data) {
    this.data = data;
    this.draw();
  }

  showMe(me) {
    const changed = this.me?.state !== me.state || this.me?.slots.length !== me.slots.length;
    this.me = me;
    if (changed) this.draw();
  }

  draw() {
    const ordered = Object.entries(this.data).sort(([, one], [, other]) => one.place - other.place);
    setText(this.card.querySelector("[data-count]"), fill(ngettext("%(n)s in line", "%(n)s in line", ordered.length), { n: ordered.length }));
    this.card.querySelector("[data-nobody]").hidden = ordered.length > 0;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
    this.list.replaceChildren(...ordered.slice(0, SHOWN).map(([visit, row]) => this.row(visit, row)));
    if (focused) this.list.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    if (this.opened && !this.data[this.opened]) this.opened = "";
    this.tick();
    this.counted();
  }

  row(visit, row) {
    const open = this.opened === visit;
    const name = row.name || gettext("Visitor");
    const chips = verified(row);
    if (row.priority < NORMAL) chips.push(h("span", { class: "chip chip--line" }, icon("star"), fill(gettext("Class %(n)s"), { n: row.priority })));
    if (row.topic) chips.push(h("span", { class: "chip" }, row.topic));
    for (const [skill, level] of Object.entries(row.skills ?? {})) chips.push(h("span", { class: "chip" }, `${skill} ≥ ${level}`));
    const language = languageChip(row.language);
    if (language) chips.push(language);
    const canTake = this.me?.state === "online" && this.me.slots.length < this.capacity && row.state === "waiting";
    return h(
      "li",
      { class: `queue-row${open ? " queue-row--open" : ""}${row.state === "away" ? " queue-row--away" : ""}`, "data-visit-row": visit },
      h("span", { class: "queue-row__place num" }, String(row.place + 1)),
      h("div", { class: "queue-row__name" }, h("span", {}, name), ...chips),
      h("time", { class: "queue-row__wait num", "data-arrived": String(row.arrived_ms) }, clockOf((Date.now() - row.arrived_ms) / 1000)),
      row.words ? h("p", { class: "queue-row__said" }, icon("chat_bubble", "icon--tiny"), row.words) : null,
      h(
        "div",
        { class: "queue-row__more" },
        h("span", {}, this.second(row)),
        h(
          "span",
          { class: "queue-row__tools" },
          h("button", { type: "button", class: "link-button", "data-focus": `why ${visit}`, "aria-expanded": String(open), "aria-label": fill(gettext("Why %(name)s is still waiting"), { name }), onclick: () => this.toggle(visit) }, open ? gettext("Hide why") : gettext("Why")),
          canTake ? h("button", { type: "button", class: "link-button", "data-focus": `take ${visit}`, "aria-label": fill(gettext("Take %(name)s"), { name }), onclick: () => this.take(visit) }, gettext("Take")) : null,
        ),
      ),
      open ? this.whyBox(visit, name) : null,
    );
  }

  /** One line of why this visitor is not served now. */
  second(row) {
    if (row.why) return row.why;
    if (row.state === "away") return gettext("Away, place held");
    if (row.state === "offered") return gettext("Offered to an agent");
    if (row.place === 0) return gettext("Next in line");
    return fill(ngettext("Behind %(n)s visitor", "Behind %(n)s visitors", row.place), { n: row.place });
  }

  toggle(visit) {
    this.opened = this.opened === visit ? "" : visit;
    this.reasons = null;
    this.askedAt = 0;
    this.draw();
  }

  async ask(visit) {
    this.askedAt = Date.now();
    try {
      this.reasons = (await this.why(visit)).agents;
    } catch {
      this.reasons = [];
    }
    if (this.opened === visit) this.draw();
  }

  whyBox(visit, name) {
    const rows = this.reasons ?? [];
    const words = h("dl", {});
    for (const row of foldReasons(rows)) {
      words.append(h("dt", {}, icon(SIGNS[row.reason] ?? "help", "icon--tiny"), row.agent === this.user ? gettext("You") : row.name || gettext("An agent")), h("dd", {}, row.words));
    }
    if (this.reasons && !rows.length) words.append(h("dd", {}, gettext("No agents serve this queue.")));
    if (!this.reasons) words.append(h("dd", {}, gettext("Loading…")));
    return h("section", { class: "queue-row__why" }, h("h3", {}, icon("help", "icon--small"), fill(gettext("Why %(name)s is still waiting"), { name })), words);
  }

  tick() {
    if (this.opened && Date.now() - this.askedAt > 5000) this.ask(this.opened);
    for (const time of this.list.querySelectorAll("[data-arrived]")) setText(time, clockOf((Date.now() - Number(time.dataset.arrived)) / 1000));
  }
}
