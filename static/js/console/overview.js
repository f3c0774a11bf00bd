// The overview: problems first, then figures and cards. All of it is live.
import { connection, subscribe } from "../../live.js";
import { announce, h, icon, postJSON, setText, svg } from "../shared/dom.js";
import { redraw } from "../shared/figures.js";
import { isOutdated } from "../shared/outdated.js";
import { incidentsTopic } from "../shared/problems.js";
import { drawSparkline } from "../shared/sparkline.js";
import { tickTimes } from "../shared/time.js";
import { toast } from "../shared/toast.js";
import { fill, gettext, momentOf, ngettext } from "../shared/words.js";

const STALE = 10_000; // the same time as in the connection badge

function startAttention() {
  const card = document.querySelector("[data-attention]");
  if (!card) return;
  const find = (name) => card.querySelector(`[data-${name}]`);
  const most = Number(card.dataset.most) || Infinity;
  const lists = [causeList(card.querySelector("[data-attention-rows]")), causeList(find("attention-later"))];
  let seen = null;
  let latest = null;

  const chip = (name, count, words) => {
    find(name).hidden = !count;
    setText(find(name).lastElementChild, fill(words, { n: count }));
  };

  const show = (data) => {
    latest = data;
    const { causes, snoozed } = data;
    for (const name of ["attention-head", "attention-heads"]) find(name).hidden = !causes.length;
    chip("critical", data.critical, ngettext("%(n)s critical", "%(n)s critical", data.critical));
    chip("warnings", data.warnings, ngettext("%(n)s warning", "%(n)s warnings", data.warnings));
    find("problems").hidden = data.problems === causes.length;
    setText(find("problems"), fill(ngettext("from %(n)s problem", "from %(n)s problems", data.problems), { n: data.problems }));
    find("attention-all").hidden = causes.length <= most;
    setText(find("attention-all"), fill(ngettext("Show all %(n)s problems", "Show all %(n)s problems", causes.length), { n: causes.length }));
    lists[0](causes.slice(0, most));
    lists[1](snoozed);
    find("attention-snoozed").hidden = !snoozed.length;
    if (snoozed.length) {
      setText(find("snoozed-count"), fill(ngettext("Snoozed %(n)s", "Snoozed %(n)s", snoozed.length), { n: snoozed.length }));
      setText(find("snoozed-first"), snoozed[0].title);
      setText(find("snoozed-back"), fill(gettext("back at %(time)s"), { time: momentOf(new Date(snoozed[0].back_at)) }));
    }
    const types = new Set(causes.map((cause) => cause.type));
    const fresh = seen ? causes.find((cause) => !seen.has(cause.type)) : null;
    if (fresh) announce(fill(gettext("New problem: %(title)s"), { title: fresh.title }));
    seen = types;
    freshness();
  };
  // Show how current the list is: when the server last reported, and what that means.
  const freshness = () => {
    if (!latest) return;
    const stale = connection.state !== "live" && Date.now() - connection.dataAt > STALE;
    const at = new Date(connection.dataAt || Date.now()).toISOString();
    for (const span of card.querySelectorAll("[data-checked]")) span.dataset.span = at;
    find("attention-fresh").hidden = stale || latest.silent;
    find("attention-stale").hidden = !stale;
    find("attention-silent").hidden = stale || !latest.silent;
    find("attention-well").hidden = stale || latest.silent || latest.causes.length > 0;
  };
  card.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-acknowledge], [data-end-snooze]");
    if (button) post(button, () => latest && show(latest));
  });
  document.addEventListener("click", ({ target }) => {
    const later = target.closest("[data-snooze]");
    if (later) askSnooze(later);
  });
  card.addEventListener("focusout", () => setTimeout(() => latest && show(latest)));
  connection.addEventListener("state", freshness);
  if (incidentsTopic()) subscribe(incidentsTopic(), { snapshot: show });
}

/** Return a function that draws causes into a box. It changes nothing while the user is at work in the box. */
function causeList(box) {
  let shown; // undefined at first, because the server drew the first rows
  return (causes) => {
    if (!box || box.matches(":focus-within") || box.querySelector("details[open]:hover")) return;
    const html = causes.map((cause) => cause.html).join("");
    if (shown === html) return;
    shown = html;
    const opened = new Set([...box.querySelectorAll("details[open]")].map((each) => each.closest("[data-cause]").dataset.cause));
    box.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    for (const row of box.querySelectorAll("[data-cause]")) if (opened.has(row.dataset.cause)) row.querySelector("details")?.setAttribute("open", "");
    for (const time of box.querySelectorAll("[data-moment]")) setText(time, fill(gettext("Back at %(time)s"), { time: momentOf(new Date(time.dateTime)) }));
    tickTimes(box);
  };
}

async function post(button, draw) {
  button.disabled = true; // so the button loses the focus, and its row can be redrawn
  try {
    const answer = await postJSON(button.dataset.acknowledge ?? button.dataset.endSnooze);
    if (!incidentsTopic()) return location.reload(); // no topic redraws the row
    if (answer.yours === false && answer.acknowledged_by) toast({ title: fill(gettext("%(name)s has already acknowledged this."), { name: answer.acknowledged_by }) });
  } catch (error) {
    button.disabled = false;
    toast({ title: error.title, detail: error.detail, kind: "bad" });
  }
  return draw();
}

function askSnooze({ dataset }) {
  const dialog = document.getElementById("snooze-dialog");
  if (!dialog) return;
  const form = dialog.querySelector("form");
  form.reset();
  form.action = dataset.snooze;
  form.elements.next.value = location.pathname + location.search;
  setText(dialog.querySelector("[data-snooze-title]"), dataset.title);
  dialog.showModal();
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

function cell(data) {
  if (data.share !== undefined && data.share !== null) {
    const bar = h("progress", { class: `bar bar--short${data.severity === "warning" ? " bar--warn" : ""}`, max: "1", "aria-hidden": "true" });
    bar.value = data.share;
    return h("span", { class: "bar-cell" }, bar, h("span", {}, data.text));
  }
  if (!data.severity) return document.createTextNode(data.text);
  const critical = data.severity === "critical";
  return h("span", { class: `mark mark--${critical ? "bad" : "warn"}` }, icon(critical ? "error" : "warning"), data.text);
}

/** Return what tells the rows of a card apart: two accounts may use the same name. */
const keyOf = ({ url, name }) => url || name;

function tableRow(row) {
  const name = row.url ? h("a", { href: row.url }, row.name) : row.name;
  const line = h("tr", { "data-row": keyOf(row), "data-href": row.url || false }, h("th", { scope: "row", class: "name" }, name));
  for (const one of row.cells) line.append(h("td", { class: "right", "data-cell": "" }, cell(one)));
  if (row.trend) {
    line.append(h("td", { class: "spark" }, svg("svg", { class: "sparkline" })));
  }
  return line;
}

let latestCards = {};

function showCards(cards) {
  latestCards = cards;
  let changed = false; // a card got its first row or lost its last one: only the server can draw that
  for (const box of document.querySelectorAll("[data-card]")) {
    const data = cards[box.dataset.card];
    const body = box.querySelector("tbody");
    if (!data) continue;
    if (!body || data.empty) { changed ||= Boolean(body) === Boolean(data.empty); continue; }
    setText(box.querySelector("[data-hint]"), data.hint);
    const same = data.rows.length === body.rows.length && data.rows.every((row, index) => body.rows[index].dataset.row === keyOf(row));
    if (!same && body.matches(":hover, :focus-within")) {
      // the pointer is over the rows: keep their order, and only update the figures of rows that still exist
      for (const row of data.rows) fillRow([...body.rows].find((line) => line.dataset.row === keyOf(row)), row);
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
    if (next) redraw(box, JSON.stringify(next), () => [cell(next)]);
  });
  const place = line.querySelector(".sparkline");
  if (place && row.trend) drawSparkline(place, row.trend);
}

startAttention();
const topic = document.querySelector("[data-cards]")?.dataset.topic;
if (topic) {
  subscribe(topic, { snapshot(data) { showStats(data.stats); showCards(data.cards); } });
}
