// A queue's line on the agent's console: place, name, class, skills, wait, and why no agent serves the visitor.
import { followRows } from "../../../live/rows.js";
import { h, icon, setText } from "../../shared/dom.js";
import { languageChip } from "./language.js";
import { verified } from "./verified.js";
import { foldReasons } from "../reasons.js";
import { classChips, countOf, drawWaiting, skillChips, tellWaits, whyButton, whyTitle, waitingRow } from "../waiting.js";
import { fill, gettext, ngettext } from "../../shared/words.js";

const SIGNS = {
  offline: "radio_button_unchecked", paused: "coffee", leaving: "logout", offered: "notifications", away: "heart_broken", at_capacity: "group",
  wrap_up: "edit_note", declined: "block", skill: "school", queue: "call_split", free: "check_circle",
};

export class AgentLine {
  constructor(card, queue, { user, capacity, take, why, counted }) {
    Object.assign(this, { card, queue, user, capacity, take, why, counted });
    this.list = card.querySelector("[data-rows]");
    this.data = {};
    this.opened = "";
    this.me = null;
    followRows(`line.waiting:${queue.slug}`, (rows) => { this.data = rows; this.draw(); });
  }

  showMe(me) {
    const changed = this.me?.state !== me.state || this.me?.slots.length !== me.slots.length;
    this.me = me;
    if (changed) this.draw();
  }

  draw() {
    if (this.opened && !this.data[this.opened]) this.opened = "";
    const all = drawWaiting(this.list, this.data, (visit, row) => this.row(visit, row));
    setText(this.card.querySelector("[data-count]"), fill(ngettext("%(n)s in line", "%(n)s in line", all), { n: countOf(all) }));
    this.card.querySelector("[data-nobody]").hidden = all > 0;
    this.tick();
    this.counted();
  }

  row(visit, row) {
    const name = row.name || gettext("Visitor");
    const language = languageChip(row.language);
    const canTake = this.me?.state === "online" && this.me.slots.length < this.capacity && row.state === "waiting";
    const take = () => h("button", { type: "button", class: "link-button", "data-focus": `take ${visit}`, "aria-label": fill(gettext("Take %(name)s"), { name }), onclick: () => this.take(visit) }, gettext("Take"));
    return waitingRow(visit, row, {
      name: h("span", {}, name),
      chips: [...verified(row), ...classChips(row), ...(row.topic ? [h("span", { class: "chip" }, row.topic)] : []), ...skillChips(row), ...(language ? [language] : [])],
      said: row.words ? [h("p", { class: "queue-row__said" }, icon("chat_bubble", "icon--tiny"), row.words)] : [],
      second: h("span", {}, this.second(row)),
      tools: [whyButton(visit, name, this.opened === visit, (one) => this.toggle(one)), ...(canTake ? [take()] : [])],
      why: this.opened === visit ? this.whyBox(name) : null,
    });
  }

  /** Return one line on why this visitor is not served yet. */
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

  whyBox(name) {
    const rows = this.reasons ?? [];
    const words = h("dl", {});
    for (const row of foldReasons(rows)) {
      words.append(h("dt", {}, icon(SIGNS[row.reason] ?? "help", "icon--tiny"), row.agent === this.user ? gettext("You") : row.name || gettext("An agent")), h("dd", {}, row.words));
    }
    if (this.reasons && !rows.length) words.append(h("dd", {}, gettext("No agents serve this queue.")));
    if (!this.reasons) words.append(h("dd", {}, gettext("Loading…")));
    return h("section", { class: "queue-row__why" }, h("h3", {}, icon("help", "icon--small"), whyTitle(name)), words);
  }

  tick() {
    if (this.opened && Date.now() - this.askedAt > 5000) this.ask(this.opened);
    tellWaits(this.list);
  }
}
