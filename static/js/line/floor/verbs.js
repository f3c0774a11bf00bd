// A supervisor's actions on the floor. Each action names its target; users who may not use an action don't see it.
import { did } from "../../shared/act.js";
import { ask } from "../../shared/dialog.js";
import { h, icon } from "../../shared/dom.js";
import { pauseWords } from "../reasons.js";
import { fill, gettext } from "../../shared/words.js";

export class FloorVerbs {
  constructor(page) {
    this.page = page;
    this.mayAct = page.may_supervise;
    this.stale = false;
    this.menu = document.querySelector("[data-agent-menu]");
    this.opener = null;
    document.addEventListener("click", (event) => { if (this.opener && !event.composedPath().includes(this.menu) && !this.opener.contains(event.target)) this.close(); });
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.close());
  }

  storyOf(visit) {
    return `/desks/${this.page.desk}/visits/${visit}/`;
  }

  button(sign, words, run, focus) {
    return h("button", { type: "button", class: "button button--small", "data-focus": focus, "data-verb": "", disabled: this.stale, title: this.stale ? gettext("The figures aren't live. Wait until they're up to date.") : null, onclick: run }, icon(sign, "icon--small"), words);
  }

  /** Disable all actions while the figures are old, and give the reason on each button. */
  setStale(stale) {
    this.stale = stale;
    for (const button of document.querySelectorAll("[data-verb]")) {
      button.disabled = stale;
      button.title = stale ? gettext("The figures aren't live. Wait until they're up to date.") : "";
    }
  }

  does(path, body, title) {
    return did(`/api/v1/desks/${this.page.desk}/${path}`, body, { title });
  }

  toFront(visit, name) {
    return this.does(`visits/${visit}/front`, {}, fill(gettext("%(name)s moved to the front of the line"), { name }));
  }

  async end(visit, name) {
    const answer = await ask({ title: fill(gettext("End the visit of %(name)s?"), { name }), text: gettext("The visitor will see that a supervisor ended the visit."), go: gettext("End visit"), danger: true, reason: "required" });
    if (answer) await this.does(`visits/${visit}/end`, answer, fill(gettext("Visit of %(name)s ended"), { name }));
  }

  async takeOver({ visit, name }, agent) {
    const answer = await ask({ title: fill(gettext("Take over the room with %(name)s?"), { name }), text: fill(gettext("%(agent)s leaves the room, and you continue the conversation."), { agent: agent.name }), go: gettext("Take over"), reason: "required" });
    if (answer) await this.does(`visits/${visit}/take-over`, answer, fill(gettext("You took over the room with %(name)s"), { name }));
  }

  async logOut(agent) {
    const answer = await ask({ title: fill(gettext("Log out %(name)s?"), { name: agent.name }), text: gettext("Visitors in rooms go back to the front of the line."), go: gettext("Log out"), danger: true, reason: "required" });
    if (answer) await this.does(`agents/${agent.id}/logout`, answer, fill(gettext("%(name)s was logged out"), { name: agent.name }));
  }

  pause(agent, reason) {
    return this.does(`agents/${agent.id}/pause`, { reason }, agent.slots.length ? fill(gettext("%(name)s pauses after the rooms"), { name: agent.name }) : fill(gettext("%(name)s is paused"), { name: agent.name }));
  }

  // -- an agent's menu ------------------------------------------------------------------------------

  get isOpen() {
    return this.opener !== null;
  }

  toggle(button, agent) {
    const again = this.opener === button;
    this.close();
    if (again) return;
    this.opener = button;
    button.setAttribute("aria-expanded", "true");
    this.fillMenu(this.items(agent));
    const at = button.getBoundingClientRect();
    this.menu.hidden = false;
    const { offsetHeight: high, offsetWidth: wide } = this.menu;
    this.menu.style.setProperty("inset-block-start", `${Math.max(8, Math.min(at.bottom + 4, innerHeight - high - 8))}px`);
    this.menu.style.setProperty("inset-inline-start", `${Math.max(8, at.right - wide)}px`);
    this.menu.querySelector("a, button")?.focus();
  }

  close(focus = false) {
    if (!this.opener) return;
    this.menu.hidden = true;
    this.opener.setAttribute("aria-expanded", "false");
    if (focus) this.opener.focus();
    this.opener = null;
  }

  fillMenu(items) {
    this.menu.replaceChildren(...items);
  }

  items(agent) {
    const rooms = agent.slots.filter((slot) => slot.kind === "room").map((slot) => ({ ...slot, name: slot.name || gettext("Visitor") }));
    const item = (sign, words, run, more = "") => h("button", { type: "button", class: `menu__item ${more}`.trim(), "data-verb": "", onclick: run }, icon(sign), words);
    const acts = (run) => () => { this.close(true); run(); };
    const { own_agent: mine } = this.page;
    return [
      h("p", { class: "menu__label" }, agent.name),
      ...rooms.map((room) => h("a", { class: "menu__item", href: this.storyOf(room.visit) }, icon("headphones"), fill(gettext("Listen to %(name)s"), { name: room.name }))),
      ...(mine && mine !== agent.id ? rooms.map((room) => item("pan_tool", fill(gettext("Take over %(name)s…"), { name: room.name }), acts(() => this.takeOver(room, agent)))) : []),
      ...(rooms.length ? [h("hr", { class: "menu__rule" })] : []),
      ...(agent.state !== "paused" && !agent.pending ? [item("pause_circle", rooms.length ? fill(gettext("Pause %(name)s after the rooms…"), { name: agent.name }) : fill(gettext("Pause %(name)s…"), { name: agent.name }), () => { this.fillMenu(this.reasons(agent, item, acts)); this.menu.querySelector("button")?.focus(); })] : []),
      item("logout", fill(gettext("Log out %(name)s…"), { name: agent.name }), acts(() => this.logOut(agent)), "menu__item--bad"),
    ];
  }

  reasons(agent, item, acts) {
    return [h("p", { class: "menu__label" }, fill(gettext("Pause %(name)s: reason"), { name: agent.name })), ...this.page.reasons.map((reason) => item("pause_circle", pauseWords(reason), acts(() => this.pause(agent, reason))))];
  }

  key(event) {
    if (!this.opener) return;
    if (event.key === "Escape") { event.stopPropagation(); this.close(true); }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...this.menu.querySelectorAll("a, button")];
    items.at((items.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)) % items.length)?.focus();
    event.preventDefault();
  }
}
