// The holders of slots: task, age and remaining lease, soonest end first. An operator may free a slot.
import { followRows } from "../../live/rows.js";
import { h } from "../shared/dom.js";
import "./free.js";
import { LiveTable } from "../shared/live_table.js";
import { clockOf, fill, figure, gettext } from "../shared/words.js";

export function startHolders(page) {
  const right = "right num";
  const freeButton = ({ token }, holder) => [h("button", { type: "button", class: "button button--small", "data-free": holder, "data-token": token, "data-name": nameOf(holder) }, gettext("Free…"))];
  const table = new LiveTable("holders", [
    { head: true, look: "name", text: (_, holder) => nameOf(holder) },
    { label: gettext("Task"), text: ({ task }) => (task === null ? "–" : `#${task}`) },
    { label: gettext("Weight"), look: right, text: ({ weight }) => figure(weight) },
    { label: gettext("Since"), look: right, runs: true, text: (row) => clockOf((Date.now() - row.granted_us / 1000) / 1000) },
    { label: gettext("Time remaining"), look: right, runs: true, text: (row) => clockOf((row.deadline_us / 1000 - Date.now()) / 1000) },
    { label: gettext("Token"), look: `${right} gate-token`, text: ({ token }) => String(token) },
    ...(page.may_operate ? [{ look: "right", told: ({ token }) => String(token), parts: freeButton }] : []),
  ]);

  followRows(`admission.holders:${page.slug}`, (held) => {
    const rows = Object.entries(held).sort(([, a], [, b]) => a.deadline_us - b.deadline_us);
    table.draw(rows, rows.length < page.shown_rows ? gettext("Ending soonest first") : fill(gettext("First %(n)s, ending soonest first"), { n: figure(page.shown_rows) }));
  });
}

/** Return the name of a device, or "anonymous …" for an anonymous permit. */
const nameOf = (holder) => (holder.startsWith("@") ? holder.slice(1) : holder.startsWith("#") ? fill(gettext("anonymous %(n)s"), { n: holder }) : holder);
