// The language of a visitor, for agents.
import { h, icon } from "../../shared/dom.js";
import { fill, gettext } from "../../shared/words.js";

/** A chip with the visitor's language; null where it is that of this page, or not known. */
export function languageChip(code) {
  if (!code || code === document.documentElement.lang) return null;
  let name = code;
  try { name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code; } catch { /* the code says it, too */ }
  return h("span", { class: "chip chip--line", lang: code }, icon("translate"), fill(gettext("Language: %(name)s"), { name }));
}
