// The chosen queue's line on the floor: for each visitor one sentence on why they wait, with details agent by agent.
import { followRows } from "../../../live/rows.js";
import { getJSON, h, setText } from "../../shared/dom.js";
import { foldReasons } from "../reasons.js";
import { classChips, countOf, drawWaiting, skillChips, tellWaits, whyButton, whyTitle, waitingRow } from "../waiting.js";
import { fill, gettext } from "../../shared/words.js";

const ASK_MS = 5000; // maximum age of the sentences
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

  /** Show this queue's line; null if the desk has no queue. */
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
    this.stop = followRows(`line.waiting:${queue.slug}`, (rows) => this.show(rows));
  }

  show(rows) {
    const came = Object.keys(rows).some((visit) => !this.whys.has(visit));
    this.rows = rows;
    if (came) this.askedAt = 0;
    this.draw();
    this.tick();
  }

  draw() {
    if (this.opened && !this.rows[this.opened]) this.opened = "";
    const all = drawWaiting(this.list, this.rows, (visit, row) => this.row(visit, row));
    setText(find("line-count"), countOf(all));
    find("line-none").hidden = all > 0;
  }

  row(visit, row) {
    const name = row.name || gettext("Visitor");
    const open = this.opened === visit;
    return waitingRow(visit, row, {
      name: h("a", { href: this.verbs.storyOf(visit), "data-focus": `story ${visit}` }, name),
      chips: [...classChips(row), ...skillChips(row)],
      second: h("span", { "data-why": "" }, this.whys.get(visit)?.words ?? ""),
      tools: [whyButton(visit, name, open, (one) => this.toggle(one))],
      why: open ? this.whyBox(visit, name) : null,
    });
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
    return h("section", { class: "queue-row__why" }, h("h3", { class: "visually-hidden" }, whyTitle(name)), words, buttons);
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

  tick() {
    tellWaits(this.list);
    if (this.queue && Object.keys(this.rows).length && this.now() - this.askedAt > ASK_MS) this.ask();
  }
}
