// All accounts live: each row watches its own wallet's figures.
import { subscribe } from "../../live.js";
import { flashRow, h, icon, setText } from "../shared/dom.js";
import { putMoney } from "./money.js";
import { gettext, momentOf, pgettext, spanOf } from "../shared/words.js";

export const STATUS = {
  open: ["chip--ok", "check", pgettext("state", "Open")], frozen: ["chip--warn", "ac_unit", gettext("Frozen")], closed: ["", "lock", gettext("Closed")],
  recovering: ["chip--info", "sync", gettext("Safe mode")], missing: ["chip--bad", "error", gettext("No data")],
};

// The limits are those of billing/views/lasting.py, in hours.
const SOON = 24;
const LATER = 72;
const FAR = 24 * 365;

/** When the balance runs out at the pace that the page came with. */
function showLasts(cell, units, perHour) {
  const hours = perHour ? Math.max(0, units / perHour) : FAR + 1;
  if (hours > FAR) { setText(cell, "–"); return; }
  const until = momentOf(Date.now() + hours * 3_600_000);
  const text = hours < LATER ? `${until} (${spanOf(hours * 3600)})` : until;
  const level = hours < SOON ? "bad" : hours < LATER ? "warn" : "";
  if (cell.dataset.text === text) return;
  cell.dataset.text = text;
  cell.replaceChildren(level ? h("span", { class: `mark mark--${level}` }, icon(level === "bad" ? "error" : "warning"), text) : text);
}

function showRow(line, data) {
  const currency = line.dataset.currency;
  const find = (name) => line.querySelector(`[data-live="${name}"]`);
  if (line.dataset.status !== data.status) {
    line.dataset.status = data.status;
    const [chip, symbol, word] = STATUS[data.status] ?? STATUS.missing;
    line.querySelector("[data-status]").replaceChildren(h("span", { class: `chip ${chip}` }, icon(symbol), word));
  }
  if (data.status === "missing") return;
  const moved = putMoney(find("spendable"), data.spendable, currency);
  putMoney(find("held"), data.held, currency);
  if (data.receivable) putMoney(find("receivable"), data.receivable, currency);
  else setText(find("receivable"), "–");
  showLasts(find("lasts"), data.spendable, Number(line.dataset.perHour));
  const mark = Number(line.dataset.alertBelow);
  line.querySelector("[data-low]").hidden = !(mark && data.spendable < mark);
  if (moved && line.dataset.seen) flashRow(line);
  line.dataset.seen = "1";
}

const known = new Map();

/** The sums below the rows are those of the live figures, once every row of that currency has them. */
function showSums(currency) {
  const lines = [...document.querySelectorAll("[data-wallet-row]")].filter((line) => line.dataset.currency === currency);
  const figures = lines.map((line) => known.get(line.dataset.walletRow));
  if (figures.some((found) => !found || found.status === "missing")) return;
  for (const cell of document.querySelectorAll(`[data-sums="${currency}"] [data-sum]`)) putMoney(cell, figures.reduce((all, found) => all + found[cell.dataset.sum], 0), currency);
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
