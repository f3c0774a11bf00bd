// Who holds a slot: task, age and remaining lease, the soonest end first; an operator may free one.
import { followRows } from "../../live/rows.js";
import { h, setText } from "../shared/dom.js";
import { askToFree } from "./free.js";
import { clockOf, fill, figure, gettext } from "../shared/words.js";

export function startHolders(page) {
  const table = document.querySelector("[data-holders]");
  const body = table.tBodies[0];
  const empty = document.querySelector("[data-holders-empty]");
  const lines = new Map();
  let held = {};

  const make = (holder) => {
    const cell = (label, right, more = "") => h("td", { class: right ? `right num ${more}`.trim() : "", "data-label": label });
    const parts = { task: cell(gettext("Task")), weight: cell(gettext("Weight"), true), since: cell(gettext("Since"), true), left: cell(gettext("Time remaining"), true), token: cell(gettext("Token"), true, "gate-token") };
    const line = h("tr", {}, h("th", { scope: "row", class: "name" }, nameOf(holder)), ...Object.values(parts));
    if (page.may_operate) line.append(h("td", { class: "right" }, h("button", { type: "button", class: "button button--small", onclick: () => free(holder, held[holder]) }, gettext("Free…"))));
    return { line, parts };
  };
  const draw = () => {
    const rows = Object.entries(held).sort(([, a], [, b]) => a.deadline_us - b.deadline_us);
    for (const [holder, made] of lines) {
      if (held[holder]) continue;
      made.line.remove();
      lines.delete(holder);
    }
    rows.forEach(([holder, row], place) => {
      if (!lines.has(holder)) lines.set(holder, make(holder));
      const { line, parts } = lines.get(holder);
      setText(parts.task, row.task === null ? "–" : `#${row.task}`);
      setText(parts.weight, figure(row.weight));
      setText(parts.token, String(row.token));
      if (body.children[place] !== line) body.insertBefore(line, body.children[place] ?? null);
    });
    table.hidden = !rows.length;
    empty.hidden = rows.length > 0;
    const hint = document.querySelector("[data-holders-hint]");
    setText(hint, rows.length < page.shown_rows ? gettext("Ending soonest first") : fill(gettext("First %(n)s, ending soonest first"), { n: figure(page.shown_rows) }));
    tick();
  };
  const tick = () => {
    const now = Date.now();
    for (const [holder, { parts }] of lines) {
      const row = held[holder];
      if (!row) continue;
      setText(parts.since, clockOf((now - row.granted_us / 1000) / 1000));
      setText(parts.left, clockOf((row.deadline_us / 1000 - now) / 1000));
    }
  };

  followRows(`admission.holders:${page.slug}`, (rows) => { held = rows; draw(); });
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
}

/** A device by its name; an anonymous permit says so. */
const nameOf = (holder) => (holder.startsWith("@") ? holder.slice(1) : holder.startsWith("#") ? fill(gettext("anonymous %(n)s"), { n: holder }) : holder);

function free(holder, row) {
  if (row) askToFree(holder, row.token, nameOf(holder));
}
