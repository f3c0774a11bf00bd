// The history of a room's visitor: earlier visits to this desk, and the notes of agents.
import { getJSON, h, icon } from "../../shared/dom.js";
import { toastFailure } from "../../shared/toast.js";
import { clockOf, dayOf, decimal, fill, gettext, ngettext, timeOf, weekdayOf } from "../../shared/words.js";

const FIRST = 3; // visits shown before "All" is clicked
const AGAIN_MS = [4_000, 15_000]; // a visit that just ended gets into the history a moment later
const CHIPS = { good: "chip--ok", open: "chip--warn" };

/**
 * A returning visitor's history. The page may put the element anywhere; it stays hidden if there is no history.
 * @param {{visit: string}} options
 * @returns {{element: HTMLElement, load: () => Promise<void>}} load: fetch the history
 */
export function showContext({ visit }) {
  const element = h("details", { class: "context", hidden: true, open: true });
  const rows = [];
  let found = null;
  let all = false;

  async function load(again = AGAIN_MS) {
    try {
      found = await getJSON(`/api/v1/agent/visitor/${visit}`);
    } catch {
      return; // the room works without the history
    }
    rows.splice(0, rows.length, ...found.visits);
    element.hidden = !found.total;
    if (found.total) draw();
    else if (again.length) setTimeout(() => load(again.slice(1)), again[0]);
  }

  async function loadMore() {
    try {
      found = await getJSON(`/api/v1/agent/visitor/${visit}?before=${encodeURIComponent(found.before)}`);
    } catch (error) {
      return toastFailure(error);
    }
    rows.push(...found.visits);
    draw();
  }

  function draw() {
    const had = element.contains(document.activeElement);
    const shown = all ? rows : rows.slice(0, FIRST);
    const count = fill(ngettext("%(n)s earlier visit", "%(n)s earlier visits", found.total), { n: found.total });
    let further = null;
    if (!all && found.total > FIRST) further = h("button", { type: "button", class: "link-button", onclick: () => { all = true; draw(); } }, gettext("All"));
    else if (all && found.before) further = h("button", { type: "button", class: "link-button", onclick: loadMore }, gettext("More"));
    element.replaceChildren(
      h("summary", { class: "context__head" },
        h("span", { class: "chip" }, icon("history", "icon--small"), gettext("Returning visitor")),
        h("span", { class: "context__count" }, count),
        found.stars === null ? null : h("span", { class: "context__mean" }, fill(gettext("Mean rating %(stars)s"), { stars: decimal(found.stars) }))),
      h("ol", { class: "context__visits" }, ...shown.map((each) => row(each, () => openTranscript(each)))),
      ...(further ? [h("p", { class: "context__more" }, further)] : []),
      ...notes(found.notes),
    );
    if (had) element.querySelector(".link-button, summary").focus();
  }

  return { element, load };
}

function row(each, open) {
  const who = each.mine ? gettext("You") : each.agent ?? gettext("Not served");
  const how = each.seconds === null ? who : fill(gettext("%(name)s · %(time)s"), { name: who, time: clockOf(each.seconds) });
  const chip = each.outcome ? h("span", { class: `chip ${CHIPS[each.tone] ?? ""}` }, each.outcome) : each.agent ? null : h("span", { class: "chip" }, each.ended);
  const sure = each.by === "contact" ? h("span", { class: "context__by" }, gettext("by contact, not verified")) : null;
  return h("li", {},
    h("button", { type: "button", class: "context__visit", onclick: open },
      h("time", { class: "context__day num", datetime: each.at }, dayOf(new Date(each.at))),
      h("span", { class: "context__what" }, h("b", {}, each.topic || each.queue), h("span", {}, how, sure ? " · " : "", sure)),
      chip,
      each.stars === null ? null : h("span", { class: "context__stars" }, icon("star", "icon--small"), String(each.stars), h("span", { class: "visually-hidden" }, ` ${gettext("of 5")}`)),
      icon("chevron_right", "icon--small")));
}

function notes(found) {
  if (!found.length) return [];
  return [
    h("h3", { class: "context__title" }, gettext("Notes"), h("span", { class: "card__hint" }, gettext("Only agents see them"))),
    ...found.map((note) => h("blockquote", { class: "context__note" }, h("p", {}, note.text), h("footer", {}, `${note.agent} · ${dayOf(new Date(note.at))}`))),
  ];
}

// -- an earlier visit, read-only ------------------------------------------------------------------

function dialogOf() {
  const known = document.getElementById("earlier-visit");
  if (known) return known;
  const dialog = h("dialog", { class: "dialog dialog--wide", id: "earlier-visit", "aria-labelledby": "earlier-title" },
    h("div", { class: "dialog__head" }, h("h2", { class: "dialog__title", id: "earlier-title" }), h("button", { type: "button", class: "row-menu", "data-dialog-close": true, "aria-label": gettext("Close") }, icon("close"))),
    h("div", { class: "dialog__body", tabindex: "0", role: "group", "aria-labelledby": "earlier-title" }, h("ol", { class: "context__words" })));
  document.body.append(dialog);
  return dialog;
}

async function openTranscript(each) {
  const dialog = dialogOf();
  const list = dialog.querySelector("ol");
  let messages;
  try {
    messages = await readAll(each.visit);
  } catch (error) {
    return toastFailure(error);
  }
  dialog.querySelector("h2").textContent = `${each.topic || each.queue} · ${weekdayOf(new Date(each.at))}`;
  const lines = messages.map((message) => {
    const mine = message.author === "agent";
    return h("li", { class: `talk__row talk__row--${mine ? "mine" : "theirs"}` }, h("p", { class: "talk__words" }, message.text), h("span", { class: "talk__by" }, `${message.name || each.name || gettext("Visitor")} · `, h("time", { datetime: message.at }, timeOf(new Date(message.at)))));
  });
  list.replaceChildren(...(lines.length ? lines : [h("li", { class: "talk__system" }, gettext("No messages"))]));
  dialog.showModal();
}

async function readAll(visit) {
  const found = [];
  for (;;) {
    const { messages } = await getJSON(`/api/v1/visits/${visit}/messages?after=${found.at(-1)?.number ?? 0}`);
    found.push(...messages);
    if (messages.length < 200) return found;
  }
}
