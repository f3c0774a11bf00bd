// The form of a top-up: a preset fills in the amount, and one sentence says what the amount does.
import { pageData } from "./dom.js";
import { cents, money } from "./money.js";
import { spanOf } from "./portal_lasts.js";
import { fill, gettext } from "./words.js";

const page = pageData("pay-page");
const form = document.querySelector("[data-pay]");
const field = form.querySelector("input[name=amount]");
const sentence = form.querySelector("[data-sentence]");
const presets = [...form.querySelectorAll("[name=preset]")];

for (const preset of presets) {
  preset.addEventListener("change", () => { field.value = preset.value; tell(); });
}
field.addEventListener("input", () => {
  const text = field.value.trim();
  for (const preset of presets) preset.checked = preset.value === text;
  tell();
});
addEventListener("pageshow", tell); // a browser that goes back fills the field in again

/** Say what happens; while the field holds no amount, nothing. */
function tell() {
  const text = field.value.replaceAll(" ", "");
  const units = /^\d{1,7}(\.\d{1,2}0*)?$/.test(text) ? Math.round(Number(text) * 10000) : 0;
  sentence.textContent = units < 10000 ? "" : said(units);
}

function said(units) {
  const balance = page.spendable + Math.max(0, units - page.owed);
  const words = { amount: money(units, page.currency).join(""), balance: cents(balance, page.currency) };
  if (!page.per_hour) return fill(gettext("You pay %(amount)s. Your balance becomes about %(balance)s."), words);
  return fill(gettext("You pay %(amount)s. Your balance becomes about %(balance)s, which lasts about %(span)s at the pace of the last 24 h."), { ...words, span: spanOf(balance / page.per_hour) });
}
