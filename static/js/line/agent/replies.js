// Saved replies: "/" at the start of a word opens the list above the field. Enter inserts a reply and never sends it.
import { announce, h } from "../../shared/dom.js";
import { closed, opened } from "../../shared/popup.js";
import { fill, gettext, ngettext } from "../../shared/words.js";

const WORD = /(^|\s)\/([^\s/]*)$/; // the word being typed, up to the caret
const NAMED = /(^|\s)\/([a-z0-9-]+)\s$/; // a complete shortcut and a space
const PLACEHOLDER = /\{([a-z_]+)\}/g;

/**
 * Fill a reply's placeholders. Returns the text, and where the first one without a value is: [from, to] or null.
 * @param {string} text
 * @param {Record<string, string>} values
 */
function fillReply(text, values) {
  let open = null;
  let at = 0;
  let out = "";
  for (const match of text.matchAll(PLACEHOLDER)) {
    const value = Object.hasOwn(values, match[1]) ? String(values[match[1]] ?? "").trim() : "";
    out += text.slice(at, match.index);
    if (!value) open ??= [out.length, out.length + match[0].length];
    out += value || match[0];
    at = match.index + match[0].length;
  }
  return [out + text.slice(at), open];
}

/** Return replies that match: shortcuts that start with the typed text, then shortcuts, then texts that contain it. */
export function matching(replies, typed) {
  const wanted = typed.toLowerCase();
  const rank = ({ shortcut, text }) => (shortcut.startsWith(wanted) ? 0 : shortcut.includes(wanted) ? 1 : text.toLowerCase().includes(wanted) ? 2 : 3);
  return replies.map((reply) => [rank(reply), reply]).filter(([place]) => place < 3).sort(([one], [other]) => one - other).map(([, reply]) => reply);
}

export class Replies {
  /**
   * @param {HTMLTextAreaElement} field
   * @param {{shortcut: string, text: string}[]} replies
   * @param {() => Record<string, string>} values the placeholders' current values in this room
   */
  constructor(field, replies, values) {
    Object.assign(this, { field, replies, values, found: [], active: 0, start: -1, dismissed: -1 });
    this.head = h("span", {});
    this.options = h("div", { class: "replies__options", role: "listbox", tabindex: "0", id: `replies-${field.id}`, "aria-label": gettext("Saved replies") });
    this.element = h("div", { class: "replies", hidden: true },
      h("div", { class: "replies__head", "aria-hidden": "true" }, this.head, h("span", { class: "replies__keys" }, key("↑"), key("↓"), gettext("choose"), key("Enter"), gettext("insert"), key("Esc"), gettext("close"))),
      this.options);
    this.element.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.shut = () => this.close();
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.options.id);
    field.addEventListener("input", () => this.typed());
    field.addEventListener("keydown", (event) => this.key(event), { capture: true });
    field.addEventListener("blur", () => this.close());
    field.addEventListener("click", () => this.typed());
  }

  /** Open the list with the "Replies" button, as if "/" had been typed. */
  open() {
    const { field } = this;
    field.focus();
    const before = field.value.slice(0, field.selectionEnd);
    field.setRangeText(/(^|\s)$/.test(before) ? "/" : " /", field.selectionEnd, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input"));
  }

  get before() {
    return this.field.value.slice(0, this.field.selectionStart);
  }

  typed() {
    const named = NAMED.exec(this.before);
    const reply = named && this.replies.find((each) => each.shortcut === named[2]);
    if (reply) return this.insert(reply, named.index + named[1].length);
    const match = WORD.exec(this.before);
    if (!match) {
      this.dismissed = -1;
      return this.close();
    }
    this.start = match.index + match[1].length;
    if (this.start === this.dismissed) return undefined;
    this.found = matching(this.replies, match[2]);
    if (!this.found.length) return this.close();
    return this.draw(match[2]);
  }

  draw(word) {
    const count = this.found.length;
    const words = word ? fill(ngettext("%(n)s reply matches “/%(word)s”", "%(n)s replies match “/%(word)s”", count), { n: count, word }) : fill(ngettext("%(n)s reply", "%(n)s replies", count), { n: count });
    this.head.textContent = words;
    this.options.replaceChildren(...this.found.map((reply, index) => this.option(reply, index, word)));
    if (this.element.hidden) {
      this.element.hidden = false;
      opened(this.shut);
      announce(words);
    }
    this.choose(0);
  }

  option({ shortcut, text }, index, word) {
    const typed = shortcut.startsWith(word.toLowerCase()) ? word.length : 0;
    const option = h("div", { class: "reply", role: "option", id: `${this.options.id}-${index}`, "aria-selected": "false" },
      h("span", { class: "reply__name" }, h("b", {}, `/${shortcut.slice(0, typed)}`), shortcut.slice(typed)), h("span", { class: "reply__text" }, text));
    option.addEventListener("click", () => this.insert(this.found[index]));
    return option;
  }

  choose(index) {
    this.active = (index + this.found.length) % this.found.length;
    [...this.options.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === this.active)));
    const option = this.options.children[this.active];
    this.field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    if (this.element.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowDown: () => this.choose(this.active + 1),
      ArrowUp: () => this.choose(this.active - 1),
      Enter: () => this.insert(this.found[this.active]),
      Tab: () => this.insert(this.found[this.active]),
      Escape: () => { this.dismissed = this.start; this.close(); },
    };
    if (!Object.hasOwn(keys, event.key) || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // keep Enter from sending, and Escape from leaving the field
    keys[event.key]();
  }

  /** Replace the typed word with the reply. The first placeholder without a value is selected, to be overwritten. */
  insert(reply, start = this.start) {
    const { field } = this;
    const [text, open] = fillReply(reply.text, this.values());
    field.setRangeText(text, start, field.selectionStart, "end");
    this.close();
    field.focus();
    if (open) field.setSelectionRange(start + open[0], start + open[1]);
    field.dispatchEvent(new Event("input"));
    this.close();
  }

  close() {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
    closed(this.shut);
  }
}

const key = (name) => h("span", { class: "key" }, name);
