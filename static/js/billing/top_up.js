// The form of a top-up: a sentence describes the effect of the amount, and the button shows the amount to pay.
import { pageData } from "../shared/dom.js";
import { cents, money } from "./money.js";
import { spanOf } from "./lasts.js";
import { fill, gettext } from "../shared/words.js";

const page = pageData("pay-page");
const form = document.querySelector("[data-pay]");
const field = form.querySelector("input[name=amount]");
const sentence = form.querySelector("[data-sentence]");
const presets = [...form.querySelectorAll("[name=preset]")];

const other = presets.find((preset) => preset.matches("[data-other]"));
const button = form.querySelector("[data-pay-button]");

for (const preset of presets) {
  preset.addEventListener("change", () => { if (preset === other) field.focus(); tell(); });
}
field.addEventListener("input", tell);
addEventListener("pageshow", tell); // when going back, the browser restores the fields

/** Return the amount that would be sent: a preset's, or the text of "Other". */
function chosen() {
  const preset = presets.find((each) => each.checked);
  return (preset && preset !== other ? preset.value : field.value).replaceAll(" ", "");
}

/** Describe the effect, and show the amount on the button. Without a valid amount there is no sentence. */
function tell() {
  const text = chosen();
  const units = /^\d{1,7}(\.\d{1,2}0*)?$/.test(text) ? Math.round(Number(text) * 10000) : 0;
  const good = units >= 10000;
  sentence.textContent = good ? said(units) : "";
  button.textContent = good ? fill(gettext("Pay %(amount)s"), { amount: money(units, page.currency).join("") }) : gettext("Pay");
}

function said(units) {
  const balance = page.balance + Math.max(0, units - page.owed);
  const words = { amount: money(units, page.currency).join(""), balance: cents(balance, page.currency) };
  if (!page.per_hour) return fill(gettext("You pay %(amount)s. Your balance becomes about %(balance)s."), words);
  return fill(gettext("You pay %(amount)s. Your balance becomes about %(balance)s, which lasts about %(span)s at the pace of the last 24 h."), { ...words, span: spanOf(Math.max(0, balance + page.credit_limit) / page.per_hour) });
}
