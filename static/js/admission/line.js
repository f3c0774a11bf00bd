// Devices that were refused and are waiting: place, wait time, last request, and the estimated time left.
import { followRows } from "../../live/rows.js";
import { LiveTable } from "../shared/live_table.js";
import { clockOf, fill, figure, gettext, spanOf } from "../shared/words.js";

/** Start the table. Returns a function to call with each new state of the gate's figures. */
export function startLine(page) {
  const look = "right num";
  const table = new LiveTable("line", [
    { head: true, look: "name", text: (_, who) => (who.startsWith("@") ? who.slice(1) : who) },
    { label: gettext("Place"), look, text: (_, who, place) => figure(place + 1) },
    { label: gettext("Weight"), look, text: ({ weight }) => figure(weight) },
    { label: gettext("Wait time"), look, runs: true, text: (row) => clockOf(Date.now() / 1000 - row.arrived_us / 1e6) },
    { label: gettext("Last request"), look, runs: true, text: (row) => clockOf(Date.now() / 1000 - row.asked_us / 1e6) },
    { label: gettext("Estimate"), look, text: ({ upto }) => estimateOf(upto) },
  ]);
  let waiting = {};
  let gate = page.live;

  const draw = () => {
    let upto = 0; // slots requested up to and including this row
    const rows = Object.entries(waiting).sort(([, a], [, b]) => a.arrived_us - b.arrived_us);
    const counted = rows.map(([who, row]) => [who, { ...row, upto: (upto += row.weight) }]);
    table.draw(counted, rows.length < page.shown_rows ? "" : fill(gettext("First %(n)s"), { n: figure(page.shown_rows) }));
  };
  // The same estimate as in lua/modules/line.lua: the mean duration of a permit, divided by the cap.
  const estimateOf = (units) => {
    if (gate.status !== "open" || !gate.cap) return "–";
    const hold = gate.hold_seconds || page.permit_seconds / 2;
    return spanOf(Math.ceil((units * hold) / gate.cap));
  };

  followRows(`admission.line:${page.slug}`, (rows) => { waiting = rows; draw(); });
  return (live) => { gate = live; draw(); };
}
