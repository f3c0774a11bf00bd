// Calling the visitor of a room back: the callee, the number used, and ending the call.
import { announce, h, icon } from "../../shared/dom.js";
import { fill, gettext } from "../../shared/words.js";

export class CallBar {
  /** `act(what, body)` calls the agent's API; `slot()` returns the room's current state on the server. */
  constructor({ visit, act, slot }) {
    Object.assign(this, { visit, act, slot });
    this.element = h("div", { class: "room__call", role: "group" });
    this.field = null;
    this.drawn = null;
  }

  /** Show the visitor's name and number when they become known or change. A number that is being typed stays. */
  showWho(name) {
    this.element.setAttribute("aria-label", fill(gettext("Call %(name)s back"), { name }));
    if (this.field && !this.field.value) this.field.value = this.suggested;
  }

  /** The visitor's contact if it is a telephone number, otherwise "". */
  get suggested() {
    const contact = this.slot().contact ?? "";
    return /^[+0-9][0-9\s().-]+$/.test(contact) ? contact : "";
  }

  /** Redraw only if the call changed, so that a number that is being typed stays. */
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
