// An adjustment's form: while the amount is typed, shows the resulting balance and whether approval is needed.
import { pageData } from "../shared/dom.js";
import { money, putMoney } from "./money.js";
import { fill, gettext } from "../shared/words.js";

const page = pageData("adjust-page");
const form = document.querySelector("[data-adjust]");
const field = form.querySelector("[name=amount]");

field.addEventListener("input", tell);
addEventListener("pageshow", tell);

function tell() {
  const text = field.value.replaceAll(" ", "");
  const units = /^\d{1,11}(\.\d{1,4})?$/.test(text) ? Math.round(Number(text) * 10000) : 0;
  for (const link of form.querySelectorAll("[data-kind]")) {
    const url = new URL(link.href);
    if (units) url.searchParams.set("amount", text); else url.searchParams.delete("amount");
    link.href = url.href;
  }
  form.querySelector("[data-submit-adjustment]").textContent = !page.alone || units > page.alone ? page.submit : page.verb;
  const after = units ? effect(units) : { balance: null, owed: 0 };
  putMoney(form.querySelector("[data-after]"), after.balance, page.currency);
  const note = after.owed ? fill(gettext("%(amount)s owed"), { amount: money(after.owed, page.currency).join("") }) : "";
  form.querySelector("[data-after-owed]").textContent = after.refused ? gettext("more than is available") : note;
}

/** The effect of an adjustment, calculated as in selectors/adjustments.py. */
function effect(units) {
  if (page.kind === "credit") {
    const paid = Math.min(page.owed, units);
    return { balance: page.balance + units - paid, owed: page.owed - paid };
  }
  if (page.kind === "cash_refund" && units > page.balance - page.promotional) return { balance: null, owed: 0, refused: true };
  const taken = Math.max(0, Math.min(page.balance + page.credit_limit, units));
  return { balance: page.balance - taken, owed: page.owed + units - taken };
}
