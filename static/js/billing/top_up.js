// The form of a top-up: one sentence says what the chosen amount does, and the button how much is paid.
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
addEventListener("pageshow", tell); // a browser that goes back fills the fields in again

/** The amount that would be sent: a preset's, or what is written under "Other". */
function chosen() {
  const preset = presets.find((each) => each.checked);
  return (preset && preset !== other ? preset.value : field.value).replaceAll(" ", "");
}

/** Say what happens, and on the button how much is paid; without an amount nothing. */
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
