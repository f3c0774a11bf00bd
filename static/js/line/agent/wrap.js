// The wrap-up after a room: its outcome, a note for the next agent, more time; and which wrap-up belongs to which room.
import { announce, h, icon, postJSON, svg } from "../../shared/dom.js";
import { keep, kept } from "../kept.js";
import { newId } from "../ids.js";
import { limitText } from "../text_limit.js";
import { toast, toastFailure } from "../../shared/toast.js";
import { clockOf, fill, gettext } from "../../shared/words.js";

const MORE_MS = 30_000; // as in lua/more_time.lua

/** Whether the wrap-up that once ended at `before` now ends at `until`: it was extended, in this tab or another. */
const isExtended = (before, until) => before > 0 && until > before && (until - before) % MORE_MS === 0;

/**
 * Pair each wrap-up with the ended room that it follows: one with the same end, an extended end, or one just ended.
 * @returns {Map<any, any>} slot → room; slots of no known room are left out
 */
export function pairWraps(wraps, ended) {
  const left = new Set(ended);
  const pairs = new Map();
  for (const fits of [(room, slot) => room.until === slot.until_ms, (room, slot) => isExtended(room.until, slot.until_ms), (room) => !room.until]) {
    for (const slot of wraps.filter((each) => !pairs.has(each))) {
      const room = [...left].find((each) => fits(each, slot));
      if (!room) continue;
      left.delete(room);
      pairs.set(slot, room);
    }
  }
  return pairs;
}

/** Remember a wrap-up's room in this tab, over reloads: the server only knows when the wrap-up ends. */
export function keepWrap(until, slot) {
  const known = kept("wraps", "", []).filter((each) => each.until > Date.now() && each.slot.visit !== slot.visit);
  keep("wraps", "", [...known, { until, slot: { visit: slot.visit, name: slot.name, topic: slot.topic, queue: slot.queue, queue_slug: slot.queue_slug } }]);
}

export function keptWrap(until) {
  return kept("wraps", "", []).find((each) => each.until === until || isExtended(each.until, until))?.slot ?? null;
}

/**
 * The wrap-up of one room.
 * @param {{visit: string, until: number, total: number, outcomes: {id: number, name: string, tone: string}[], required: boolean, act: (what: string, body?: object) => Promise<any>}} options
 *   visit: "" if unknown, then only the time is shown; total: its duration in seconds without extensions
 * @returns {{element: HTMLElement, field: HTMLElement | null, extend: (until: number) => void, tick: () => void, free: () => Promise<void>, close: () => void}}
 */
export function wrapPanel({ visit, until, total, outcomes, required, act }) {
  const first = until;
  let chosen = null; // the outcome that the server has stored
  let noteId = newId();
  const ring = svgRing();
  const left = h("p", { class: "wrap__title" });
  const more = h("button", { type: "button", class: "button button--small", "aria-label": gettext("Add 30 seconds"), onclick: moreTime }, icon("more_time", "icon--small"), gettext("+30 s"));
  const choice = visit && outcomes.length ? choiceOf(visit, outcomes, choose) : null;
  const field = visit ? h("textarea", { id: `note-${visit}`, class: "input", rows: "2" }) : null;
  const element = h("div", { class: "wrap-panel" },
    h("div", { class: "wrap" }, ring.svg, h("div", { class: "wrap__words" }, left, h("p", { class: "card__hint" }, gettext("Then you're available for the next visitor."))), more),
    choice?.element ?? null,
    field ? h("label", { class: "field__label", for: field.id }, gettext("Note for the next agent")) : null,
    field,
    h("div", { class: "wrap__foot" },
      visit ? h("span", { class: "card__hint" }, gettext("Saved automatically when time is up")) : null,
      h("button", { type: "button", class: "button button--primary", "aria-keyshortcuts": "F", onclick: free }, gettext("Finish wrap-up"), h("span", { class: "key", "aria-hidden": "true" }, "F"))),
  );
  const fits = field ? limitText(field) : () => true;
  if (field) {
    field.value = kept("note", visit, "");
    field.addEventListener("input", () => keep("note", visit, field.value));
  }

  async function moreTime() {
    more.setAttribute("aria-busy", "true");
    const answer = await act("more-time", { until_ms: until });
    more.removeAttribute("aria-busy");
    if (answer) announce(gettext("30 seconds added."));
  }

  async function choose(outcome) {
    try {
      chosen = (await postJSON("/api/v1/agent/outcome", { visit, outcome })).outcome;
      choice.show(chosen, gettext("Saved"));
    } catch (error) {
      choice.show(chosen, "");
      toastFailure(error);
    }
  }

  /** Save the note. Returns false, and keeps the text in the field, if it can't be saved. */
  async function saveNote() {
    const text = field?.value.trim();
    if (!text) return true;
    try {
      await postJSON("/api/v1/agent/notes", { visit, id: noteId, text });
    } catch (error) {
      toastFailure(error);
      return false;
    }
    noteId = newId();
    field.value = "";
    keep("note", visit, "");
    return true;
  }

  async function free() {
    if (required && choice && chosen === null) return choice.ask();
    if (!fits()) return field.focus();
    if (await saveNote()) await act("ready");
  }

  function extend(now) {
    until = now;
    tick();
  }

  function tick() {
    const all = total + Math.round((until - first) / 1000);
    const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    left.textContent = fill(gettext("Wrap-up: %(left)s s of %(all)s s left"), { left: seconds, all });
    ring.show(seconds / all, clockOf(seconds));
  }

  /** Save the note that is in the field when the time is up or the agent has finished. */
  function close() {
    const text = field?.value.trim();
    if (!text) return;
    if (fits()) saveNote();
    else toast({ kind: "bad", title: gettext("The note is too long and wasn't saved"), detail: text, topic: visit });
  }

  tick();
  return { element, field, extend, tick, free, close };
}

/** Return the outcomes as radio buttons. Each choice is saved at once. */
function choiceOf(visit, outcomes, choose) {
  const said = h("span", { class: "wrap__said", role: "status" });
  const radios = outcomes.map((each) => h("input", { type: "radio", name: `outcome-${visit}`, value: String(each.id), onchange: () => choose(each.id) }));
  const error = h("p", { class: "wrap__error", hidden: true }, icon("error", "icon--small"), gettext("Choose an outcome"));
  const element = h("fieldset", { class: "outcomes" },
    h("legend", {}, gettext("Outcome"), said),
    h("div", { class: "outcomes__grid" }, ...outcomes.map((each, at) => h("label", { class: `outcomes__one outcomes__one--${each.tone}` }, radios[at], each.name))),
    error,
  );
  return {
    element,
    show(chosen, words) {
      radios.forEach((radio) => { radio.checked = radio.value === String(chosen); });
      said.textContent = words;
      if (chosen !== null) error.hidden = true;
    },
    ask() {
      error.hidden = false;
      announce(gettext("Choose an outcome"));
      (radios.find((radio) => radio.checked) ?? radios[0]).focus();
    },
  };
}

function svgRing() {
  const rest = svg("circle", { cx: 28, cy: 28, r: 24, pathLength: 100, "stroke-dasharray": "100 100" });
  const words = svg("text", { x: 28, y: 33 });
  return {
    svg: svg("svg", { class: "wrap__ring", viewBox: "0 0 56 56", "aria-hidden": "true" }, svg("circle", { cx: 28, cy: 28, r: 24 }), rest, words),
    show(share, text) {
      rest.setAttribute("stroke-dasharray", `${Math.round(Math.min(1, share) * 100)} 100`);
      words.textContent = text;
    },
  };
}
