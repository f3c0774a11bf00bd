// The numbered slots of an agent's rooms. A room keeps its slot; when it ends, the slot is empty until filled again.
import { h, icon, setText } from "../../shared/dom.js";
import { refill } from "../../shared/figures.js";
import { summaryOf } from "./facts.js";
import { keep, kept } from "../kept.js";
import { fill, gettext, ngettext, timeOf } from "../../shared/words.js";

/** Which room is in which slot. Survives reloads of this tab. */
export class Slots {
  constructor(user, capacity) {
    this.user = String(user);
    this.isNew = true;
    /** @type {{visit: string, name: string, endedAt: number}[]} */
    this.rows = kept("slots", this.user, []).slice(0, 99);
    while (this.rows.length < capacity) this.rows.push({ visit: "", name: "", endedAt: 0 });
    this.capacity = capacity;
  }

  /** Place the current rooms: each keeps its slot, and a new room gets the first empty slot. */
  place(rooms) {
    const there = new Map(rooms.map((room) => [room.visit, room]));
    this.rows.forEach((row, index) => {
      const room = there.get(row.visit);
      if (room) {
        if (!room.visit.startsWith("wrap-up")) row.name = room.name;
        if (room.until) row.endedAt ||= Date.now(); // the wrap-up starts when the room ends
      } else if (row.visit) {
        this.rows[index] = { visit: "", name: row.name, endedAt: row.endedAt || (this.isNew ? 0 : Date.now()) };
      }
    });
    const placed = new Set(this.rows.map((row) => row.visit));
    for (const room of rooms.filter((each) => !placed.has(each.visit))) {
      const free = this.rows.findIndex((row) => !row.visit);
      this.rows[free < 0 ? this.rows.length : free] = { visit: room.visit, name: room.name, endedAt: 0 };
    }
    while (this.rows.length > this.capacity && !this.rows.at(-1).visit) this.rows.pop();
    this.isNew = false;
    keep("slots", this.user, this.rows);
  }

  indexOf(visit) {
    return this.rows.findIndex((row) => row.visit === visit);
  }

  get used() {
    return this.rows.filter((row) => row.visit).length;
  }
}

/** "Your rooms": a row for each slot, and tabs on a phone. */
export class SlotList {
  constructor({ list, count, tabs, choose }) {
    Object.assign(this, { list, count, tabs, choose, rows: [], chips: [] });
  }

  /** Reserve the space of the slots before their rooms are known. */
  reserve(count) {
    while (this.rows.length < count) {
      const row = this.row(this.rows.length);
      this.rows.push(row);
      row.button.disabled = true;
      row.second.textContent = "\u00a0";
    }
  }

  /** Draw the slots; `roomOf(visit)` returns the Room of a slot. */
  draw(slots, chosen, roomOf) {
    while (this.rows.length < slots.rows.length) this.rows.push(this.row(this.rows.length));
    while (this.rows.length > slots.rows.length) this.rows.pop().item.remove();
    setText(this.count, fill(gettext("%(used)s of %(all)s in use"), { used: slots.used, all: slots.rows.length }));
    slots.rows.forEach((row, index) => this.fill(this.rows[index], row, index === chosen, row.visit ? roomOf(row.visit) : null));
    this.drawTabs(slots, chosen, roomOf);
  }

  row(index) {
    const row = {
      name: h("span", { class: "slot__name" }),
      chip: h("span", { class: "chip", hidden: true }),
      unread: h("span", { class: "badge slot__unread num", hidden: true }),
      time: h("span", { class: "slot__time num" }),
      second: h("span", { class: "slot__second" }),
    };
    row.button = h("button", { type: "button", class: "slot", "aria-keyshortcuts": String(index + 1), onclick: () => this.choose(index) },
      h("span", { class: "slot__number num" }, String(index + 1)), h("span", { class: "slot__head" }, row.name, row.chip, row.unread), row.time, row.second);
    row.item = h("li", {}, row.button);
    this.list.append(row.item);
    return row;
  }

  fill(row, slot, isChosen, room) {
    const { button } = row;
    button.disabled = !room;
    button.classList.toggle("slot--empty", !room);
    if (isChosen) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    setText(row.name, room ? slot.name : gettext("Empty"));
    const seen = room ? summaryOf(room) : { chip: "", time: "", unread: 0, words: endedWords(slot) };
    row.chip.hidden = !seen.chip;
    if (seen.chip !== row.chipped) row.chip.replaceChildren(...(seen.sign ? [icon(seen.sign)] : []), seen.chip);
    row.chipped = seen.chip;
    row.unread.hidden = !seen.unread;
    setText(row.unread, seen.unread ? fill(ngettext("%(n)s new", "%(n)s new", seen.unread), { n: seen.unread }) : "");
    setText(row.time, seen.time);
    setText(row.second, seen.words);
  }

  drawTabs(slots, chosen, roomOf) {
    const used = slots.rows.map((row, index) => [row, index]).filter(([row]) => row.visit);
    const words = used.length < 2 ? [] : used.map(([row, index]) => {
      const room = roomOf(row.visit);
      const unread = room ? summaryOf(room).unread : 0;
      return `${index + 1} ${row.name}${unread ? ` (${unread})` : ""}`;
    });
    const now = JSON.stringify([words, chosen]);
    if (now === this.tabsDrawn) return;
    this.tabsDrawn = now;
    refill(this.tabs, words.map((text, at) => h("button", { type: "button", "data-focus": `tab ${used[at][1]}`, "aria-pressed": String(used[at][1] === chosen), onclick: () => this.choose(used[at][1]) }, text)));
  }
}

function endedWords({ name, endedAt }) {
  if (!endedAt) return gettext("No visitor yet");
  return fill(gettext("Room with %(name)s ended at %(time)s"), { name, time: timeOf(new Date(endedAt)) });
}
