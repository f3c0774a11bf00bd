// The chosen number's story next to the tiles, with quarantine and forced hang-up.
import { subscribe } from "../../live.js";
import { did } from "../shared/act.js";
import { ask } from "../shared/dialog.js";
import { errorState, getJSON, h, icon, skeleton } from "../shared/dom.js";
import { fill, gettext, phone, timeExactOf, weekdayOf } from "../shared/words.js";

export function timeline(items) {
  const list = h("ol", { class: "timeline" });
  let day = weekdayOf(Date.now());
  for (const item of items) {
    const at = new Date(item.at);
    if (weekdayOf(at) !== day) {
      day = weekdayOf(at);
      list.append(h("li", { class: "timeline__day" }, day));
    }
    list.append(h("li", { class: "timeline__item" },
      h("time", { class: "timeline__time", datetime: item.at }, timeExactOf(at)),
      h("span", { class: "timeline__dot" }, h("span", { class: `dot dot--${item.dot}`, "aria-hidden": "true" })),
      h("div", {}, h("p", { class: "timeline__title" }, item.title), item.why ? h("p", { class: "timeline__why" }, item.why) : null)));
  }
  return list;
}

/** Whether the topic reports something newer than the story on the page. */
export const isNewer = (told, shown) => (told.events?.[0]?.at_us ?? 0) > shown.newest_us || told.letter !== shown.letter;

/** Return the buttons for an operator's actions on a number in this state; `done` redraws the number. */
export function verbs(data, page, done) {
  if (!page.may_operate) return [];
  const number = phone(data.number);
  const act = (url, title, question) => async () => {
    const answer = await ask(question);
    if (answer && (await did(url, answer, { title, detail: number }))) await done();
  };
  const button = (name, label, symbol, run, bad = false) =>
    h("button", { type: "button", class: `button ${page.words ? "" : "button--icon button--small"}${bad ? " button--danger" : ""}`, "aria-label": label, title: label, "data-focus": name, [`data-${name}`]: "", onclick: run }, icon(symbol), page.words ? h("span", { class: "button__label--wide" }, label) : null);
  const found = [];
  if (data.quarantined) {
    found.push(button("release", gettext("Release from quarantine"), "lock_open", act(data.urls.release, gettext("Number released"), {
      title: gettext("Release from quarantine?"), text: fill(gettext("%(number)s can be picked again."), { number }), go: gettext("Release 1 number"), reason: "optional" })));
  } else {
    found.push(button("quarantine", gettext("Quarantine…"), "block", act(data.urls.quarantine, gettext("Number quarantined"), {
      title: gettext("Quarantine this number?"), text: fill(gettext("%(number)s is no longer picked. A call in progress continues and its registration stays."), { number }), go: gettext("Quarantine 1 number"), reason: "required" })));
  }
  if (data.in_call) {
    found.push(button("hangup", gettext("Force hang-up…"), "call_end", act(data.urls.hangup, gettext("Call ended"), {
      title: gettext("End this call?"), text: fill(gettext("The call on %(number)s ends now and its switch is notified."), { number }), go: gettext("End 1 call"), danger: true, reason: "required" }), true));
  }
  return found;
}

export function startStory(page) {
  const card = document.querySelector("[data-story]");
  let number = "";
  let stop = null;
  let asked = 0;
  let waiting = 0;
  let shown = null;

  const load = () => getJSON(page.story_url.replace("NUMBER", encodeURIComponent(number)));

  const open = async (value) => {
    number = value;
    stop?.();
    const mine = (asked += 1);
    const done = skeleton(card, gettext("Loading timeline…"));
    try {
      const data = await load();
      done();
      if (mine !== asked) return;
      draw(data);
      stop = subscribe(`numbers.number:${value}`, { snapshot: (told) => {
        if (!isNewer(told, shown)) return;
        clearTimeout(waiting);
        waiting = setTimeout(() => again(mine), 300);
      } });
    } catch (error) {
      done();
      if (mine === asked) card.replaceChildren(errorState(gettext("Couldn't load the timeline"), gettext("Calls are not affected."), () => open(value)));
    }
  };

  const again = async (mine) => {
    try {
      const data = await load();
      if (mine === asked) draw(data);
    } catch { /* the next change asks again */ }
  };

  const draw = (data) => {
    shown = data;
    const focused = card.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const items = data.items.length ? timeline(data.items) : h("p", { class: "card__hint" }, gettext("No events yet."));
    card.replaceChildren(
      h("div", { class: "card__head" }, h("span", { class: "tile", "data-state": data.letter, "aria-hidden": "true" }), h("h2", { class: "card__title num", id: "story-title" }, phone(data.number)), h("a", { class: "card__more card__more--link", href: data.urls.page }, gettext("All events"))),
      h("div", { class: "card__body card__body--story", tabindex: "0", role: "group", "aria-labelledby": "story-title" },
        h("div", { class: "story-state" }, h("span", { class: `chip ${data.chip}` }, data.word), h("span", { class: "card__hint num" }, data.hint), h("span", { class: "story-state__tools" }, ...verbs(data, page, () => again(asked)))),
        items),
    );
    if (focused) card.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  };

  return { open };
}
