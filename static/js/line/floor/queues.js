// The floor's queues, worst first: each is a button that shows its line.
import { h, icon } from "../../shared/dom.js";
import { clockOf, figure, fill, gettext, percent } from "../../shared/words.js";

const body = document.querySelector("[data-queues]");
const hint = document.querySelector("[data-queue-hint]");
let drawn = "";

export function drawQueues(queues, { chosen, choose, now }) {
  const rows = queues.map((queue) => {
    const waited = queue.waiting && queue.oldest ? (now - queue.oldest) / 1000 : null;
    return { ...queue, waited, late: waited !== null && waited > queue.alarm_seconds, low: queue.level !== null && queue.level < queue.goal };
  });
  const wanted = JSON.stringify([chosen, rows.map((row) => ({ ...row, waited: Math.floor(row.waited ?? -1) }))]);
  if (drawn === wanted) return;
  drawn = wanted;
  hint.textContent = fill(gettext("%(n)s, worst first"), { n: figure(queues.length) });
  const focused = body.contains(document.activeElement) ? document.activeElement.dataset.slug : "";
  body.replaceChildren(...rows.map((row) => tableRow(row, chosen, choose)));
  if (focused) body.querySelector(`[data-slug="${CSS.escape(focused)}"]`)?.focus();
}

function tableRow(row, chosen, choose) {
  const level = fill(gettext("Goal %(p)s in %(s)s s"), { p: percent(row.goal, 0), s: row.within });
  const button = h("button", { type: "button", class: "link-button", "data-slug": row.slug, "aria-pressed": String(row.slug === chosen), onclick: () => choose(row.slug) }, row.name);
  return h("tr", { class: row.slug === chosen ? "floor__chosen" : "", onclick: (event) => { if (event.target !== button) choose(row.slug); } },
    h("th", { scope: "row", class: "name" }, button, row.open ? null : h("span", { class: "chip" }, gettext("Closed"))),
    h("td", { class: "right num" }, figure(row.waiting)),
    h("td", { class: `right${row.late ? " floor__bad" : ""}` }, row.late ? icon("error", "icon--tiny") : null, row.waited === null ? "–" : clockOf(row.waited)),
    h("td", { class: `right${row.low ? " floor__warn" : ""}`, title: level }, row.low ? icon("warning", "icon--tiny") : null, percent(row.level, 0)),
    h("td", { class: "right" }, fill(gettext("%(n)s of %(all)s"), { n: figure(row.online), all: figure(row.staff) })));
}
