// A queue's opening hours in the week: from and until. Without this module, days are text fields, "09:00-18:00, …".
import { h, icon } from "../shared/dom.js";
import { fill, gettext } from "../shared/words.js";

const SPAN = /^(\d{1,2})[:.](\d{2})\s*[-–]\s*(\d{1,2})[:.](\d{2})$/;
const WEEKDAYS = 5; // Monday to Friday
const MIDNIGHT = "24:00";

/** "09:00-12:00, 13:00-24:00" → [["09:00", "12:00"], ["13:00", "00:00"]]; null if the text is invalid. */
function readHours(text) {
  const spans = [];
  for (const part of text.split(",").map((each) => each.trim()).filter(Boolean)) {
    const found = SPAN.exec(part);
    if (!found) return null;
    const [, beginHour, beginMinute, endHour, endMinute] = found;
    const end = `${endHour.padStart(2, "0")}:${endMinute}`;
    spans.push([`${beginHour.padStart(2, "0")}:${beginMinute}`, end === MIDNIGHT ? "00:00" : end]);
  }
  return spans;
}

/** The reverse of readHours. A span with a missing time is left out. */
const writeHours = (spans) =>
  spans.filter(([begin, end]) => begin && end).map(([begin, end]) => `${begin}-${end === "00:00" ? MIDNIGHT : end}`).join(", ");

class Day {
  constructor(input, spans) {
    this.input = input;
    this.number = Number(input.dataset.hoursDay);
    this.field = input.closest(".field");
    const label = this.field.querySelector("label");
    label.id = `${input.id}_label`;
    label.removeAttribute("for");
    this.name = label.textContent;
    this.list = h("div", { class: "hours__spans" });
    const tools = [h("button", { type: "button", class: "button button--small", onclick: () => this.add() }, gettext("Add hours"))];
    if (this.number === 0) tools.unshift(h("button", { type: "button", class: "button button--small button--ghost", onclick: () => this.copy() }, gettext("Copy to Monday to Friday")));
    input.type = "hidden";
    input.after(h("div", { class: "hours", role: "group", "aria-labelledby": label.id }, this.list, h("div", { class: "hours__tools" }, ...tools)));
    this.show(spans);
  }

  show(spans) {
    this.list.replaceChildren(...spans.map((span) => this.row(span)));
    this.tell();
  }

  row([begin, end]) {
    const time = (value, words) => h("input", { type: "time", class: "input", value, "aria-label": fill(words, { day: this.name }), oninput: () => this.tell() });
    const row = h("div", { class: "hours__span" });
    row.append(
      time(begin, gettext("%(day)s, from")), h("span", { "aria-hidden": "true" }, "–"), time(end, gettext("%(day)s, until")),
      h("span", { class: "hours__next" }),
      h("button", { type: "button", class: "button button--small button--ghost", "aria-label": fill(gettext("%(day)s: remove these hours"), { day: this.name }), onclick: () => { row.remove(); this.tell(); } }, icon("close", "icon--small")),
    );
    return row;
  }

  get spans() {
    return [...this.list.querySelectorAll(".hours__span")].map((row) => [...row.querySelectorAll("input")].map((input) => input.value));
  }

  /** Write the hours into the form's hidden field. */
  tell() {
    this.input.value = writeHours(this.spans);
    for (const row of this.list.querySelectorAll(".hours__span")) {
      const [begin, end] = [...row.querySelectorAll("input")].map((input) => input.value);
      row.querySelector(".hours__next").textContent = begin && end && end !== "00:00" && end < begin ? gettext("next day") : "";
    }
    this.list.querySelector(".hours__closed")?.remove();
    if (!this.list.children.length) this.list.append(h("span", { class: "hours__closed" }, gettext("Closed")));
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  add() {
    const [last] = this.spans.slice(-1);
    this.show([...this.spans, last ? [last[1], ""] : ["09:00", "18:00"]]);
    this.list.lastElementChild.querySelector("input").focus();
  }

  copy() {
    for (const day of days.slice(0, WEEKDAYS)) if (day !== this) day.show(this.spans);
  }
}

const inputs = [...document.querySelectorAll("[data-hours-day]")];
const read = inputs.map((input) => readHours(input.value));
const days = read.some((spans) => spans === null) ? [] : inputs.map((input, index) => new Day(input, read[index])); // texts stay if one is invalid

const always = document.querySelector("#id_always");
function showDays() {
  for (const input of inputs) input.closest(".field").hidden = always.checked;
}
if (always && inputs.length) {
  always.addEventListener("change", showDays);
  if (!inputs.some((input) => input.closest(".field--error"))) showDays();
}
