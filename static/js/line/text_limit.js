// Shows while typing that a text is too long. Nothing is cut off.
import { h } from "../shared/dom.js";
import { fill, ngettext } from "../shared/words.js";

const LIMIT = 4000; // characters of a message
const TOLD_FROM = 0.9; // share of the limit from which the hint is shown

/** Show how many characters are left, and block forms with too many. Returns a function: whether the text fits. */
export function limitText(field, limit = LIMIT) {
  const hint = h("p", { class: "text-limit", role: "status", hidden: true });
  field.after(hint);
  const fits = () => {
    const length = [...field.value].length;
    const left = limit - length;
    const words = left < 0 ? ngettext("%(n)s character too many", "%(n)s characters too many", -left) : ngettext("%(n)s character left", "%(n)s characters left", left);
    hint.hidden = length < TOLD_FROM * limit;
    hint.textContent = hint.hidden ? "" : fill(words, { n: Math.abs(left) });
    hint.classList.toggle("text-limit--over", left < 0);
    field.setCustomValidity(left < 0 ? hint.textContent : "");
    field.toggleAttribute("aria-invalid", left < 0);
    return left >= 0;
  };
  field.addEventListener("input", fits);
  return fits;
}
