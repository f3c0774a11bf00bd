// A template while it is edited: updates the preview, and the length and the number of SMS below each text.
import { fill, figure, gettext, ngettext } from "../shared/words.js";

const form = document.querySelector("[data-template-form]");
const value = (name) => form.elements[name].value.trim();

// Counts as billing/pricing/segments.py does, which determines the charge.
const BASIC = new Set("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà");
const EXTENDED = new Set("\f^{}\\[~]|€");

function parts(text) {
  const characters = [...text];
  const gsm = characters.every((each) => BASIC.has(each) || EXTENDED.has(each));
  const size = gsm ? (each) => (EXTENDED.has(each) ? 2 : 1) : (each) => each.length;
  const [alone, inPart] = gsm ? [160, 153] : [70, 67];
  if (characters.reduce((sum, each) => sum + size(each), 0) <= alone) return 1;
  let count = 1;
  let used = 0;
  for (const each of characters) {
    if (used + size(each) > inPart) { count += 1; used = 0; }
    used += size(each);
  }
  return count;
}

/** The text with its link, joined as in billing/pricing/content.py. */
function whole() {
  const [text, link] = [value("yuexin_text"), value("yuexin_link")];
  return link && !text.includes(link) ? `${text} ${link}`.trim() : text;
}

function show() {
  for (const place of form.querySelectorAll("[data-preview-text]")) {
    place.textContent = value(place.dataset.previewText) || (place.dataset.previewText === "yuexin_link" ? "" : "–");
  }
  const card = value("native_kind") === "card";
  form.querySelector("[data-preview-card]").hidden = !card;
  form.elements.card_kilobytes.closest(".field").hidden = !card;
  for (const place of form.querySelectorAll("[data-count-of]")) {
    const text = "parts" in place.dataset ? whole() : value(place.dataset.countOf);
    const count = [...text].length;
    const words = [fill(ngettext("%(n)s character", "%(n)s characters", count), { n: figure(count) })];
    if ("parts" in place.dataset) {
      const sms = parts(text);
      if (text) words.push(fill(ngettext("%(n)s SMS", "%(n)s SMS", sms), { n: figure(sms) }));
      words.push(gettext("link included"));
    }
    place.textContent = words.join(" · ");
  }
}

form.addEventListener("input", show);
show();
