// Read receipts of a transcript: reports how far this side has read, and shows how far the other side has read.
import { h, icon } from "../shared/dom.js";
import { fill, gettext, timeOf } from "../shared/words.js";

const LOOK = 250; // ms until a message in view counts as read
const PAUSE = 1000; // ms between two calls
const AGAIN = 5000; // ms after a failed call

export class Receipts {
  /**
   * @param {{list: HTMLElement, rows: Map<number, HTMLElement>, mine: string}} talk
   * @param {(number: number) => Promise<any>} tell report to the server up to which message this side has read
   */
  constructor(talk, tell) {
    Object.assign(this, { talk, tell, seen: 0, told: 0, timer: 0, busy: false, closed: false, reads: {}, marks: [] });
    this.theirs = talk.mine === "agent" ? "visitor" : "agent";
    this.look = () => this.soon(LOOK);
    talk.list.addEventListener("scroll", this.look, { passive: true });
    addEventListener("focus", this.look);
    document.addEventListener("visibilitychange", this.look);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    removeEventListener("focus", this.look);
    document.removeEventListener("visibilitychange", this.look);
  }

  /** Show the server's state: side → {number, at}. Older states change nothing. */
  show(reads = {}) {
    for (const [side, read] of Object.entries(reads ?? {})) if (read && read.number > (this.reads[side]?.number ?? 0)) this.reads[side] = read;
    this.seen = Math.max(this.seen, this.reads[this.talk.mine]?.number ?? 0);
    this.told = Math.max(this.told, this.reads[this.talk.mine]?.number ?? 0);
    this.changed();
  }

  /** Handle new messages or changed rows. */
  changed() {
    this.mark();
    this.look();
  }

  /** The number of the other side's messages that have not been seen yet. */
  get unread() {
    return this.numbers("theirs").filter((number) => number > this.seen).length;
  }

  numbers(kind) {
    return [...this.talk.rows].filter(([, row]) => row.classList.contains(`talk__row--${kind}`)).map(([number]) => number);
  }

  // -- what the other side has read -----------------------------------------------------------------

  /** Mark our last message that was read with "Read", and our last message with "Sent" if it is later. */
  mark() {
    this.marks.forEach((mark) => mark.remove());
    this.marks = [];
    const own = this.numbers("mine");
    const read = this.reads[this.theirs] ?? { number: 0 };
    const last = Math.max(0, ...own);
    const lastRead = Math.max(0, ...own.filter((number) => number <= read.number));
    if (lastRead) this.put(lastRead, "done_all", fill(gettext("Read %(time)s"), { time: timeOf(new Date(read.at)) }));
    if (last > lastRead) this.put(last, "done", gettext("Sent"));
  }

  put(number, sign, words) {
    const mark = h("span", { class: "talk__receipt" }, " · ", icon(sign, "icon--tiny"), words);
    this.talk.rows.get(number).querySelector(".talk__by")?.append(mark);
    this.marks.push(mark);
  }

  // -- what this side has read ----------------------------------------------------------------------

  soon(ms) {
    if (this.closed || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.check();
    }, ms);
  }

  async check() {
    if (this.busy || document.hidden || !document.hasFocus()) return;
    this.seen = Math.max(this.seen, this.inSight());
    if (this.seen <= this.told) return;
    const number = this.seen;
    this.busy = true;
    let wait = PAUSE;
    try {
      this.show(await this.tell(number));
      this.told = Math.max(this.told, number);
    } catch {
      wait = AGAIN;
    }
    setTimeout(() => {
      this.busy = false;
      this.look();
    }, wait);
  }

  /** Return the number of the other side's newest message in view. */
  inSight() {
    const frame = this.talk.list.getBoundingClientRect();
    const bottom = Math.min(frame.bottom, innerHeight);
    if (!frame.height || frame.top >= bottom) return 0;
    return Math.max(0, ...this.numbers("theirs").filter((number) => {
      const row = this.talk.rows.get(number).getBoundingClientRect();
      return row.height > 0 && row.top < bottom - 8 && row.bottom > frame.top;
    }));
  }
}
