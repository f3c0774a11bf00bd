// The floor's queues, worst first. Each is a button that shows its line.
import { h, icon } from "../../shared/dom.js";
import { redraw } from "../../shared/figures.js";
import { LiveTable } from "../../shared/live_table.js";
import { clockOf, figure, fill, gettext, percent } from "../../shared/words.js";

export class FloorQueues {
  constructor(choose) {
    const columns = [
      { head: true, look: "name", told: ({ name, open, chosen }) => JSON.stringify([name, open, chosen]), parts: nameOf },
      { look: "right num", text: ({ waiting }) => figure(waiting) },
      { look: "right", write: putWait },
      { look: "right", write: putLevel },
      { look: "right", text: ({ online, staff }) => fill(gettext("%(n)s of %(all)s"), { n: figure(online), all: figure(staff) }) },
    ];
    this.table = new LiveTable("queues", columns, { mark: markQueue });
    this.table.body.addEventListener("click", ({ target }) => choose(target.closest("tr").dataset.slug));
  }

  draw(queues, { chosen, now }) {
    const rows = queues.map((queue) => [queue.slug, { ...queue, chosen: queue.slug === chosen, waited: queue.waiting && queue.oldest ? (now - queue.oldest) / 1000 : null }]);
    this.table.draw(rows, fill(gettext("%(n)s, worst first"), { n: figure(queues.length) }));
  }
}

function markQueue(line, { chosen }, slug) {
  line.dataset.slug = slug;
  line.classList.toggle("floor__chosen", chosen);
}

const nameOf = ({ slug, name, open, chosen }) => [
  h("button", { type: "button", class: "link-button", "data-focus": `queue ${slug}`, "aria-pressed": String(chosen) }, name),
  ...(open ? [] : [h("span", { class: "chip" }, gettext("Closed"))]),
];

function putWait(cell, { waited, alarm_seconds: alarm }) {
  putSigned(cell, waited === null ? "–" : clockOf(waited), waited !== null && waited > alarm, "floor__bad", "error");
}

function putLevel(cell, { level, goal, within }) {
  cell.title = fill(gettext("Goal %(p)s in %(s)s s"), { p: percent(goal, 0), s: within });
  putSigned(cell, percent(level, 0), level !== null && level < goal, "floor__warn", "warning");
}

/** Write a figure, with a sign before it if it is out of bounds. */
function putSigned(cell, text, isOut, look, sign) {
  cell.classList.toggle(look, isOut);
  redraw(cell, `${isOut} ${text}`, () => [...(isOut ? [icon(sign, "icon--tiny")] : []), text]);
}
