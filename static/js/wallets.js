// All accounts live: each row watches its own wallet's figures.
import { subscribe } from "../live.js";
import { flashRow, h, icon, setText } from "./dom.js";
import { putMoney } from "./money.js";
import { figure, gettext, pgettext } from "./words.js";

export const STATUS = {
  open: ["chip--ok", "check", pgettext("state", "Open")], frozen: ["chip--warn", "ac_unit", gettext("Frozen")], closed: ["", "lock", gettext("Closed")],
  recovering: ["chip--info", "sync", gettext("Safe mode")], missing: ["chip--bad", "error", gettext("No data")],
};

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
  setText(find("lag"), figure(data.lag));
  const mark = Number(line.dataset.alertBelow);
  line.querySelector("[data-low]").hidden = !(mark && data.spendable < mark);
  if (moved && line.dataset.seen) flashRow(line);
  line.dataset.seen = "1";
}

for (const line of document.querySelectorAll("[data-wallet-row]")) {
  subscribe(`billing.figures:${line.dataset.walletRow}`, { snapshot: (data) => showRow(line, data) });
}
