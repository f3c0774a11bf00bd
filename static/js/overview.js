// The overview: problems first, figures, cards; everything that can change changes by itself.
import { subscribe } from "../live.js";
import { announce, h, icon, setText } from "./dom.js";
import { isOutdated } from "./outdated.js";
import { incidentsTopic } from "./problems.js";
import { drawSparkline } from "./sparkline.js";
import { tickTimes } from "./time.js";
import { fill, gettext, ngettext } from "./words.js";

export function startAttention() {
  const card = document.querySelector("[data-attention]");
  if (!card || !incidentsTopic()) return;
  const rows = card.querySelector("[data-attention-rows]");
  let seen = null;

  const row = (incident, first) => {
    const critical = incident.severity === "critical";
    return h("div", { class: `attention__row${critical ? " attention__row--critical" : ""}`, "data-incident": incident.id },
      icon(critical ? "error" : "warning"),
      h("div", {}, h("span", { class: "visually-hidden" }, critical ? gettext("Critical: ") : gettext("Warning: ")), h("span", { class: "attention__title" }, incident.title), h("span", { class: "attention__cause" }, incident.detail)),
      h("div", { class: "attention__remedy" }, incident.remedy),
      h("span", { class: "attention__since num", "data-since": incident.since }),
      h("div", { class: "attention__act" }, incident.url ? h("a", { class: `button${first ? " button--primary" : ""}`, href: incident.url }, incident.button) : null));
  };

  const chip = (name, count, words) => {
    const box = card.querySelector(`[data-${name}]`);
    box.hidden = !count;
    setText(box.lastElementChild, fill(words, { n: count }));
  };

  const show = (data) => {
    const open = data.incidents;
    card.querySelector("[data-attention-head]").hidden = !open.length;
    card.querySelector("[data-attention-well]").hidden = open.length > 0;
    chip("critical", data.critical, ngettext("%(n)s critical", "%(n)s critical", data.critical));
    chip("warnings", data.warnings, ngettext("%(n)s warning", "%(n)s warnings", data.warnings));
    const key = JSON.stringify(open);
    if (card.dataset.shown !== key) {
      card.dataset.shown = key;
      if (!rows.matches(":focus-within")) rows.replaceChildren(...open.map((incident, index) => row(incident, index === 0)));
    }
    const ids = new Set(open.map((incident) => incident.id));
    const fresh = seen ? open.find((incident) => !seen.has(incident.id)) : null;
    if (fresh) announce(fill(gettext("New problem: %(title)s"), { title: fresh.title }));
    seen = ids;
    checked();
    tickTimes(card);
  };
  const checked = () => {
    for (const span of card.querySelectorAll("[data-checked]")) span.dataset.span = new Date().toISOString();
  };
  subscribe(incidentsTopic(), { snapshot: show });
  return checked;
}

function showStats(stats) {
  for (const box of document.querySelectorAll("[data-stat]")) {
    const stat = stats[box.dataset.stat];
    if (!stat) continue;
    setText(box.querySelector("[data-value]"), stat.value);
    setText(box.querySelector("[data-unit]"), stat.unit);
    const mark = box.querySelector("[data-mark]");
    mark.hidden = !stat.mark;
    mark.className = `mark mark--${stat.severity === "critical" ? "bad" : "warn"}`;
    setText(mark.lastElementChild, stat.mark);
    drawSparkline(box.querySelector(".sparkline"), stat.trend);
  }
}

export function cell(data) {
  if (data.share !== undefined && data.share !== null) {
    const bar = h("progress", { class: `bar bar--short${data.severity === "warning" ? " bar--warn" : ""}`, max: "1", "aria-hidden": "true" });
    bar.value = data.share;
    return h("span", { class: "bar-cell" }, bar, h("span", {}, data.text));
  }
  if (!data.severity) return document.createTextNode(data.text);
  const critical = data.severity === "critical";
  return h("span", { class: `mark mark--${critical ? "bad" : "warn"}` }, icon(critical ? "error" : "warning"), data.text);
}

function tableRow(row) {
  const name = row.url ? h("a", { href: row.url }, row.name) : row.name;
  const line = h("tr", { "data-row": row.name, "data-href": row.url || false }, h("th", { scope: "row", class: "name" }, name));
  for (const one of row.cells) line.append(h("td", { class: "right", "data-cell": "" }, cell(one)));
  if (row.trend) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.classList.add("sparkline");
    line.append(h("td", { class: "spark" }, svg));
  }
  return line;
}

let latestCards = {};

function showCards(cards) {
  latestCards = cards;
  let changed = false; // a card has its first row, or lost its last one: the server draws it otherwise
  for (const box of document.querySelectorAll("[data-card]")) {
    const data = cards[box.dataset.card];
    const body = box.querySelector("tbody");
    if (!data) continue;
    if (!body || data.empty) { changed ||= Boolean(body) === Boolean(data.empty); continue; }
    setText(box.querySelector("[data-hint]"), data.hint);
    const same = data.rows.length === body.rows.length && data.rows.every((row, index) => body.rows[index].dataset.row === row.name);
    if (!same && body.matches(":hover, :focus-within")) {
      // the old order stands under the pointer; figures of the rows that are still there change
      for (const row of data.rows) fillRow([...body.rows].find((line) => line.dataset.row === row.name), row);
      continue;
    }
    if (!same) body.replaceChildren(...data.rows.map(tableRow));
    data.rows.forEach((row, index) => fillRow(body.rows[index], row));
  }
  isOutdated(changed, () => showCards(latestCards));
}

function fillRow(line, row) {
  if (!line) return;
  line.querySelectorAll("[data-cell]").forEach((box, index) => {
    const next = row.cells[index];
    const key = JSON.stringify(next);
    if (!next || box.dataset.key === key) return;
    box.dataset.key = key;
    box.replaceChildren(cell(next));
  });
  const svg = line.querySelector(".sparkline");
  if (svg && row.trend) drawSparkline(svg, row.trend);
}

const checked = startAttention();
const topic = document.querySelector("[data-cards]")?.dataset.topic;
if (topic) {
  subscribe(topic, { snapshot(data) { showStats(data.stats); showCards(data.cards); checked?.(); } });
}
