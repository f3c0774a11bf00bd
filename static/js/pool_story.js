// The chosen number's story beside the tiles, with quarantine and forced hang-up.
import { subscribe } from "../live.js";
import { ask } from "./dialog.js";
import { errorState, getJSON, h, icon, postJSON, skeleton } from "./dom.js";
import { toast, toastFailure } from "./toast.js";
import { fill, gettext, phone, timeOf, dayOf } from "./words.js";

export function timeline(items) {
  const list = h("ol", { class: "timeline" });
  let day = dayOf(Date.now());
  for (const item of items) {
    const at = new Date(item.at);
    if (dayOf(at) !== day) {
      day = dayOf(at);
      list.append(h("li", { class: "timeline__day" }, day));
    }
    list.append(h("li", { class: "timeline__item" },
      h("time", { class: "timeline__time", datetime: item.at }, timeOf(at)),
      h("span", { class: "timeline__dot" }, h("span", { class: `dot dot--${item.dot}`, "aria-hidden": "true" })),
      h("div", {}, h("p", { class: "timeline__title" }, item.title), item.why ? h("p", { class: "timeline__why" }, item.why) : null)));
  }
  return list;
}

export function startStory(page) {
  const card = document.querySelector("[data-story]");
  let number = "";
  let stop = null;
  let asked = 0;

  const open = async (value) => {
    number = value;
    stop?.();
    const mine = (asked += 1);
    const done = skeleton(card, gettext("Loading the story…"));
    try {
      const data = await getJSON(page.story_url.replace("NUMBER", encodeURIComponent(value)));
      done();
      if (mine !== asked) return;
      draw(data);
      stop = subscribe(`numbers.number:${value}`, { snapshot: fresh, change: fresh });
    } catch (error) {
      done();
      if (mine === asked) card.replaceChildren(errorState(gettext("Story not loaded"), gettext("Calls are not affected."), () => open(value)));
    }
  };

  let first = true;
  let again = 0;
  const fresh = () => {
    if (first) { first = false; return; }
    clearTimeout(again);
    again = setTimeout(async () => {
      const mine = asked;
      try {
        const data = await getJSON(page.story_url.replace("NUMBER", encodeURIComponent(number)));
        if (mine === asked) draw(data);
      } catch { /* the next change asks again */ }
    }, 300);
  };

  const verb = (name, label, symbol, run, bad = false) =>
    h("button", { type: "button", class: `button button--icon button--small ${bad ? "button--danger" : ""}`, "aria-label": label, title: label, [`data-${name}`]: "", onclick: run }, icon(symbol));

  const send = async (url, data, title) => {
    try {
      await postJSON(url, data);
      toast({ title, detail: phone(number) });
      const story = await getJSON(page.story_url.replace("NUMBER", encodeURIComponent(number)));
      draw(story);
    } catch (error) { toastFailure(error); }
  };

  const draw = (data) => {
    const focused = card.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const tools = [];
    if (page.may_operate && data.quarantined) {
      tools.push(verb("release", gettext("Release from quarantine"), "lock_open", async () => {
        const answer = await ask({ title: gettext("Release from quarantine?"), text: fill(gettext("%(number)s can be picked again."), { number: phone(number) }), go: gettext("Release 1 number"), reason: "optional" });
        if (answer) send(data.urls.release, answer, gettext("Number released"));
      }));
    } else if (page.may_operate) {
      tools.push(verb("quarantine", gettext("Quarantine…"), "block", async () => {
        const answer = await ask({ title: gettext("Quarantine this number?"), text: fill(gettext("%(number)s is not picked any more. A running call goes on, its registration stays."), { number: phone(number) }), go: gettext("Quarantine 1 number"), reason: "required" });
        if (answer) send(data.urls.quarantine, answer, gettext("Number quarantined"));
      }));
    }
    if (page.may_operate && data.in_call) {
      tools.push(verb("hangup", gettext("Force hang-up…"), "call_end", async () => {
        const answer = await ask({ title: gettext("End this call?"), text: fill(gettext("The call through %(number)s ends now, the switch is told. The caller hears it."), { number: phone(number) }), go: gettext("End 1 call"), danger: true, reason: "required" });
        if (answer) send(data.urls.hangup, answer, gettext("Call ended"));
      }, true));
    }
    const items = data.items.length ? timeline(data.items) : h("p", { class: "card__hint" }, gettext("Nothing has happened to it yet."));
    card.replaceChildren(
      h("div", { class: "card__head" }, h("span", { class: "tile", "data-state": data.letter, "aria-hidden": "true" }), h("h2", { class: "card__title num", id: "story-title" }, phone(data.number)), h("a", { class: "card__more card__more--link", href: data.urls.page }, gettext("All events"))),
      h("div", { class: "card__body card__body--story" },
        h("div", { class: "story-state" }, h("span", { class: `chip ${data.chip}` }, data.word), h("span", { class: "card__hint num" }, data.hint), h("span", { class: "story-state__tools" }, ...tools)),
        items),
    );
    if (focused) card.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  };

  return { open: (value) => { first = true; return open(value); }, live() {} };
}
