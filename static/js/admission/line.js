// Who was refused and waits: place, age, the last asking, and how long it may still take.
import { followRows } from "../../live/rows.js";
import { h, setText } from "../shared/dom.js";
import { clockOf, fill, figure, gettext, spanOf } from "../shared/words.js";

/** Starts the table; returns what is to be told of each new state of the gate's figures. */
export function startLine(page) {
  const table = document.querySelector("[data-line]");
  const body = table.tBodies[0];
  const lines = new Map();
  let waiting = {};
  let gate = page.live;

  const make = (who) => {
    const cell = (label) => h("td", { class: "right num", "data-label": label });
    const parts = { place: cell(gettext("Place")), weight: cell(gettext("Weight")), since: cell(gettext("Wait time")), asked: cell(gettext("Last request")), estimate: cell(gettext("Estimate")) };
    const name = who.startsWith("@") ? who.slice(1) : who;
    return { line: h("tr", {}, h("th", { scope: "row", class: "name" }, name), ...Object.values(parts)), parts };
  };
  const draw = () => {
    const rows = Object.entries(waiting).sort(([, a], [, b]) => a.arrived_us - b.arrived_us);
    for (const [who, made] of lines) {
      if (waiting[who]) continue;
      made.line.remove();
      lines.delete(who);
    }
    let units = 0; // slots that are wanted up to and with this one
    rows.forEach(([who, row], place) => {
      if (!lines.has(who)) lines.set(who, make(who));
      const { line, parts } = lines.get(who);
      setText(parts.place, figure(place + 1));
      units += row.weight;
      setText(parts.weight, figure(row.weight));
      setText(parts.estimate, estimateOf(units));
      if (body.children[place] !== line) body.insertBefore(line, body.children[place] ?? null);
    });
    table.hidden = !rows.length;
    document.querySelector("[data-line-empty]").hidden = rows.length > 0;
    setText(document.querySelector("[data-line-hint]"), rows.length < page.shown_rows ? "" : fill(gettext("First %(n)s"), { n: figure(page.shown_rows) }));
    tick();
  };
  // As the gate itself estimates (lua/modules/line.lua): the mean time of a permit, shared by the cap.
  const estimateOf = (units) => {
    if (gate.status !== "open" || !gate.cap) return "–";
    const hold = gate.hold_seconds || page.permit_seconds / 2;
    return spanOf(Math.ceil((units * hold) / gate.cap));
  };
  const tick = () => {
    const now = Date.now() / 1000;
    for (const [who, { parts }] of lines) {
      const row = waiting[who];
      if (!row) continue;
      setText(parts.since, clockOf(now - row.arrived_us / 1e6));
      setText(parts.asked, clockOf(now - row.asked_us / 1e6));
    }
  };

  followRows(`admission.line:${page.slug}`, (rows) => { waiting = rows; draw(); });
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
  return (live) => { gate = live; draw(); };
}
