// A growing transcript, for visitors and agents: each message appears once, as text and never as HTML.
import { h, icon } from "../shared/dom.js";
import { keep, kept } from "./kept.js";
import { Outbox } from "./outbox.js";
import { Receipts } from "./receipts.js";
import { limitText } from "./text_limit.js";
import { fill, gettext, timeOf } from "../shared/words.js";

// Texts of the server's system messages about a supervisor who joins or leaves.
const GUEST = { joined: gettext("%(name)s joined the conversation"), left: gettext("%(name)s left the conversation") };

/** The row of a supervisor's whisper to the agent. The server never sends whispers to visitors. */
function whisperRow(message) {
  const who = fill(gettext("Only you and %(name)s"), { name: message.name || gettext("a supervisor") });
  return h("li", { class: "talk__row talk__row--note talk__row--whisper" }, h("p", { class: "talk__words" }, message.text), h("span", { class: "talk__by" }, icon("hearing", "icon--tiny"), ` ${who} · `, h("time", { datetime: message.at }, timeOf(new Date(message.at)))));
}

const AT_END = 48; // px from the end within which the list follows new messages

export class Talk {
  /**
   * @param {HTMLElement} list
   * @param {{mine: "visitor" | "agent", other: () => string, deliver: (id: string, text: string) => Promise<any>, heard?: (message: any) => void, read: (number: number) => Promise<any>, files?: import("./attachments.js").Files}} options
   */
  constructor(list, { mine, other, deliver, heard = () => {}, read, files = null }) {
    Object.assign(this, { list, mine, other, deliver, heard, files });
    this.rows = new Map(); // message number → row
    this.own = new Map(); // message ID → row of a message that is being sent
    this.receipts = new Receipts(this, read);
    this.jump = h("button", { type: "button", class: "button button--small talk__jump", hidden: true, onclick: () => this.toEnd() }, icon("arrow_downward", "icon--tiny"), gettext("Newest messages"));
    list.after(this.jump);
    list.addEventListener("scroll", () => { if (this.atEnd) this.jump.hidden = true; }, { passive: true });
  }

  get atEnd() {
    return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight <= AT_END;
  }

  /** Add the server's messages; `fresh`: they were written just now. */
  add(messages, fresh = false) {
    const follows = this.atEnd;
    for (const message of messages) {
      if (this.rows.has(message.number)) continue;
      const onItsWay = message.author === this.mine ? this.own.get(message.id) : null;
      const row = this.row(message);
      onItsWay?.remove();
      this.own.delete(message.id);
      this.list.insertBefore(row, this.following(message.number));
      if (onItsWay) this.outbox.forget(message.id);
      this.rows.set(message.number, row);
      if (fresh && message.author !== this.mine && message.author !== "note") this.heard(message);
      if (!follows && !onItsWay) this.jump.hidden = false;
    }
    if (follows) this.toEnd();
    this.receipts.changed();
  }

  /** Return the row before which a message belongs: one with a higher number may have come first. */
  following(number) {
    const next = Math.min(...[...this.rows.keys()].filter((each) => each > number));
    return this.rows.get(next) ?? [...this.own.values()].find((each) => each.isConnected) ?? null;
  }

  /** Add a line about the room itself. */
  say(text, sign = "bolt") {
    const follows = this.atEnd;
    this.list.append(h("li", { class: "talk__system" }, icon(sign, "icon--small"), text));
    if (follows) this.toEnd();
  }

  /** Start the conversation of this visit: show and send what this tab has not sent yet. */
  open(visit) {
    this.outbox = new Outbox(visit, this.deliver, {
      sending: (id) => this.tell(id, gettext("Sending")),
      delivered: (message) => this.add([message]),
      failed: (id, error) => this.tellUnsent(id, error, () => this.outbox.send()),
      refused: (id, text, error) => this.tellUnsent(id, error, () => { this.drop(id); this.post(text); }),
    });
    this.outbox.messages.forEach((message) => this.draw(message));
    this.outbox.send();
  }

  /** Stop after the room has ended. Returns the texts that were never sent. */
  close() {
    this.receipts.close();
    return this.outbox?.close() ?? [];
  }

  /** Return the texts of this side, sent or not. */
  texts() {
    return [...this.list.querySelectorAll(".talk__row--mine .talk__words")].map((words) => words.textContent);
  }

  /** Send what was typed. It is shown at once, and marked until the server has it. */
  post(text) {
    this.draw(this.outbox.post(text));
    this.outbox.send();
  }

  draw({ id, text }) {
    const row = h("li", { class: "talk__row talk__row--mine talk__row--sending" }, h("p", { class: "talk__words" }, text), h("span", { class: "talk__by" }, gettext("Sending")));
    this.own.set(id, row);
    this.list.append(row);
    this.toEnd();
  }

  tell(id, ...words) {
    this.own.get(id)?.lastElementChild.replaceChildren(...words);
  }

  tellUnsent(id, error, again) {
    this.tell(id, icon("error", "icon--tiny"), ` ${gettext("Not sent.")} ${error.detail ?? ""} `, h("button", { type: "button", class: "link-button", onclick: again }, gettext("Send again")));
  }

  drop(id) {
    this.own.get(id)?.remove();
    this.own.delete(id);
  }

  row(message) {
    const mine = message.author === this.mine;
    const note = message.author === "note";
    if (message.author === "system" && GUEST[message.text]) return h("li", { class: "talk__system" }, icon("supervisor_account", "icon--small"), fill(GUEST[message.text], { name: message.name }));
    if (message.author === "whisper") return whisperRow(message);
    const who = note ? fill(gettext("Note from %(name)s"), { name: message.name || gettext("a colleague") }) : mine ? gettext("You") : message.name || this.other();
    const kind = note ? "note" : message.author === "system" ? "system" : mine ? "mine" : "theirs";
    const at = new Date(message.at);
    const file = message.attachment && this.files ? this.files.show(message.attachment) : null;
    const words = file && !message.text ? null : h("p", { class: "talk__words" }, message.text);
    return h("li", { class: `talk__row talk__row--${kind}` }, file, words, h("span", { class: "talk__by" }, `${who} · `, h("time", { datetime: message.at }, timeOf(at))));
  }

  toEnd() {
    this.jump.hidden = true;
    this.list.scrollTop = this.list.scrollHeight;
  }
}

/** Start a message field: Enter sends, Shift+Enter adds a line; `typing` is called at most once in 3 s. */
export function composer(form, { post, typing, files = null }) {
  const field = form.querySelector("textarea");
  const fits = limitText(field);
  let told = 0;
  const submit = () => {
    const text = field.value.trim();
    const sendsFiles = files?.ready;
    if ((!text && !sendsFiles) || !fits()) return;
    field.value = "";
    field.dispatchEvent(new Event("input"));
    if (sendsFiles) files.send(text);
    else post(text);
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); submit(); field.focus(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
  });
  field.addEventListener("input", () => {
    if (!field.value || Date.now() - told < 3000) return;
    told = Date.now();
    Promise.resolve(typing()).catch(() => {}); // a missing typing signal does no harm
  });
  return field;
}

/** Keep what is typed over a reload, while `keeps` returns true. */
export function keepDraft(field, visit, keeps = () => true) {
  field.value ||= kept("draft", visit, "");
  field.addEventListener("input", () => keep("draft", visit, keeps() ? field.value : ""));
}
