// One room of the agent's console: facts, transcript, composer; an offer before, a wrap-up after.
import { subscribe } from "../live.js";
import { ask } from "./dialog.js";
import { getJSON, h, icon, postJSON, setText } from "./dom.js";
import { CallBar } from "./line_agent_call.js";
import { showContext } from "./line_agent_context.js";
import { keepWrap, wrapPanel } from "./line_agent_wrap.js";
import { keep } from "./line_kept.js";
import { Talk, composer, keepDraft } from "./line_talk.js";
import { alertPerson } from "./line_alert.js";
import { newId } from "./line_visit_store.js";
import { toast, toastFailure } from "./toast.js";
import { clockOf, fill, gettext, timeOf } from "./words.js";

/** Why this agent, in a sentence: the scripts' words, said to a person. */
function whyWords(why) {
  const found = /^(fewest rooms longest idle|agent became free) rooms (\d+) idle s (\d+)$/.exec(why);
  if (!found) return why;
  const words = found[1] === "agent became free" ? gettext("you became free (%(rooms)s rooms, idle for %(idle)s s) and this visitor was next")
    : gettext("you had the fewest rooms (%(rooms)s) and were longest idle (%(idle)s s)");
  return fill(words, { rooms: found[2], idle: found[3] });
}

export class Room {
  constructor(slot, { act, page, queues, offerToken }) {
    Object.assign(this, { visit: slot.visit, slot, act, page, queues, offerToken });
    this.since = Date.now();
    this.until = 0;
    this.element = h("section", { class: "card room talk", tabindex: "-1", "data-room": slot.visit });
    this.label();
    this.drawn = "";
  }

  label() {
    this.element.setAttribute("aria-label", fill(gettext("Room of %(name)s"), { name: this.name }));
  }

  get name() {
    return this.slot.name || gettext("Visitor");
  }

  show(slot) {
    const { name } = this;
    this.slot = { ...this.slot, ...slot };
    // The desk tells of a visit a moment before SQL knows the visitor's name: then all is drawn once more.
    if (this.drawn === slot.kind && name === this.name) {
      this.calls?.show();
      return this.showAway();
    }
    this.drawn = slot.kind;
    this.label();
    this.until = 0;
    this.panel = null;
    if (slot.kind === "offer") this.drawOffer();
    else this.drawRoom();
  }

  number(place, isChosen) {
    if (this.place) setText(this.place, fill(gettext("Room %(n)s"), { n: place }));
    this.element.toggleAttribute("data-behind", !isChosen);
  }

  focus() {
    (this.field ?? this.element.querySelector("button") ?? this.element).focus({ preventScroll: false });
  }

  close() {
    this.unwatch?.();
    this.over();
    this.panel?.close();
    this.element.remove();
  }

  /** What was written and cannot be sent any more is not lost without a word. */
  over() {
    const unsent = [...(this.talk?.close() ?? []), this.composed?.value ?? ""].filter((text) => text.trim());
    this.composed = null;
    keep("draft", this.visit, "");
    if (unsent.length) toast({ kind: "bad", title: fill(gettext("Not sent to %(name)s: the room is over"), { name: this.name }), detail: unsent.join(" · "), topic: this.visit });
  }

  // -- an offer -----------------------------------------------------------------------------------

  drawOffer() {
    this.offered = this.slot.since_ms || Date.now();
    this.left = h("b", { class: "num" });
    this.element.className = "card room room--offer";
    this.element.replaceChildren(
      h(
        "div",
        { class: "room__offer" },
        icon("notifications_active", "icon--big"),
        h("h2", { class: "card__title" }, fill(gettext("%(name)s is offered to you"), { name: this.name })),
        h("p", {}, this.slot.topic || ""),
        h("p", { class: "card__hint" }, gettext("Answer within "), this.left),
        h("div", { class: "room__buttons" },
          h("button", { type: "button", class: "button", onclick: () => this.answer("decline") }, gettext("Decline")),
          h("button", { type: "button", class: "button button--primary", "aria-keyshortcuts": "A", onclick: () => this.accept() }, gettext("Accept"), h("span", { class: "key", "aria-hidden": "true" }, "A"))),
      ),
    );
    this.tick();
  }

  accept() {
    return this.answer("accept");
  }

  answer(what) {
    return this.act(what, { visit: this.visit, token: this.offerToken() });
  }

  // -- a room -------------------------------------------------------------------------------------

  drawRoom() {
    this.since = this.slot.since_ms || Date.now();
    this.place = h("span", { class: "chip" }, gettext("Room"));
    this.lasted = h("dd", { class: "num" }, "0:00");
    const waited = this.slot.joined ? clockOf((this.since - Date.parse(this.slot.joined)) / 1000) : "–";
    const fact = (label, value) => h("div", {}, h("dt", {}, label), value instanceof Element ? value : h("dd", { title: value }, value));
    const list = h("ol", { class: "talk__list", tabindex: "0", "aria-label": fill(gettext("Messages of %(name)s"), { name: this.name }) });
    this.typed = h("p", { class: "talk__typing", hidden: true }, icon("more_horiz", "icon--small"), fill(gettext("%(name)s is typing"), { name: this.name }));
    this.foot = h("div", { class: "room__foot" });
    this.element.className = "card room talk";
    this.calls = this.page.calls ? new CallBar({ visit: this.visit, name: this.name, act: this.act, slot: () => this.slot }) : null;
    this.context = showContext({ visit: this.visit });
    this.away = h("span", { class: "chip chip--warn", hidden: true });
    this.head = h("span", { class: "talk__tools" },
      h("button", { type: "button", class: "button button--small", "aria-keyshortcuts": "T", onclick: () => this.transfer() }, icon("swap_horiz", "icon--small"), gettext("Hand over")),
      h("button", { type: "button", class: "button button--small button--danger", "aria-keyshortcuts": "F", onclick: () => this.finish() }, gettext("End room")));
    this.element.replaceChildren(
      h("header", { class: "talk__head" }, this.place, h("h2", { class: "card__title" }, this.name), this.away, this.head),
      h("dl", { class: "room__facts" }, fact(gettext("In the room"), this.lasted), fact(gettext("Wait"), waited), fact(gettext("Topic"), this.slot.topic || "–"), fact(gettext("Queue"), this.slot.queue || "–")),
      ...(this.calls ? [this.calls.element] : []), this.context.element, list, this.typed, this.foot,
    );
    this.context.load();
    this.calls?.show();
    this.talk = new Talk(list, {
      mine: "agent",
      other: () => this.name,
      deliver: (id, text) => postJSON("/api/v1/agent/messages", { visit: this.visit, id, text }),
      heard: () => { this.typed.hidden = true; if (!document.hasFocus()) alertPerson(fill(gettext("%(name)s writes"), { name: this.name })); },
    });
    if (this.slot.why) this.talk.say(fill(gettext("Matched %(time)s: %(why)s"), { time: timeOf(this.since), why: whyWords(this.slot.why) }));
    this.talk.open(this.visit);
    this.showAway();
    this.drawComposer();
    this.unwatch?.();
    let first = true;
    this.unwatch = subscribe(`line.room:${this.visit}`, {
      snapshot: (data) => { this.talk.add(data.messages, !first); first = false; },
      change: (data) => this.talk.add(data.messages, true),
    });
  }

  drawComposer() {
    const id = `say-${this.visit}`;
    const field = h("textarea", { id, class: "input", rows: "3" });
    const note = h("label", { class: "check" }, h("input", { type: "checkbox" }), gettext("Note, for colleagues only"));
    const form = h("form", { class: "talk__composer" },
      h("label", { class: "visually-hidden", for: id }, fill(gettext("Message to %(name)s"), { name: this.name })),
      field,
      h("div", { class: "room__send" }, note, h("span", {}, h("span", { class: "key" }, "Enter"), ` ${gettext("sends")}`), h("button", { class: "button button--primary" }, icon("send"), gettext("Send"))));
    const box = note.querySelector("input");
    const replies = h("div", { class: "room__replies" }, ...this.page.replies.slice(0, 8).map((reply) => h("button", { type: "button", class: "button button--small", title: reply.text, onclick: () => { field.value = reply.text; field.focus(); } }, `/${reply.shortcut}`)));
    this.foot.className = "room__foot";
    this.foot.replaceChildren(...(this.page.replies.length ? [replies] : []), form);
    this.field = composer(form, {
      post: (text) => {
        if (!box.checked) return this.talk.post(text);
        box.checked = false;
        return this.note(text);
      },
      typing: () => (box.checked ? null : postJSON("/api/v1/agent/typing", { visit: this.visit })),
    });
    this.composed = field;
    keepDraft(field, this.visit, () => !box.checked); // a note must not come back as a message
    box.addEventListener("change", () => field.dispatchEvent(new Event("input")));
    // "/thanks" and a space: the canned reply of that name
    field.addEventListener("input", () => {
      const match = /^\/([a-z0-9-]+)\s$/.exec(field.value);
      const reply = match && this.page.replies.find((each) => each.shortcut === match[1]);
      if (reply) field.value = reply.text;
    });
  }

  async note(text) {
    try {
      this.talk.add([await postJSON("/api/v1/agent/notes", { visit: this.visit, id: newId(), text })]);
    } catch (error) {
      if (this.field) this.field.value = text;
      toastFailure(error);
    }
  }

  /** A visitor whose connection is lost may come back to this room for a while. */
  showAway() {
    if (!this.away) return;
    this.away.hidden = !this.slot.away_ms || this.drawn !== "room";
    if (!this.away.hidden) setText(this.away, fill(gettext("Away for %(time)s"), { time: clockOf((Date.now() - this.slot.away_ms) / 1000) }));
  }

  typing() {
    if (!this.typed) return;
    this.typed.hidden = false;
    clearTimeout(this.typedTimer);
    this.typedTimer = setTimeout(() => { this.typed.hidden = true; }, 4000);
  }

  /** End the room; in the wrap-up: be free. */
  async finish() {
    if (this.kind === "offer") return;
    if (this.until) return this.panel.free();
    const answer = await ask({ title: fill(gettext("End the room of %(name)s"), { name: this.name }), text: gettext("The visitor is asked for a rating."), go: gettext("End room"), danger: true });
    if (answer) await this.act("finish", { visit: this.visit });
  }

  async transfer() {
    if (!this.talk || this.until) return;
    const dialog = document.getElementById("transfer");
    const select = dialog.querySelector("[data-transfer-to]");
    let found;
    try {
      found = await getJSON("/api/v1/agent/colleagues");
    } catch (error) {
      return toastFailure(error);
    }
    const group = (label, rows) => (rows.length ? h("optgroup", { label }, ...rows) : null);
    select.replaceChildren(...[
      group(gettext("Queues"), found.queues.filter((each) => each.slug !== this.slot.queue_slug).map((each) => h("option", { value: `queue ${each.slug}` }, each.name))),
      group(gettext("Agents online"), found.agents.map((each) => h("option", { value: `agent ${each.agent}`, disabled: each.free < 1 }, each.free < 1 ? `${each.name} (${gettext("no free room")})` : each.name))),
    ].filter(Boolean));
    dialog.returnValue = "";
    dialog.addEventListener("close", () => {
      if (dialog.returnValue !== "go" || !select.value) return;
      const [kind, name] = select.value.split(" ");
      this.act("transfer", { visit: this.visit, [kind]: kind === "agent" ? Number(name) : name });
    }, { once: true });
    dialog.showModal();
    select.focus();
  }

  // -- the wrap-up --------------------------------------------------------------------------------

  wrap(until) {
    if (this.until === until) return;
    this.until = until;
    if (!this.visit.startsWith("wrap-up")) keepWrap(until, this.slot);
    if (this.panel) return this.panel.extend(until);
    this.kind = this.drawn = "wrap_up";
    this.over();
    this.showAway();
    this.calls?.element.remove();
    this.calls = null;
    this.context?.element.remove();
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

  tick() {
    if (this.drawn === "room") {
      setText(this.lasted, clockOf((Date.now() - this.since) / 1000));
      this.showAway();
    }
    if (this.drawn === "offer") {
      const seconds = (this.queues.get(this.slot.queue_slug)?.offer_seconds ?? 20) - (Date.now() - this.offered) / 1000;
      setText(this.left, fill(gettext("%(s)s s"), { s: Math.max(0, Math.ceil(seconds)) }));
    }
    this.panel?.tick();
  }
}
