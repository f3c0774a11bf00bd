// The overview: problems first, figures, cards; everything that can change changes by itself.
import { subscribe } from "../live.js";
import { announce, h, icon, postJSON, setText } from "./dom.js";
import { isOutdated } from "./outdated.js";
import { incidentsTopic } from "./problems.js";
import { drawSparkline } from "./sparkline.js";
import { tickTimes } from "./time.js";
import { toast } from "./toast.js";
import { fill, gettext, ngettext } from "./words.js";

export function startAttention() {
  const card = document.querySelector("[data-attention]");
  if (!card || !incidentsTopic()) return;
  const rows = card.querySelector("[data-attention-rows]");
  const most = Number(card.dataset.most) || Infinity;
  let seen = null;
  let latest = [];
  let shown = "";

  const chip = (name, count, words) => {
    const box = card.querySelector(`[data-${name}]`);
    box.hidden = !count;
    setText(box.lastElementChild, fill(words, { n: count }));
  };

  const draw = () => {
    // What the reader has in hand stays until they let go of it.
    if (rows.matches(":focus-within") || rows.querySelector("details[open]:hover")) return;
    const html = latest.slice(0, most).map((cause) => cause.html).join("");
    if (shown === html) return;
    shown = html;
    const opened = new Set([...rows.querySelectorAll("details[open]")].map((each) => each.closest("[data-cause]").dataset.cause));
    rows.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    for (const row of rows.querySelectorAll("[data-cause]")) if (opened.has(row.dataset.cause)) row.querySelector("details")?.setAttribute("open", "");
    tickTimes(card);
  };

  const show = (data) => {
    latest = data.causes;
    card.querySelector("[data-attention-head]").hidden = !latest.length;
    card.querySelector("[data-attention-well]").hidden = latest.length > 0;
    chip("critical", data.critical, ngettext("%(n)s critical", "%(n)s critical", data.critical));
    chip("warnings", data.warnings, ngettext("%(n)s warning", "%(n)s warnings", data.warnings));
    const all = card.querySelector("[data-attention-all]");
    all.hidden = latest.length <= most;
    setText(all, fill(ngettext("Show all %(n)s problems", "Show all %(n)s problems", latest.length), { n: latest.length }));
    draw();
    const types = new Set(latest.map((cause) => cause.type));
    const fresh = seen ? latest.find((cause) => !seen.has(cause.type)) : null;
    if (fresh) announce(fill(gettext("New problem: %(title)s"), { title: fresh.title }));
    seen = types;
    checked();
  };
  const checked = () => {
    for (const span of card.querySelectorAll("[data-checked]")) span.dataset.span = new Date().toISOString();
  };
  rows.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-acknowledge]");
    if (button) acknowledge(button, draw);
  });
  rows.addEventListener("focusout", () => setTimeout(draw));
  subscribe(incidentsTopic(), { snapshot: show });
  return checked;
}

async function acknowledge(button, draw) {
  button.disabled = true; // it loses the focus: the row may be drawn again
  try {
    await postJSON(button.dataset.acknowledge);
  } catch (error) {
    button.disabled = false;
    toast({ title: error.title, detail: error.detail, kind: "bad" });
  }
  draw();
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
