// The customer's portal: available and held money, live and exact; how long it lasts; usage; movements.
import { subscribe } from "../../live.js";
import { applyWallet } from "../../live/wallet.js";
import { announce, pageData } from "../shared/dom.js";
import { money, putMoney, putMoneys } from "./money.js";
import { isOutdated } from "../shared/outdated.js";
import { startLasts } from "./lasts.js";
import { startUsage } from "./usage.js";
import { Lines } from "./wallet_lines.js";
import { fill, gettext, percent } from "../shared/words.js";

const page = pageData("wallet-page");
const lines = new Lines(page);
const lasts = startLasts(document.querySelector("[data-lasts]"), page, (pace) => { topUpNote(pace); attend(); });
const usage = document.querySelector("[data-usage]");
if (usage) {
  // The figure next to the chart is the chart's own total: another count would differ while messages are pending.
  usage.addEventListener("usage", ({ detail: { days, untils, totals } }) => {
    const today = document.querySelector("[data-charged-today]");
    if (days.at(-1) === untils.at(-1) && days.at(-1) === today?.dataset.chargedToday) putMoney(today, totals.at(-1), page.currency);
  });
  startUsage(usage, page);
}

let state = null;
subscribe(`billing.wallet:${page.slug}`, {
  snapshot(data) { state = data; show(); },
  change(data) { state = applyWallet(state, data); show(); },
  refused: () => location.reload(),
});

function show() {
  if (isOutdated(state.status !== page.status || (state.credit_limit ?? page.credit_limit) !== page.credit_limit, show)) return;
  lines.show(state.lines);
  if (state.status === "missing") return;
  putMoneys(document, state, page.currency);
  document.querySelector("[data-owed]").hidden = !state.receivable;
  const share = page.daily_limit ? state.spent_today / page.daily_limit : null;
  const bar = document.querySelector("[data-limit-bar]");
  if (bar && share !== null) {
    bar.value = Math.min(1, share);
    bar.classList.toggle("bar--warn", share >= 0.9);
    document.querySelector("[data-limit-share]").textContent = percent(share, 0);
  }
  lasts.balance(state.spendable);
  topUpNote(lasts.pace);
  attend();
  tellLow();
}

// -- problems that need attention -------------------------------------------------------------------

const SOON_HOURS = 24; // the same in billing/views/lasting.py
const attention = document.querySelector("[data-urgent]");
/** Show the lines above the cards that apply to the live figures. */
function attend() {
  if (!state || state.status === "missing") return;
  const hours = lasts.pace?.per_hour ? state.spendable / lasts.pace.per_hour : null;
  const soon = hours !== null && hours < SOON_HOURS;
  const below = page.alert_below > 0 && state.spendable < page.alert_below;
  const shows = (name, is) => { const line = attention.querySelector(`[data-urgent-${name}]`); if (line) line.hidden = !is; };
  if (lasts.pace) {
    shows("soon", soon);
    shows("lasts", hours !== null);
    for (const at of attention.querySelectorAll("[data-lasts-until]")) at.textContent = hours === null ? "" : lasts.untilOf(Math.max(0, hours));
  }
  shows("also", below);
  shows("low", below && attention.querySelector("[data-urgent-soon]").hidden);
  shows("limit", page.daily_limit > 0 && state.spent_today >= 0.9 * page.daily_limit);
}

let low = false;
function tellLow() {
  const now = page.alert_below > 0 && state.spendable < page.alert_below;
  if (now && !low) announce(fill(gettext("Low balance: %(amount)s available."), { amount: money(state.spendable, page.currency).join("") }));
  low = now;
}

// -- topping up ------------------------------------------------------------------------------------

const form = document.querySelector("[data-top-up]");
form?.addEventListener("change", () => topUpNote(lasts.pace));
form?.addEventListener("submit", () => {
  const other = form.querySelector("input:checked");
  if (other && !other.value) other.disabled = true; // the next page asks for the amount
});
addEventListener("pageshow", () => { for (const input of form?.querySelectorAll("input[disabled]") ?? []) input.disabled = false; });

/** Show the effect of the chosen amount: how long the balance then lasts. */
function topUpNote(pace) {
  if (!form) return;
  const value = Number(form.querySelector("input:checked")?.value || 0);
  form.querySelector("[data-top-up-word]").textContent = value ? fill(gettext("Top up %(amount)s"), { amount: money(value * 10000, page.currency).join("") }) : gettext("Choose an amount");
  const note = form.querySelector("[data-top-up-note]");
  if (!value || !pace?.per_hour || !state) { note.textContent = ""; return; }
  const after = Math.max(0, state.balance + state.credit_limit + value * 10000);
  note.textContent = fill(gettext("The balance then lasts about %(span)s, until %(time)s."), { span: lasts.spanOf(after / pace.per_hour), time: lasts.untilOf(after / pace.per_hour) });
}
topUpNote(null);
