// Messages on their way to the server: sent in order, each once, and stored until the server has them.
import { connection } from "../../live.js";
import { pauseBefore } from "../../live/retry.js";
import { keep, kept } from "./kept.js";
import { newId } from "./ids.js";

const REFUSED = new Set([404, 409, 413, 422]); // the server would refuse these again

export class Outbox {
  /**
   * @param {string} visit whose room it is
   * @param {(id: string, text: string) => Promise<any>} deliver send to the server, which takes each ID once
   * @param {{sending: Function, delivered: Function, failed: Function, refused: Function}} on called with results
   */
  constructor(visit, deliver, on) {
    Object.assign(this, { visit, deliver, on, busy: false, closed: false, tries: 0, retry: 0 });
    /** @type {{id: string, text: string}[]} */
    this.messages = kept("unsent", visit, []);
    this.whenLive = () => { if (connection.state === "live") this.send(); };
    connection.addEventListener("state", this.whenLive);
  }

  post(text) {
    const message = { id: newId(), text };
    this.messages.push(message);
    keep("unsent", this.visit, this.messages);
    return message;
  }

  /** Remove a message that the server has. */
  forget(id) {
    this.messages = this.messages.filter((message) => message.id !== id);
    keep("unsent", this.visit, this.messages);
  }

  /** Send the messages one after another. A later message never overtakes one that is being retried. */
  async send() {
    clearTimeout(this.retry);
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.messages.length && !this.closed && await this.sendFirst());
    } finally {
      this.busy = false;
    }
  }

  /** Send the first message. Returns whether the next message may follow. */
  async sendFirst() {
    const [{ id, text }] = this.messages;
    this.on.sending(id);
    try {
      const message = await this.deliver(id, text);
      this.tries = 0;
      this.forget(id);
      this.on.delivered(message);
      return true;
    } catch (error) {
      if (REFUSED.has(error.status)) {
        this.forget(id);
        this.on.refused(id, text, error);
        return true;
      }
      this.tries += 1;
      this.retry = setTimeout(() => this.send(), pauseBefore(this.tries) * 1000);
      this.on.failed(id, error);
      return false;
    }
  }

  /** Stop after the room has ended. Returns the texts that the server never received. */
  close() {
    this.closed = true;
    clearTimeout(this.retry);
    connection.removeEventListener("state", this.whenLive);
    const texts = this.messages.map((message) => message.text);
    keep("unsent", this.visit, []);
    return texts;
  }
}
