// A transcript that grows, for visitors and agents: each message once, text only, never HTML.
import { connection } from "../live.js";
import { h, icon } from "./dom.js";
import { newId } from "./line_visit_store.js";
import { fill, gettext, minuteOf } from "./words.js";

const PAUSE = 2000; // between two tries of a message that did not reach the server

export class Talk {
  /**
   * @param {HTMLElement} list
   * @param {{mine: "visitor" | "agent", other: () => string, send: (id: string, text: string) => Promise<any>, heard?: (message: any) => void}} options
   */
  constructor(list, { mine, other, send, heard = () => {} }) {
    Object.assign(this, { list, mine, other, send, heard });
    this.rows = new Map(); // number → row
    this.own = new Map(); // id → row that is on its way
  }

  clear() {
    this.rows.clear();
    this.own.clear();
    this.list.replaceChildren();
  }

  /** Add messages of the server; `fresh`: they were said just now. */
  add(messages, fresh = false) {
    for (const message of messages) {
      if (this.rows.has(message.number)) continue;
      const onItsWay = message.author === this.mine ? this.own.get(message.id) : null;
      const row = this.row(message);
      if (onItsWay) onItsWay.replaceWith(row);
      else this.list.insertBefore(row, [...this.own.values()].find((each) => each.isConnected) ?? null);
      this.own.delete(message.id);
      this.rows.set(message.number, row);
      if (fresh && message.author !== this.mine && message.author !== "note") this.heard(message);
    }
    this.toEnd();
  }

  /** A line about the room itself. */
  say(text, sign = "bolt") {
    this.list.append(h("li", { class: "talk__system" }, icon(sign, "icon--small"), text));
    this.toEnd();
  }

  /** Send what was typed: it stands in the list at once, says when it was not taken, and is sent again by itself
   * when a lost connection is back. */
  post(text) {
    const id = newId();
    const state = h("span", { class: "talk__by" }, gettext("Sending"));
    const row = h("li", { class: "talk__row talk__row--mine talk__row--sending" }, h("p", { class: "talk__words" }, text), state);
    this.own.set(id, row);
    this.list.append(row);
    this.toEnd();
    let failedAt = 0;
    const whenBack = () => {
      if (!row.isConnected) connection.removeEventListener("state", whenBack);
      else if (connection.state === "live" && Date.now() - failedAt > PAUSE) attempt();
    };
    const attempt = async () => {
      connection.removeEventListener("state", whenBack);
      state.replaceChildren(gettext("Sending"));
      try {
        this.add([await this.send(id, text)]);
      } catch (error) {
        if (!row.isConnected) return;
        failedAt = Date.now();
        if (!error.status || error.status >= 500) connection.addEventListener("state", whenBack); // the id makes it one message
        state.replaceChildren(icon("error", "icon--tiny"), ` ${gettext("Not sent.")} ${error.detail ?? ""} `, h("button", { type: "button", class: "link-button", onclick: attempt }, gettext("Send again")));
      }
    };
    return attempt();
  }

  row(message) {
    const mine = message.author === this.mine;
    const note = message.author === "note";
    const who = note ? fill(gettext("Note of %(name)s"), { name: message.name || gettext("a colleague") }) : mine ? gettext("You") : message.name || this.other();
    const kind = note ? "note" : message.author === "system" ? "system" : mine ? "mine" : "theirs";
    const at = new Date(message.at);
    return h("li", { class: `talk__row talk__row--${kind}` }, h("p", { class: "talk__words" }, message.text), h("span", { class: "talk__by" }, `${who} · `, h("time", { datetime: message.at }, minuteOf(at))));
  }

  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }
}

/** Enter sends, Shift+Enter breaks the line; `typing` is told at most once in 3 s. */
export function composer(form, { post, typing }) {
  const field = form.querySelector("textarea");
  let told = 0;
  const submit = () => {
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    post(text);
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); submit(); field.focus(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
  });
  field.addEventListener("input", () => {
    if (!field.value || Date.now() - told < 3000) return;
    told = Date.now();
    Promise.resolve(typing()).catch(() => {}); // nobody misses it
  });
  return field;
}
