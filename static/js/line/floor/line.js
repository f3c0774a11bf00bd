// The chosen queue's line on the floor: one sentence of why for each visitor, opened agent by agent.
import { subscribe } from "../../../live.js";
import { getJSON, h, icon, setText } from "../../shared/dom.js";
import { foldReasons } from "../reasons.js";
import { clockOf, fill, gettext } from "../../shared/words.js";

const NORMAL = 5; // the class of everybody who asked for none
const SHOWN = 50;
const ASK_MS = 5000; // how old the sentences may be
const find = (name) => document.querySelector(`[data-${name}]`);

export class FloorLine {
  constructor({ page, verbs, now }) {
    Object.assign(this, { page, verbs, now });
    this.list = find("line");
    this.rows = {};
    this.whys = new Map();
    this.opened = "";
    this.reasons = null;
    this.askedAt = 0;
  }

  /** Show this queue's line; null = the desk has no queue. */
  watch(queue) {
    if (queue) setText(find("line-agents"), fill(gettext("Show agents (%(n)s)"), { n: queue.online }));
    if (this.queue?.slug === queue?.slug) return;
    this.stop?.();
    this.queue = queue;
    this.opened = "";
    this.whys.clear();
    this.show({});
    setText(find("line-title"), queue ? fill(gettext("Waiting in %(queue)s"), { queue: queue.name }) : gettext("No queues yet"));
    if (!queue) return;
    this.stop = subscribe(`line.waiting:${queue.slug}`, {
      snapshot: (data) => this.show(data.rows),
      change: ({ set, gone }) => {
        const next = { ...this.rows, ...set };
        for (const visit of gone) delete next[visit];
        this.show(next);
      },
    });
  }

  show(rows) {
    const came = Object.keys(rows).some((visit) => !this.whys.has(visit));
    this.rows = rows;
    if (came) this.askedAt = 0;
    this.draw();
    this.tick();
  }

  draw() {
    const all = Object.entries(this.rows).sort(([, one], [, other]) => one.place - other.place);
    setText(find("line-count"), String(all.length));
    find("line-none").hidden = all.length > 0;
    if (this.opened && !this.rows[this.opened]) this.opened = "";
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
    this.list.replaceChildren(...all.slice(0, SHOWN).map(([visit, row]) => this.row(visit, row)));
    if (focused) this.list.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    this.times();
  }

  row(visit, row) {
    const name = row.name || gettext("Visitor");
    const open = this.opened === visit;
    const chips = [];
    if (row.priority < NORMAL) chips.push(h("span", { class: "chip chip--line" }, icon("star"), fill(gettext("Class %(n)s"), { n: row.priority })));
    for (const [skill, level] of Object.entries(row.skills ?? {})) chips.push(h("span", { class: "chip" }, `${skill} ≥ ${level}`));
    return h("li", { class: `queue-row${open ? " queue-row--open" : ""}${row.state === "away" ? " queue-row--away" : ""}`, "data-visit-row": visit },
      h("span", { class: "queue-row__place num" }, String(row.place + 1)),
      h("div", { class: "queue-row__name" }, h("a", { href: this.verbs.storyOf(visit), "data-focus": `story ${visit}` }, name), ...chips),
      h("time", { class: "queue-row__wait num", "data-arrived": String(row.arrived_ms) }),
      h("div", { class: "queue-row__more" }, h("span", { "data-why": "" }, this.whys.get(visit)?.words ?? ""), h("span", { class: "queue-row__tools" },
        h("button", { type: "button", class: "link-button", "data-focus": `why ${visit}`, "aria-expanded": String(open), "aria-label": fill(gettext("Why %(name)s is still waiting"), { name }), onclick: () => this.toggle(visit) }, open ? gettext("Hide why") : gettext("Why")))),
      open ? this.whyBox(visit, name) : null);
  }

  toggle(visit) {
    this.opened = this.opened === visit ? "" : visit;
    this.reasons = null;
    this.draw();
    if (this.opened) this.askReasons();
  }

  whyBox(visit, name) {
    const words = h("dl", {});
    for (const row of foldReasons(this.reasons ?? [])) words.append(h("dt", {}, row.name || gettext("An agent")), h("dd", {}, row.words));
    if (!this.reasons) words.append(h("dd", {}, gettext("Loading…")));
    else if (!this.reasons.length) words.append(h("dd", {}, gettext("This desk has no agents.")));
    const buttons = this.verbs.mayAct ? h("div", { class: "floor__verbs" },
      this.verbs.button("vertical_align_top", fill(gettext("Move %(name)s to the front"), { name }), () => this.verbs.toFront(visit, name), `front ${visit}`),
      this.verbs.button("logout", fill(gettext("End visit of %(name)s…"), { name }), () => this.verbs.end(visit, name), `end ${visit}`)) : null;
    return h("section", { class: "queue-row__why" }, h("h3", { class: "visually-hidden" }, fill(gettext("Why %(name)s is still waiting"), { name })), words, buttons);
  }

  async ask() {
    this.askedAt = this.now();
    const { slug } = this.queue;
    const found = await getJSON(`/api/v1/desks/${this.page.desk}/queues/${slug}/why`).catch(() => null);
    if (!found || this.queue?.slug !== slug) return;
    this.whys = new Map(found.visits.map((row) => [row.visit, row]));
    for (const row of this.list.children) setText(row.querySelector("[data-why]"), this.whys.get(row.dataset.visitRow)?.words ?? "");
    if (this.opened) await this.askReasons();
  }

  async askReasons() {
    const visit = this.opened;
    const found = await getJSON(`/api/v1/desks/${this.page.desk}/visits/${visit}/why`).catch(() => null);
    if (!found || this.opened !== visit) return;
    this.reasons = found.agents;
    this.draw();
  }

  times() {
    for (const time of this.list.querySelectorAll("[data-arrived]")) setText(time, clockOf((this.now() - Number(time.dataset.arrived)) / 1000));
  }

  tick() {
    this.times();
    if (this.queue && Object.keys(this.rows).length && this.now() - this.askedAt > ASK_MS) this.ask();
  }
}
