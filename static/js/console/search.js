// The search palette (`/`, Ctrl-K): the field keeps the focus, the arrow keys select a row, Enter opens it.
import { getJSON, h } from "../shared/dom.js";
import { recents, remember } from "./palette_recent.js";
import { marks, menuPages, pageActions, rowOf } from "./palette_rows.js";
import { figure, fill, gettext, ngettext } from "../shared/words.js";

const LATEST = 5;
const GO_TO = 6;
const LOCAL = ["recent", "page", "go"]; // groups that the browser creates
const WAIT_MS = 120;
const SLOW_MS = 200;
const RETRY_MS = 2000;

const dialog = document.querySelector("[data-search]");
const find = (name) => dialog.querySelector(`[data-search-${name}]`);
let palette = null;

/** Call this whenever the dialog was opened. */
export function startSearch() {
  palette ??= new Palette();
  palette.typed();
}

/** Return a heading's label as it is written within a sentence: "Only accounts", but "Only API tokens". */
const inSentence = (label) => (/^\p{Lu}\p{Ll}/u.test(label) ? label[0].toLowerCase() + label.slice(1) : label);

class Palette {
  constructor() {
    this.input = find("input");
    this.results = find("results");
    this.hint = find("hint");
    this.items = []; // {row, group, element}
    this.at = -1;
    this.asked = 0;
    this.shown = null; // the search that the rows belong to
    this.opens = null; // Enter was pressed before the rows came: false = open here, true = in a new tab
    this.only = null; // {name, label} if only one group is searched
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.results.addEventListener("click", (event) => this.clicked(event));
    this.results.addEventListener("pointermove", (event) => this.hovered(event));
    dialog.addEventListener("close", () => this.reset());
    find("only").addEventListener("click", () => this.narrow(null));
    dialog.querySelector("[data-keys-open]").addEventListener("click", () => dialog.close());
    addEventListener("online", () => { if (dialog.open) this.ask(); });
  }

  get query() { return this.input.value.trim().replace(/\s+/g, " "); }

  get wanted() { return `${this.only?.name ?? ""} ${this.query}`; }

  reset() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.only = null;
    this.opens = null;
    this.shown = null;
    this.showOnly();
  }

  typed() {
    clearTimeout(this.timer);
    if (this.query) { this.timer = setTimeout(() => this.ask(), WAIT_MS); return; }
    this.asked += 1;
    this.busy(false);
    this.show(this.only ? [] : this.atFirst(), "");
  }

  atFirst() {
    return [
      { name: "recent", label: gettext("Recent"), results: recents().slice(0, LATEST) },
      { name: "page", label: gettext("On this page"), results: pageActions() },
      { name: "go", label: gettext("Go to"), results: menuPages().slice(0, GO_TO) },
    ];
  }

  async ask() {
    clearTimeout(this.timer);
    const query = this.query;
    const mine = (this.asked += 1);
    if (!query) return;
    const slow = setTimeout(() => this.busy(true), SLOW_MS);
    try {
      const address = `${this.results.dataset.url}?q=${encodeURIComponent(query)}${this.only ? `&in=${this.only.name}` : ""}`;
      const { groups } = await getJSON(address);
      if (mine !== this.asked) return;
      const all = this.only ? groups : this.withRecent(groups, query);
      this.show(all, all.length ? "" : this.none());
    } catch (error) {
      if (mine !== this.asked) return;
      this.opens = null;
      this.timer = setTimeout(() => this.ask(), RETRY_MS);
      if (this.shown === this.wanted && !this.hint.hidden) return; // after another failed try, the marked row stays
      const pages = menuPages().filter((row) => marks(row.title, query));
      this.show(this.withRecent([{ name: "go", label: gettext("Go to"), results: pages }], query), `${error.title}. ${gettext("Try again in a moment.")}`);
    } finally {
      clearTimeout(slow);
      if (mine === this.asked) this.busy(false);
    }
  }

  none() {
    if (this.only) return fill(gettext("No results in %(group)s. Press Shift+Tab to search everything."), { group: inSentence(this.only.label) });
    return gettext("No results. You can search for numbers, call IDs, accounts, people, pages and actions.");
  }

  /** Put matching recent pages on top, and only there. A recent page that was found again shows its current data. */
  withRecent(groups, query) {
    const found = new Map(groups.flatMap((group) => group.results.map((row) => [row.url, row])));
    const mine = recents().filter((row) => found.has(row.url) || marks(row.title, query)).slice(0, 3);
    const urls = new Set(mine.map((row) => row.url));
    const latest = mine.map((row) => ({ ...row, ...found.get(row.url) }));
    const others = groups.map((group) => ({ ...group, results: group.results.filter((row) => !urls.has(row.url)) }));
    return [{ name: "recent", label: gettext("Recent"), results: latest }, ...others].filter((group) => group.results.length);
  }

  show(groups, words) {
    this.items = [];
    const parts = groups.filter((group) => group.results.length).map((group) => {
      const found = group.results.filter((row) => !row.all).length;
      const count = LOCAL.includes(group.name) || !found ? "" : figure(found) + (group.more ? "+" : "");
      const rows = group.results.map((row) => {
        const element = rowOf(row, this.items.length, this.query);
        this.items.push({ row, group, element });
        return element;
      });
      const head = h("div", { class: "palette__group", role: "presentation" }, group.label, h("span", {}, count));
      return h("div", { role: "group", "aria-label": group.label }, head, ...rows);
    });
    this.results.replaceChildren(...parts);
    this.results.scrollTop = 0;
    this.results.toggleAttribute("data-typed", Boolean(this.query));
    this.input.setAttribute("aria-expanded", String(this.items.length > 0));
    this.hint.textContent = words;
    this.hint.hidden = !words;
    this.shown = this.wanted;
    const more = groups.some((group) => group.more);
    const counted = this.query && !words ? fill(ngettext("%(n)s result", "%(n)s results", this.items.length), { n: figure(this.items.length) + (more ? "+" : "") }) : "";
    find("count").textContent = counted;
    this.mark(0);
    if (this.opens !== null) this.open(this.opens);
  }

  busy(on) { dialog.toggleAttribute("data-busy", on); }

  mark(next) {
    this.items[this.at]?.element.setAttribute("aria-selected", "false");
    this.at = this.items.length ? (next + this.items.length) % this.items.length : -1;
    const chosen = this.items[this.at];
    chosen?.element.setAttribute("aria-selected", "true");
    chosen?.element.scrollIntoView({ block: "nearest" });
    if (this.at === 0) this.results.scrollTop = 0;
    if (chosen) this.input.setAttribute("aria-activedescendant", chosen.element.id);
    else this.input.removeAttribute("aria-activedescendant");
    const narrows = Boolean(chosen) && !this.only && !LOCAL.includes(chosen.group.name);
    find("tab").hidden = !narrows;
    if (narrows) find("tab-words").textContent = fill(gettext("Only %(group)s"), { group: inSentence(chosen.group.label) });
  }

  key(event) {
    if (event.isComposing) return;
    const { key } = event;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (key in moves) this.mark(this.at + moves[key]);
    else if (key === "PageDown") this.mark(Math.min(this.at + 8, this.items.length - 1));
    else if (key === "PageUp") this.mark(Math.max(this.at - 8, 0));
    else if (key === "Enter") this.open(event.ctrlKey || event.metaKey);
    else if (key === "Tab") this.tab(event.shiftKey);
    else if (key === "Backspace" && !this.input.value && this.only) this.narrow(null);
    else return;
    event.preventDefault();
  }

  tab(back) {
    const group = this.items[this.at]?.group;
    if (back || this.only) this.narrow(null);
    else if (group && !LOCAL.includes(group.name)) this.narrow(group);
  }

  narrow(group) {
    if (!group && !this.only) return;
    this.only = group;
    this.showOnly();
    this.input.focus();
    if (this.query) this.ask(); else this.typed();
  }

  showOnly() {
    const chip = find("only");
    chip.hidden = !this.only;
    chip.textContent = this.only?.label ?? "";
  }

  /** Open the marked row. If the rows belong to an earlier text, wait for the new ones first. */
  open(aside) {
    if (this.shown !== this.wanted) {
      this.opens = aside;
      this.ask();
      return;
    }
    this.opens = null;
    const chosen = this.items[this.at];
    if (!chosen) return;
    const { row } = chosen;
    this.keep(chosen);
    if (aside && row.url) { window.open(row.url, "_blank", "noopener"); return; }
    dialog.close();
    if (row.run) row.run();
    else location.assign(row.url);
  }

  keep({ row, group }) {
    if (!["page", "go", "pages", "actions"].includes(group.name)) remember(row);
  }

  itemOf(event) {
    const element = event.target.closest(".palette__item");
    return this.items.findIndex((item) => item.element === element);
  }

  clicked(event) {
    const index = this.itemOf(event);
    if (index < 0) return;
    event.preventDefault();
    this.mark(index);
    this.open(event.ctrlKey || event.metaKey);
  }

  hovered(event) {
    const index = this.itemOf(event);
    if (index >= 0 && index !== this.at) this.mark(index);
  }
}
