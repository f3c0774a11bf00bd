// Transferring a visitor: free agents first, then the queues. The button names the target.
import { announce, getJSON, h, icon, setText } from "../../shared/dom.js";
import { closed, opened } from "../../shared/popup.js";
import { toastFailure } from "../../shared/toast.js";
import { clockOf, fill, gettext, initialsOf, ngettext } from "../../shared/words.js";

const AGAIN = 4000; // ms until the list is refreshed
const STATES = {
  free: gettext("Free"),
  at_capacity: gettext("Full"),
  wrap_up: gettext("Wrap-up"),
  offered: gettext("Has an offer"),
  leaving: gettext("Leaving after this room"),
  away: gettext("Connection lost"),
};

export class Transfer {
  /**
   * @param {{visit: string, name: () => string, slot: () => {queue_slug: string}, act: Function}} options
   */
  constructor({ visit, name, slot, act }) {
    Object.assign(this, { visit, name, slot, act, targets: [], active: "", timer: 0 });
    const id = `transfer-${visit}`;
    this.button = h("button", { type: "button", class: "button button--small", "aria-keyshortcuts": "T", "aria-haspopup": "dialog", "aria-expanded": "false", onclick: () => this.toggle() },
      icon("swap_horiz", "icon--small"), gettext("Transfer"), h("span", { class: "key", "aria-hidden": "true" }, "T"));
    this.field = h("input", { class: "input", type: "search", role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-expanded": "true", "aria-controls": `${id}-list`, placeholder: gettext("Agent or queue"), "aria-label": gettext("Agent or queue") });
    this.list = h("div", { class: "transfer__list", role: "listbox", id: `${id}-list`, "aria-label": gettext("Transfer to") });
    this.go = h("button", { type: "button", class: "button button--primary button--small", onclick: () => this.hand() });
    this.element = h("div", { class: "transfer", role: "dialog", "aria-label": gettext("Transfer"), hidden: true },
      h("div", { class: "search-field" }, icon("search"), this.field), this.list,
      h("div", { class: "transfer__foot" }, h("span", { class: "card__hint" }, gettext("Includes the transcript")), this.go));
    this.field.addEventListener("input", () => this.draw());
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.shut = () => this.close();
    this.outside = (event) => { if (!this.element.contains(event.target) && !this.button.contains(event.target)) this.close(); };
  }

  toggle() {
    return this.element.hidden ? this.open() : this.close(true);
  }

  async open() {
    if (!this.element.hidden || !this.element.isConnected) return;
    this.element.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    opened(this.shut);
    document.addEventListener("pointerdown", this.outside);
    document.addEventListener("focusin", this.outside);
    Object.assign(this, { targets: [], active: "", found: null });
    this.field.value = "";
    this.draw();
    this.field.focus();
    await this.read();
    if (this.found) announce(fill(ngettext("%(n)s agent is free", "%(n)s agents are free", this.free), { n: this.free }));
  }

  close(focus = false) {
    if (this.element.hidden) return;
    clearTimeout(this.timer);
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", this.outside);
    document.removeEventListener("focusin", this.outside);
    closed(this.shut);
    if (focus) this.button.focus();
  }

  async read() {
    clearTimeout(this.timer);
    try {
      this.found = await getJSON("/api/v1/agent/colleagues");
      if (!this.element.hidden) this.draw();
    } catch (error) {
      if (!this.element.hidden && !this.found) toastFailure(error);
    }
    if (!this.element.hidden) this.timer = setTimeout(() => this.read(), AGAIN);
  }

  get free() {
    return this.found.agents.filter((each) => each.free > 0).length;
  }

  // -- the list -------------------------------------------------------------------------------------

  draw() {
    const wanted = this.field.value.trim().toLowerCase();
    const fits = (...words) => words.join(" ").toLowerCase().includes(wanted);
    const agents = (this.found?.agents ?? []).filter((each) => fits(each.name, ...each.skills.map((skill) => skill.name)));
    const queues = (this.found?.queues ?? []).filter((each) => each.slug !== this.slot().queue_slug && fits(each.name));
    const free = agents.filter((each) => each.free > 0);
    const full = agents.filter((each) => each.free < 1);
    this.targets = [...free.map((each) => agentTarget(each, true)), ...full.map((each) => agentTarget(each, false)), ...queues.map(queueTarget)];
    if (!this.targets.some((target) => target.key === this.active && target.can)) this.active = this.targets.find((target) => target.can)?.key ?? "";
    const rows = (some) => some.map((target) => this.option(target));
    const part = (title, hint, some) => (some.length ? group(title, hint, rows(some)) : null);
    const empty = !this.found ? gettext("Loading…") : wanted ? gettext("No matching agents or queues.") : gettext("No colleagues are online.");
    this.list.replaceChildren(...[
      part(gettext("Free now"), gettext("rooms in use"), this.targets.slice(0, free.length)),
      part(gettext("Can't take a visitor now"), "", this.targets.slice(free.length, agents.length)),
      agents.length || (wanted && queues.length) ? null : h("p", { class: "transfer__none", role: "presentation" }, empty),
      part(gettext("Queues"), gettext("waiting · longest wait"), this.targets.slice(agents.length)),
    ].filter(Boolean));
    this.show();
  }

  option(target) {
    const option = h("div", { class: "target", role: "option", "data-focus": `${this.visit} ${target.key}`, id: `${this.list.id}-${target.key}`, "aria-selected": "false", "aria-disabled": target.can ? null : "true" },
      target.mark, h("span", { class: "target__words" }, h("b", {}, target.name), target.more ? h("span", { class: "target__more" }, target.more) : null), h("span", { class: "target__state num" }, ...target.state));
    option.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    if (target.can) option.addEventListener("click", () => { this.active = target.key; this.show(); });
    if (target.can) option.addEventListener("dblclick", () => this.hand());
    return option;
  }

  /** Mark the chosen target, and name it on the button. */
  show() {
    const chosen = this.chosen;
    for (const option of this.list.querySelectorAll("[role=option]")) option.setAttribute("aria-selected", String(option.id === `${this.list.id}-${this.active}`));
    this.go.disabled = !chosen;
    setText(this.go, chosen ? fill(gettext("Transfer to %(name)s"), { name: chosen.name }) : gettext("Transfer"));
    if (!chosen) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", `${this.list.id}-${this.active}`);
    return this.list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  get chosen() {
    return this.targets.find((target) => target.key === this.active && target.can) ?? null;
  }

  key(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      return this.close(true);
    }
    if (event.target !== this.field || event.isComposing) return undefined;
    const can = this.targets.filter((target) => target.can);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && can.length) {
      event.preventDefault();
      this.active = can.at((can.findIndex((target) => target.key === this.active) + step) % can.length).key;
      return this.show();
    }
    if (event.key !== "Enter") return undefined;
    event.preventDefault();
    return this.hand();
  }

  /** Transfer the visitor. If the server refuses, the list is refreshed and shows why. */
  async hand() {
    const { chosen } = this;
    if (!chosen) return;
    this.go.disabled = true;
    const answer = await this.act("transfer", { visit: this.visit, ...chosen.body });
    if (answer) {
      announce(fill(gettext("%(visitor)s transferred to %(name)s."), { visitor: this.name(), name: chosen.name }));
      return this.close();
    }
    return this.read();
  }
}

function group(title, hint, rows) {
  return h("div", { role: "group", "aria-label": title }, h("p", { class: "transfer__label", "aria-hidden": "true" }, h("b", {}, title), h("span", {}, hint)), ...rows);
}

function agentTarget(agent, can) {
  const skills = agent.skills.map((skill) => `${skill.name} ${skill.level}`).join(" · ");
  const word = fill(gettext("%(state)s · %(used)s of %(all)s"), { state: STATES[agent.reason] ?? STATES.at_capacity, used: agent.rooms, all: agent.capacity });
  return {
    key: `agent-${agent.agent}`, name: agent.name, more: skills, can, body: { agent: agent.agent }, state: [icon(can ? "check_circle" : "block", "icon--tiny"), word],
    mark: h("span", { class: "target__mark", "aria-hidden": "true" }, initialsOf(agent.name)),
  };
}

function queueTarget(queue) {
  const words = [h("b", {}, String(queue.waiting)), ` ${gettext("waiting")}`];
  if (queue.oldest_ms) words.push(` · ${clockOf((Date.now() - queue.oldest_ms) / 1000)}`);
  return { key: `queue-${queue.slug}`, name: queue.name, more: queue.online ? "" : gettext("No agents online"), can: true, body: { queue: queue.slug }, state: words, mark: icon("group", "target__icon") };
}
