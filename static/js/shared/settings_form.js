// Settings pages: what was changed and the value before, which settings matter now, and the bar that saves. Without
// this module, the form always shows every field and its buttons.
import { h } from "./dom.js";
import { fill, gettext, ngettext, pgettext } from "./words.js";

const plain = (control, value) =>
  "duration" in control.dataset ? value.replace(/\s+/g, "").toLowerCase() : value.replaceAll("\r\n", "\n").trim();

class Row {
  constructor(element) {
    this.element = element;
    this.form = element.closest("form");
    this.value = element.querySelector(".setting__value");
    this.control = this.value.querySelector("[name]:not([name^=initial-])");
    const opened = this.value.querySelector("[name^=initial-]");
    this.before = opened ? opened.value : this.current;
    this.was = null;
  }

  get current() {
    return this.control.type === "checkbox" ? (this.control.checked ? "True" : "False") : this.control.value;
  }

  get changed() {
    return plain(this.control, this.current) !== plain(this.control, this.before);
  }

  get section() {
    return this.element.closest("[data-section]")?.dataset.section ?? "";
  }

  /** Describe the earlier value. */
  get words() {
    if (this.control.type === "checkbox") return this.before === "True" ? gettext("was on") : gettext("was off");
    const option = [...(this.control.options ?? [])].find((each) => each.value === this.before);
    if (!this.before && !option) return gettext("was empty");
    if (this.control.tagName === "TEXTAREA") return gettext("changed");
    const quoted = this.control.type === "text" && !("duration" in this.control.dataset);
    return fill(option || quoted ? gettext("was “%(value)s”") : gettext("was %(value)s"), { value: option?.text ?? this.before });
  }

  /** Whether the setting has an effect, given the setting it depends on. A field with an error is always shown. */
  get matters() {
    const name = this.element.dataset.when;
    if (!name || this.element.matches(".field--error")) return true;
    const other = this.form.elements[name];
    return this.element.dataset.whenIs.split(" ").includes(other.type === "checkbox" ? (other.checked ? "on" : "") : other.value);
  }

  /** The name, and the values before and now, for the list of differences. */
  get difference() {
    return { name: this.element.querySelector(".setting__name > :first-child").textContent, before: this.shown(this.before), now: this.shown(this.current) };
  }

  shown(value) {
    if (this.control.type === "checkbox") return value === "True" ? gettext("On") : gettext("Off");
    const option = [...(this.control.options ?? [])].find((each) => each.value === value);
    return (option?.text ?? value.trim()) || "–";
  }

  show() {
    const { changed } = this;
    this.element.hidden = !this.matters;
    this.element.classList.toggle("setting--changed", changed);
    if (changed && !this.was) {
      this.was = h("span", { class: "setting__was" });
      this.control.after(this.was);
    }
    if (this.was) {
      this.was.hidden = !changed;
      if (changed) this.was.textContent = this.words;
    }
    return changed;
  }
}

/** A group of checkboxes. Its value is the list of the ticked boxes' values, in their order. */
class Choices extends Row {
  constructor(element) {
    super(element);
    const opened = [...this.value.querySelectorAll("[name^=initial-]")].map((each) => each.value);
    this.before = opened.length ? this.listed((box) => opened.includes(box.value)) : this.current;
    this.control = this.value.firstElementChild;
  }

  listed(isIn) {
    return [...this.value.querySelectorAll("[type=checkbox]")].filter(isIn).map((box) => box.value).join();
  }

  get current() {
    return this.listed((box) => box.checked);
  }

  get words() {
    return fill(gettext("was %(value)s"), { value: this.shown(this.before) });
  }

  shown(value) {
    const among = value.split(",");
    const boxes = [...this.value.querySelectorAll("[type=checkbox]")].filter((box) => among.includes(box.value));
    return boxes.map((box) => box.labels[0].textContent.trim()).join(gettext(", ")) || "–";
  }
}

function start(form) {
  const rows = [...form.querySelectorAll("[data-setting]")].map((element) => (element.querySelector("[role=group]") ? new Choices(element) : new Row(element)));
  const bar = form.querySelector("[data-save-bar]");
  const find = (name) => bar.querySelector(`[data-save-${name}]`);
  const always = "saveAlways" in bar.dataset;
  const faults = form.querySelectorAll(".field--error").length;
  let [count, leaving] = [0, false];

  const discard = h("button", { type: "button", class: "button button--ghost", onclick: () => { leaving = true; location.assign(location.pathname + location.search); } }, gettext("Discard changes"));
  const differences = h("button", { type: "button", class: "button savebar__differences", onclick: () => showDifferences(rows.filter((row) => row.changed)) }, gettext("Show the differences"));
  if (!always) {
    find("cancel").replaceWith(discard);
    discard.after(differences);
  }
  find("key").hidden = false;

  function state(changed) {
    const sections = new Map();
    for (const row of changed) sections.set(row.section, (sections.get(row.section) ?? 0) + 1);
    const words = [...sections].map(([section, n]) => fill(gettext("%(n)s in %(section)s"), { n, section }));
    if (faults) words.push(fill(ngettext("%(n)s needs a change", "%(n)s need a change", faults), { n: faults }));
    find("hint").textContent = words.join(" · ");
    find("state").textContent = gettext("Unsaved changes");
    find("words").textContent = fill(ngettext("Save %(n)s change", "Save %(n)s changes", changed.length), { n: changed.length });
  }

  function show() {
    const changed = rows.filter((row) => row.show());
    count = changed.length;
    if (always) return;
    bar.hidden = !count && !faults;
    differences.hidden = !count;
    if (count) state(changed);
  }

  for (const type of ["input", "change"]) form.addEventListener(type, show);
  form.addEventListener("submit", () => { leaving = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (count || always) form.requestSubmit();
  });
  window.addEventListener("beforeunload", (event) => {
    if (count && !leaving) event.preventDefault();
  });
  window.addEventListener("pageshow", () => { leaving = false; show(); }); // also after Back, which restores the fields
  show();
}

/** Show what saving changes, setting by setting. */
function showDifferences(changed) {
  const cell = (label, value, more = {}) => h("td", { "data-label": label, class: "settings__value", ...more }, value);
  const line = ({ name, before, now }) => h("tr", {}, h("th", { scope: "row", class: "name" }, name), cell(pgettext("value", "Saved"), h("del", {}, before)), cell(pgettext("value", "New"), h("ins", {}, now)));
  const heads = [gettext("Setting"), pgettext("value", "Saved"), pgettext("value", "New")].map((word) => h("th", { scope: "col" }, word));
  const dialog = h("dialog", { class: "dialog dialog--wide", "aria-labelledby": "differences-title" },
    h("div", { class: "dialog__head" }, h("h2", { class: "dialog__title", id: "differences-title" }, gettext("Unsaved changes"))),
    h("div", { class: "dialog__body" }, h("table", { class: "table table--stack settings__differences" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...changed.map((row) => line(row.difference))))),
    h("div", { class: "dialog__foot" }, h("button", { type: "button", class: "button", onclick: () => dialog.close() }, gettext("Close"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Mark the section that is in view, and open a folded section when its link is clicked. */
function startSections() {
  const links = [...document.querySelectorAll(".settings__link")];
  for (const link of links) {
    link.addEventListener("click", () => {
      const section = document.querySelector(link.hash);
      if (section instanceof HTMLDetailsElement) section.open = true;
    });
  }
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links) {
        if (link.hash === `#${entry.target.id}`) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  document.querySelectorAll("[data-section]").forEach((section) => seen.observe(section));
}

document.querySelectorAll("form[data-settings]").forEach(start);
startSections();
