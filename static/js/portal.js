// The customer's portal: what can be spent and what is held, live to the unit; how long it lasts; usage; movements.
import { subscribe } from "../live.js";
import { applyWallet } from "../live/wallet.js";
import { announce, pageData } from "./dom.js";
import { money, putMoney } from "./money.js";
import { isOutdated } from "./outdated.js";
import { startLasts } from "./portal_lasts.js";
import { startUsage } from "./usage.js";
import { Lines } from "./wallet_lines.js";
import { fill, gettext, percent } from "./words.js";

const page = pageData("wallet-page");
const find = (name) => document.querySelector(`[data-money="${name}"]`);
const lines = new Lines(document.querySelector("[data-lines]"), page);
const lasts = startLasts(document.querySelector("[data-lasts]"), page, topUpNote);
const usage = document.querySelector("[data-usage]");
if (usage) startUsage(usage, page);

let state = null;
subscribe(`billing.wallet:${page.slug}`, {
  snapshot(data) { state = data; show(); },
  change(data) { state = applyWallet(state, data); show(); },
  refused: () => location.reload(),
});

function show() {
  if (isOutdated(state.status !== page.status, show)) return;
  lines.show(state.lines);
  if (state.status === "missing") return;
  putMoney(find("spendable"), state.spendable, page.currency, true);
  putMoney(find("held"), state.held, page.currency);
  putMoney(find("spent_today"), state.spent_today, page.currency);
  putMoney(find("receivable"), state.receivable, page.currency);
  document.querySelector("[data-owed]").hidden = !state.receivable;
  const share = page.daily_limit ? state.spent_today / page.daily_limit : null;
  const bar = document.querySelector("[data-limit-bar]");
  if (bar && share !== null) {
    bar.value = Math.min(1, share);
    bar.classList.toggle("bar--warn", share >= 0.9);
    document.querySelector("[data-limit-share]").textContent = percent(share, 0);
  }
  lasts.balance(state.spendable);
  tellLow();
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
  if (other && !other.value) other.disabled = true; // the amount is asked for on the next page
});
addEventListener("pageshow", () => { for (const input of form?.querySelectorAll("input[disabled]") ?? []) input.disabled = false; });

/** What the chosen amount does: how much longer the balance lasts. */
function topUpNote(pace) {
  if (!form) return;
  const value = Number(form.querySelector("input:checked")?.value || 0);
  form.querySelector("[data-top-up-word]").textContent = value ? fill(gettext("Top up %(amount)s"), { amount: money(value * 10000, page.currency).join("") }) : gettext("Choose an amount");
  const note = form.querySelector("[data-top-up-note]");
  if (!value || !pace?.per_hour || !state) { note.textContent = ""; return; }
  const units = value * 10000;
  note.textContent = fill(gettext("Lasts about %(span)s longer, until %(time)s."), { span: lasts.spanOf(units / pace.per_hour), time: lasts.untilOf((state.spendable + units) / pace.per_hour) });
}
topUpNote(null);
