// Calling the visitor of a room back: whom, from which number, and the end of it.
import { announce, h, icon } from "../../shared/dom.js";
import { fill, gettext } from "../../shared/words.js";

export class CallBar {
  /** `act(what, body)` calls the agent's interface; `slot()` is the room as the server has it now. */
  constructor({ visit, act, slot }) {
    Object.assign(this, { visit, act, slot });
    this.element = h("div", { class: "room__call", role: "group" });
    this.field = null;
    this.drawn = null;
  }

  /** The visitor's name and number are known now, or others. A number that is being typed stays. */
  showWho(name) {
    this.element.setAttribute("aria-label", fill(gettext("Call %(name)s back"), { name }));
    if (this.field && !this.field.value) this.field.value = this.suggested;
  }

  /** What the visitor gave as contact, if that is a number. */
  get suggested() {
    const contact = this.slot().contact ?? "";
    return /^[+0-9][0-9\s().-]+$/.test(contact) ? contact : "";
  }

  /** Draw again only what has changed: a number that is being typed stays. */
  show() {
    const call = this.slot().call;
    const now = call ? `${call.state} ${call.number} ${call.callee}` : "";
    if (now === this.drawn) return;
    const had = this.element.contains(document.activeElement);
    this.drawn = now;
    if (!call) this.drawForm();
    else if (call.state === "running") this.drawCall(call);
    else this.element.replaceChildren(h("span", {}, call.state === "asked" ? gettext("Getting a number") : gettext("Releasing the number")));
    if (had) this.element.querySelector("button")?.focus();
  }

  drawForm() {
    const id = `call-${this.visit}`;
    const field = h("input", { id, class: "input", type: "tel", autocomplete: "off", maxlength: "40", required: true, placeholder: gettext("Number, such as +86 139 …") });
    field.value = this.suggested;
    this.field = field;
    const form = h("form", {}, h("label", { class: "visually-hidden", for: id }, gettext("Number to call")), field, h("button", { class: "button button--small" }, icon("call", "icon--small"), gettext("Call back")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.act("call-back", { visit: this.visit, number: field.value });
    });
    this.element.replaceChildren(form);
  }

  drawCall({ callee, number }) {
    const words = fill(gettext("Call %(callee)s from %(number)s"), { callee, number });
    this.element.replaceChildren(
      icon("phone_in_talk", "icon--small"),
      h("strong", { class: "num" }, words),
      h("button", { type: "button", class: "button button--small button--danger", onclick: () => this.act("call-end", { visit: this.visit }) }, icon("call_end", "icon--small"), gettext("End call")),
    );
    announce(words);
  }
}
