// A visitor's language, for agents.
import { h, icon } from "../../shared/dom.js";
import { fill, gettext } from "../../shared/words.js";

/** Return a chip with the visitor's language, or null if it is unknown or the language of this page. */
export function languageChip(code) {
  if (!code || code === document.documentElement.lang) return null;
  let name = code;
  try { name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code; } catch { /* the chip then shows the code */ }
  return h("span", { class: "chip chip--line", lang: code }, icon("translate"), fill(gettext("Language: %(name)s"), { name }));
}
