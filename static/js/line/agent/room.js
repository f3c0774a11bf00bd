// One room of the agent's console: facts, transcript, composer; before it an offer, after it a wrap-up.
import { subscribe } from "../../../live.js";
import { ask } from "../../shared/dialog.js";
import { announce, csrfToken, getJSON, h, icon, postJSON, setText } from "../../shared/dom.js";
import { refill } from "../../shared/figures.js";
import { CallBar } from "./call.js";
import { showContext } from "./context.js";
import { AgentComposer } from "./composer.js";
import { awayWords, factsOf, replyValues, since, whyWords } from "./facts.js";
import { offerOf } from "./offer.js";
import { keepWrap, wrapPanel } from "./wrap.js";
import { Transfer } from "./transfer.js";
import { Files } from "../attachments.js";
import { languageChip } from "./language.js";
import { alertPerson } from "../alert.js";
import { Talk } from "../talk.js";
import { verified } from "./verified.js";
import { newId } from "../ids.js";
import { toast, toastFailure } from "../../shared/toast.js";
import { fill, gettext, timeExactOf } from "../../shared/words.js";

/** The data of a visit that comes from SQL: the desk reports the visit a moment before it is there. */
const whoOf = ({ name, joined, topic, queue, language, verified, contact }) => JSON.stringify([name, joined, topic, queue, language, verified, contact]);

export class Room {
  /** `changed()`: the room's entry in the list may have changed; `want(visit)`: the agent wants to see that room. */
  constructor(slot, { act, page, queues, offerToken, changed, want }) {
    Object.assign(this, { visit: slot.visit, slot, act, page, queues, offerToken, changed, want });
    this.isTyping = false;
    this.isChosen = false;
    this.since = Date.now();
    this.until = 0;
    this.element = h("section", { class: "card room talk", tabindex: "-1", "data-room": slot.visit });
    this.label();
    this.drawn = "";
  }

  label() {
    this.element.setAttribute("aria-label", fill(gettext("Room with %(name)s"), { name: this.name }));
  }

  get name() {
    return this.slot.name || gettext("Visitor");
  }

  show(slot) {
    const before = whoOf(this.slot);
    this.slot = { ...this.slot, ...slot };
    const isNews = before !== whoOf(this.slot);
    if (isNews) this.label();
    if (this.drawn === slot.kind) {
      if (isNews && slot.kind === "offer") this.drawOffer();
      else if (isNews) this.showWho();
      this.calls?.show();
      return this.showAway();
    }
    this.drawn = slot.kind;
    this.until = 0;
    this.panel = null;
    if (slot.kind === "offer") this.drawOffer();
    else this.drawRoom();
  }

  /** Set the room's slot, and whether it is the visible room. */
  number(place, isChosen) {
    if (this.place) setText(this.place, String(place));
    this.element.toggleAttribute("data-behind", !isChosen);
    if (isChosen && !this.isChosen) {
      this.talk?.toEnd();
      this.talk?.receipts.look();
    }
    if (!isChosen) this.transfers?.close();
    this.isChosen = isChosen;
  }

  focus() {
    (this.field ?? this.element.querySelector("button") ?? this.element).focus({ preventScroll: false });
  }

  close() {
    this.unwatch?.();
    this.transfers?.close();
    this.over();
    this.panel?.close();
    this.element.remove();
  }

  /** Show what was written and can no longer be sent, so that it is not lost silently. */
  over() {
    const unsent = [...(this.talk?.close() ?? []), ...(this.files?.close() ?? []), this.composed?.text ?? ""].filter((text) => text.trim());
    this.composed?.forget();
    this.composed = null;
    if (unsent.length) toast({ kind: "bad", title: fill(gettext("Not sent to %(name)s: the room has ended"), { name: this.name }), detail: unsent.join(" · "), topic: this.visit });
  }

  // -- an offer -----------------------------------------------------------------------------------

  drawOffer() {
    this.offered = this.slot.since_ms || Date.now();
    this.left = h("b", { class: "num" });
    this.element.className = "card room room--offer";
    const { visit, name, left } = this;
    refill(this.element, [offerOf({ visit, name, topic: this.slot.topic || "", chips: verified(this.slot), left, accept: () => this.accept(), decline: () => this.answer("decline") })]);
    this.tick();
  }

  accept() {
    return this.answer("accept");
  }

  answer(what) {
    if (what === "accept") this.want(this.visit);
    return this.act(what, { visit: this.visit, token: this.offerToken() });
  }

  // -- a room -------------------------------------------------------------------------------------

  drawRoom() {
    this.since = this.slot.since_ms || Date.now();
    this.place = h("span", { class: "slot__number num" });
    this.lasted = h("dd", { class: "num" }, "0:00");
    const list = h("ol", { class: "talk__list", tabindex: "0" });
    this.typist = h("span", {});
    this.typed = h("p", { class: "talk__typing", hidden: true }, icon("more_horiz", "icon--small"), this.typist);
    this.foot = h("div", { class: "room__foot" });
    this.element.className = "card room talk";
    this.calls = this.page.calls ? new CallBar({ visit: this.visit, act: this.act, slot: () => this.slot }) : null;
    this.context = showContext({ visit: this.visit });
    this.away = h("span", { class: "chip chip--warn", hidden: true });
    this.transfers = new Transfer({ visit: this.visit, name: () => this.name, slot: () => this.slot, act: this.act });
    this.head = h("span", { class: "talk__tools" },
      this.transfers.button,
      h("button", { type: "button", class: "button button--small button--danger", "aria-keyshortcuts": "F", onclick: () => this.finish() }, gettext("End room")));
    this.header = h("header", { class: "talk__head" });
    this.facts = h("dl", {});
    this.element.replaceChildren(
      this.header, this.transfers.element, this.facts, ...(this.calls ? [this.calls.element] : []), list, this.typed, this.foot,
    );
    this.calls?.show();
    this.files ??= new Files({
      policy: this.page.files,
      list: () => getJSON(`/api/v1/visits/${this.visit}/attachments`),
      post: () => ({ url: "/api/v1/agent/attachments", headers: { "X-CSRFToken": csrfToken() }, fields: { visit: this.visit } }),
    });
    this.talk?.receipts.close();
    this.talk = new Talk(list, {
      files: this.files,
      mine: "agent",
      other: () => this.name,
      deliver: (id, text) => postJSON("/api/v1/agent/messages", { visit: this.visit, id, text }),
      read: (number) => postJSON("/api/v1/agent/read", { visit: this.visit, number }),
      heard: ({ name }) => this.heard(name || this.name),
    });
    if (this.slot.why) this.talk.say(fill(gettext("Assigned %(time)s: %(why)s"), { time: timeExactOf(this.since), why: whyWords(this.slot.why) }));
    this.talk.open(this.visit);
    this.drawComposer();
    this.showWho();
    this.showAway();
    this.unwatch?.();
    let first = true;
    this.unwatch = subscribe(`line.room:${this.visit}`, {
      snapshot: (data) => { this.hear(data, !first); first = false; },
      change: (data) => this.hear(data, true),
    });
  }

  /** Show who the visitor is everywhere in the room. What the agent is typing stays. */
  showWho() {
    const { name, slot } = this;
    this.header.replaceChildren(...[this.place, h("h2", { class: "card__title" }, name), languageChip(slot.language), ...verified(slot), this.away, this.head].filter(Boolean));
    const facts = factsOf(slot, this.since, this.lasted);
    this.facts.replaceWith(facts);
    this.facts = facts;
    this.talk.list.setAttribute("aria-label", fill(gettext("Messages with %(name)s"), { name }));
    setText(this.typist, fill(gettext("%(name)s is typing"), { name }));
    this.calls?.showWho(name);
    this.composed.showWho(name);
    this.context.load();
  }

  hear(data, fresh) {
    this.talk.add(data.messages, fresh);
    this.talk.receipts.show(data.reads);
    this.changed();
  }

  heard(name) {
    this.stopTyping();
    const words = fill(gettext("New message from %(name)s"), { name });
    if (!document.hasFocus()) alertPerson(words);
    else if (!this.isChosen) announce(words);
  }

  drawComposer() {
    this.composed = new AgentComposer({
      visit: this.visit,
      replies: this.page.replies,
      values: () => replyValues(this.slot, this.since, this.page.name),
      say: (text) => this.talk.post(text),
      note: (text) => this.note(text),
      typing: () => postJSON("/api/v1/agent/typing", { visit: this.visit }),
      files: this.files,
    });
    this.foot.className = "room__foot";
    this.foot.replaceChildren(this.composed.element);
    this.composed.takeFiles(this.talk);
    this.field = this.composed.field;
  }

  async note(text) {
    try {
      this.talk.add([await postJSON("/api/v1/agent/notes", { visit: this.visit, id: newId(), text })]);
    } catch (error) {
      this.composed?.takeBack(text);
      toastFailure(error);
    }
  }

  /** Show how long the visitor's connection has been lost. For a while, the visitor may come back to this room. */
  showAway() {
    if (!this.away) return;
    this.away.hidden = !this.slot.away_ms || this.drawn !== "room";
    if (!this.away.hidden) setText(this.away, awayWords(this.slot));
  }

  typing() {
    if (!this.typed) return;
    this.typed.hidden = false;
    this.isTyping = true;
    clearTimeout(this.typedTimer);
    this.typedTimer = setTimeout(() => this.stopTyping(), 4000);
    this.changed();
  }

  stopTyping() {
    this.typed.hidden = true;
    this.isTyping = false;
    this.changed();
  }

  /** End the room; during the wrap-up, finish the wrap-up. */
  async finish() {
    if (this.kind === "offer") return;
    if (this.until) return this.panel.free();
    const answer = await ask({ title: fill(gettext("End the room with %(name)s"), { name: this.name }), text: gettext("The visitor will be asked for a rating."), go: gettext("End room"), danger: true });
    if (answer) await this.act("finish", { visit: this.visit });
  }

  transfer() {
    if (this.drawn === "room") this.transfers.toggle();
  }

  // -- the wrap-up --------------------------------------------------------------------------------

  wrap(until) {
    if (this.until === until) return;
    this.until = until;
    if (!this.visit.startsWith("wrap-up")) keepWrap(until, this.slot);
    if (this.panel) return this.panel.extend(until);
    this.kind = this.drawn = "wrap_up";
    this.over();
    this.transfers?.close();
    this.showAway();
    this.calls?.element.remove();
    this.calls = null;
    this.context?.element.remove(); // the context is only for the duration of the room
    this.context = null;
    if (!this.foot) {
      this.foot = h("div", {});
      const title = this.slot.name ? fill(gettext("Wrap-up: %(name)s"), { name: this.slot.name }) : gettext("Wrap-up");
      this.element.replaceChildren(h("header", { class: "talk__head" }, h("h2", { class: "card__title" }, title)), this.foot);
    }
    this.head?.replaceChildren(h("span", { class: "chip" }, icon("timer"), gettext("Wrap-up")));
    this.typed && (this.typed.hidden = true);
    this.talk?.say(gettext("The room has ended"), "logout");
    this.panel = wrapPanel({
      visit: this.visit.startsWith("wrap-up") ? "" : this.visit,
      until,
      total: Math.max(1, this.queues.get(this.slot.queue_slug)?.wrap_up_seconds ?? Math.round((until - Date.now()) / 1000)),
      outcomes: this.page.outcomes,
      required: this.page.outcome_required,
      act: this.act,
    });
    this.foot.className = "room__foot room__foot--wrap";
    this.foot.replaceChildren(this.panel.element);
    this.field = this.panel.field;
  }

  get offerLeft() {
    const seconds = (this.queues.get(this.slot.queue_slug)?.offer_seconds ?? 20) - (Date.now() - this.offered) / 1000;
    return Math.max(0, Math.ceil(seconds));
  }

  get secondsLeft() {
    return Math.max(0, Math.ceil((this.until - Date.now()) / 1000));
  }

  tick() {
    if (this.drawn === "room") {
      setText(this.lasted, since(this.since));
      this.showAway();
    }
    if (this.drawn === "offer") {
      setText(this.left, fill(gettext("%(s)s s"), { s: this.offerLeft }));
    }
    this.panel?.tick();
  }
}
