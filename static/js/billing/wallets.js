// All accounts, live: each row follows its own wallet's figures.
import { subscribe } from "../../live.js";
import { flashRow, h, icon } from "../shared/dom.js";
import { redraw } from "../shared/figures.js";
import { putMoney, putMoneys } from "./money.js";
import { gettext, momentOf, pgettext, spanOf } from "../shared/words.js";

const STATUS = {
  open: ["chip--ok", "check", pgettext("state", "Open")], frozen: ["chip--warn", "ac_unit", gettext("Frozen")], closed: ["", "lock", gettext("Closed")],
  recovering: ["chip--info", "sync", gettext("Safe mode")], missing: ["chip--bad", "error", gettext("No data")],
};

// The limits of billing/views/lasting.py, in hours.
const SOON = 24;
const LATER = 72;
const FAR = 24 * 365;

/** Show when the balance runs out at the pace that came with the page. */
function showLasts(cell, units, perHour) {
  const hours = perHour ? Math.max(0, units / perHour) : FAR + 1;
  if (hours > FAR) { redraw(cell, "", () => ["–"]); return; }
  const until = momentOf(Date.now() + hours * 3_600_000);
  const text = hours < LATER ? `${until} (${spanOf(hours * 3600)})` : until;
  const level = hours < SOON ? "bad" : hours < LATER ? "warn" : "";
  redraw(cell, text, () => [level ? h("span", { class: `mark mark--${level}` }, icon(level === "bad" ? "error" : "warning"), text) : text]);
}

function showRow(line, data) {
  const currency = line.dataset.currency;
  const [chip, symbol, word] = STATUS[data.status] ?? STATUS.missing;
  redraw(line.querySelector("[data-status]"), data.status, () => [h("span", { class: `chip ${chip}` }, icon(symbol), word)]);
  if (data.status === "missing") return;
  const moved = putMoney(line.querySelector('[data-money="spendable"]'), data.spendable, currency);
  putMoneys(line, { held: data.held, receivable: data.receivable || null }, currency);
  showLasts(line.querySelector("[data-lasts]"), data.spendable, Number(line.dataset.perHour));
  const mark = Number(line.dataset.alertBelow);
  line.querySelector("[data-low]").hidden = !(mark && data.spendable < mark);
  if (moved && line.dataset.seen) flashRow(line);
  line.dataset.seen = "1";
}

const known = new Map();

/** Sum up the live figures below the rows, once every row of that currency has figures. */
function showSums(currency) {
  const lines = [...document.querySelectorAll("[data-wallet-row]")].filter((line) => line.dataset.currency === currency);
  const figures = lines.map((line) => known.get(line.dataset.walletRow));
  if (figures.some((found) => !found || found.status === "missing")) return;
  const sum = (name) => figures.reduce((all, found) => all + found[name], 0);
  for (const sums of document.querySelectorAll(`[data-sums="${currency}"]`)) putMoneys(sums, { spendable: sum("spendable"), held: sum("held"), receivable: sum("receivable") }, currency);
}

for (const line of document.querySelectorAll("[data-wallet-row]")) {
  subscribe(`billing.figures:${line.dataset.walletRow}`, {
    snapshot(data) {
      known.set(line.dataset.walletRow, data);
      showRow(line, data);
      showSums(line.dataset.currency);
    },
  });
}
