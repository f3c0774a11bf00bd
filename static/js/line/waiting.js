// The visitors of a queue's line, for agents and supervisors: place, name, wait, and why no agent serves them.
import { h, icon, setText } from "../shared/dom.js";
import { refill } from "../shared/figures.js";
import { clockOf, fill, gettext } from "../shared/words.js";

const NORMAL = 5; // the class of visitors without a priority
const SHOWN = 50;
const SENT = 100; // the server sends the first ones of a line

/** Draw the first visitors of a line, each with `rowOf(visit, row)`. Returns the number of the visitors in `rows`. */
export function drawWaiting(list, rows, rowOf) {
  const all = Object.entries(rows).sort(([, one], [, other]) => one.place - other.place);
  refill(list, all.slice(0, SHOWN).map(([visit, row]) => rowOf(visit, row)));
  tellWaits(list);
  return all.length;
}

/** Format the number of visitors in a line, of whom `all` were sent: "100+" if there may be more. */
export const countOf = (all) => (all < SENT ? String(all) : `${SENT}+`);

/** One visitor's row. `name`: a node; `second`: the text on why; `tools`: buttons; `why`: the opened box. */
export function waitingRow(visit, row, { name, chips, said = [], second, tools, why }) {
  return h("li", { class: `queue-row${why ? " queue-row--open" : ""}${row.state === "away" ? " queue-row--away" : ""}`, "data-visit-row": visit },
    h("span", { class: "queue-row__place num" }, String(row.place + 1)),
    h("div", { class: "queue-row__name" }, name, ...chips),
    h("time", { class: "queue-row__wait num", "data-arrived": String(row.arrived_ms) }),
    ...said,
    h("div", { class: "queue-row__more" }, second, h("span", { class: "queue-row__tools" }, ...tools)),
    why);
}

export const classChips = ({ priority }) =>
  priority < NORMAL ? [h("span", { class: "chip chip--line" }, icon("star"), fill(gettext("Class %(n)s"), { n: priority }))] : [];

export const skillChips = ({ skills }) => Object.entries(skills ?? {}).map(([skill, level]) => h("span", { class: "chip" }, `${skill} ≥ ${level}`));

export function whyButton(visit, name, isOpen, toggle) {
  return h("button", { type: "button", class: "link-button", "data-focus": `why ${visit}`, "aria-expanded": String(isOpen), "aria-label": whyTitle(name), onclick: () => toggle(visit) }, isOpen ? gettext("Hide why") : gettext("Why"));
}

export const whyTitle = (name) => fill(gettext("Why %(name)s is still waiting"), { name });

/** Show how long each visitor has waited. */
export function tellWaits(list) {
  for (const time of list.querySelectorAll("[data-arrived]")) setText(time, clockOf((Date.now() - Number(time.dataset.arrived)) / 1000));
}
