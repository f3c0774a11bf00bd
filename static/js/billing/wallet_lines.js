// A wallet's movements, live and newest first. Entries with the same second, kind and cause are one line.
import { h, setText } from "../shared/dom.js";
import { LiveTable } from "../shared/live_table.js";
import { exact, money } from "./money.js";
import { figure, fill, gettext, ngettext, timeExactOf, weekdayOf } from "../shared/words.js";

// Texts for several entries. The page brings the chips and the texts for one (LEDGER_WORDS of billing/presentation.py).
const MANY = {
  hold: (n) => ngettext("%(n)s message held", "%(n)s messages held", n),
  settle: (n) => ngettext("%(n)s message delivered, %(charged)s charged", "%(n)s messages delivered, %(charged)s charged", n),
  settle_return: (n) => ngettext("%(n)s message delivered, %(charged)s charged, the rest returned", "%(n)s messages delivered, %(charged)s charged, the rest returned", n),
  fail: (n) => ngettext("%(n)s message failed", "%(n)s messages failed", n),
  expire: (n) => ngettext("%(n)s message with no delivery report within 72 h", "%(n)s messages with no delivery report within 72 h", n),
  cancel: (n) => ngettext("%(n)s message cancelled", "%(n)s messages cancelled", n),
  call_hold: (n) => ngettext("%(n)s call interval held", "%(n)s call intervals held", n),
  call_settle: (n) => ngettext("%(n)s call interval, %(charged)s charged", "%(n)s call intervals, %(charged)s charged", n),
  call_settle_return: (n) => ngettext("%(n)s call interval, %(charged)s charged, the rest returned", "%(n)s call intervals, %(charged)s charged, the rest returned", n),
  call_fail: (n) => ngettext("%(n)s call interval failed", "%(n)s call intervals failed", n),
  call_expire: (n) => ngettext("%(n)s call interval with no report within 72 h", "%(n)s call intervals with no report within 72 h", n),
  call_cancel: (n) => ngettext("%(n)s call interval cancelled", "%(n)s call intervals cancelled", n),
  session: (n) => ngettext("%(n)s session message", "%(n)s session messages", n),
  unpaid: (n) => ngettext("%(n)s session message awaiting funds", "%(n)s session messages awaiting funds", n),
  recharge: (n) => ngettext("%(n)s top-up", "%(n)s top-ups", n),
  credit: (n) => ngettext("%(n)s credit", "%(n)s credits", n),
  debit: (n) => ngettext("%(n)s debit", "%(n)s debits", n),
  by_hand: (n) => ngettext("%(n)s manual charge", "%(n)s manual charges", n),
  cash_refund: (n) => ngettext("%(n)s refund paid out", "%(n)s refunds paid out", n),
  chargeback: (n) => ngettext("%(n)s chargeback", "%(n)s chargebacks", n),
  status: (n) => ngettext("%(n)s status change", "%(n)s status changes", n),
  grant: (n) => ngettext("%(n)s promotional credit granted", "%(n)s promotional credits granted", n),
  revoke: (n) => ngettext("%(n)s promotional credit revoked", "%(n)s promotional credits revoked", n),
  expired: (n) => ngettext("%(n)s promotional credit expired", "%(n)s promotional credits expired", n),
  limit: (n) => ngettext("%(n)s credit limit changed", "%(n)s credit limits changed", n),
};
const MESSAGES = new Set(["hold", "settle", "fail", "expire", "cancel", "session", "unpaid"]);

function wordOf(line, page) {
  const ended = line.kind === "settle" && line.amount > 0 ? "settle_return" : line.kind;
  const ofCall = MESSAGES.has(line.kind) && line.cause.startsWith("p") && MANY[`call_${ended}`];
  const kind = ofCall ? `call_${ended}` : ended;
  if (!page.kinds[kind]) return { chip: "", type: line.kind, what: line.name || line.kind };
  const [chip, type, one] = page.kinds[kind];
  const text = fill(line.count === 1 ? one : MANY[kind](line.count), { n: figure(line.count), charged: money(line.charged ?? 0, page.currency).join("") });
  const what = line.name ? (MESSAGES.has(line.kind) ? fill(gettext("%(name)s: %(text)s"), { name: line.name, text }) : line.name) : text;
  return { chip, type, what };
}

const MOST = 22;
/** Shorten a long name in the middle, as in_middle of billing/templatetags/billing.py does. */
const inMiddle = (name) => (name.length > MOST ? `${name.slice(0, MOST - 8)}…${name.slice(-6)}` : name);

/** Return the text of the reference column: R00000012 for a top-up, a message's ID. */
const reference = (line) => {
  const [word, rest] = line.id.split(":");
  if (word === "recharge" && /^\d+$/.test(rest)) return `R${rest.padStart(8, "0")}`;
  if (word === "adjust" && rest) return `A-${rest.slice(0, 8)}`;
  if (line.id) return line.id;
  if (!MESSAGES.has(line.kind)) return "–";
  return line.cause.startsWith("c") ? line.cause : line.cause.slice(1) || "–";
};

export class Lines {
  constructor(page) {
    this.table = new LiveTable("lines", columnsOf(page), { mark: (row, line) => row.classList.toggle("line-none", !line.amount), flashes: true });
  }

  show(lines) {
    this.table.draw(lines.map((line) => [line.key, line]));
    if (!lines.length) this.table.body.replaceChildren(h("tr", { class: "empty-row" }, h("td", { colspan: "6" }, gettext("No movements yet. Top-ups and charges appear here immediately."))));
  }
}

function columnsOf(page) {
  return [
    { label: gettext("Time"), look: "tight", parts: ({ at }) => [timeAt(new Date(at))] },
    { label: gettext("Type"), look: "tight", write: (cell, line) => putType(cell, wordOf(line, page)) },
    { head: true, look: "what full", text: (line) => wordOf(line, page).what },
    { label: gettext("Reference"), look: "reference", told: reference, parts: (line) => referTo(line, page) },
    { label: gettext("Amount"), look: "right", name: "amount", write: putAmount },
    { label: gettext("Balance"), look: "right", name: "balance", text: ({ balance }) => exact(balance) },
  ];
}

const timeAt = (at) => h("time", { datetime: at.toISOString(), title: weekdayOf(at) }, timeExactOf(at));

function putType(cell, { chip, type }) {
  if (!cell.firstChild) cell.append(h("span"));
  cell.firstChild.className = `chip ${chip}`;
  return setText(cell.firstChild, type);
}

function putAmount(cell, { amount }) {
  cell.classList.toggle("line-in", amount > 0);
  return setText(cell, exact(amount, true));
}

/** The cell of the reference. The reference changes when a second entry joins the line. */
function referTo(line, page) {
  const name = reference(line);
  const url = urlOf(line, page);
  return [url ? h("a", { href: url, title: name }, inMiddle(name)) : inMiddle(name)];
}

function urlOf(line, page) {
  const { message_url: message, campaign_url: campaign, entries_url: entries } = page;
  if (MESSAGES.has(line.kind)) {
    if (line.id) return message + encodeURIComponent(line.id);
    if (line.cause.startsWith("c") && campaign) return campaign.replace("/0/", `/${line.cause.slice(1)}/`);
    return "";
  }
  if (!line.id) return "";
  const recharge = /^recharge:(\d+)$/.exec(line.id);
  if (recharge && page.recharge_url) return page.recharge_url.replace(/0\/$/, `${recharge[1]}/`);
  return `${entries}?q=${encodeURIComponent(line.id)}`;
}
