// An editable price list: spreadsheet keys, pasted tables, and notes on each row about its cells.
import { ask } from "../shared/dialog.js";
import { pageData, pressOne } from "../shared/dom.js";
import { cents, exact, symbolOf, unitsOf } from "./money.js";
import { toast } from "../shared/toast.js";
import { fill, gettext, ngettext, percent, pgettext } from "../shared/words.js";

const table = document.querySelector(".price-table--edit");
const form = document.querySelector("[data-tariff]");
const facts = pageData("tariff-facts");
const rows = [...table.tBodies[0].rows];
const cell = (row, name) => row.querySelector(`[data-cell="${name}"]`);
const put = (element, text) => { element.textContent = text; element.hidden = !text; };
let edited = false;

/** Read a row's cells; `units` is null if the mode is not sold, undefined if the price is invalid. */
function read(row) {
  const price = cell(row, "price").value.trim();
  const rule = cell(row, "rule")?.value ?? "";
  return { units: price ? unitsOf(price) : null, rule, size: rule ? cell(row, "size").value.trim() : "" };
}

function countOf(fact, { rule, size }) {
  if (!rule) return fact.units;
  if (!/^[1-9]\d{0,6}$/.test(size)) return undefined;
  return Math.max(1, Math.ceil((rule === "characters_per_unit" ? fact.characters : fact.kilobytes) / Number(size)));
}

function costOf(fact, now) {
  const count = countOf(fact, now);
  return count === undefined || now.units === undefined ? undefined : now.units * count;
}

function changeOf(fact, now, cost) {
  if (!facts.compared) return ["–", false];
  const same = fact.sold ? now.units === Number(fact.price) && now.rule === fact.rule && now.size === fact.size : now.units === null;
  if (same) return [pgettext("price", "same"), false];
  if (now.units === null) return [pgettext("price", "not sold"), true];
  if (!fact.sold) return [pgettext("price", "new"), true];
  const before = costOf(fact, { units: Number(fact.price), rule: fact.rule, size: fact.size });
  if (cost === undefined) return ["–", true];
  if (cost === before) return [gettext("recounted"), true];
  if (!before || !cost) return [before ? pgettext("price", "free") : gettext("was free"), true];
  const share = (cost - before) / before;
  return [`${share > 0 ? "+" : "−"}${percent(Math.abs(share))}`, true];
}

function show(row) {
  const fact = facts.rows[row.dataset.mode];
  const now = read(row);
  const cost = now.units === null ? null : costOf(fact, now);
  const [word, changed] = changeOf(fact, now, cost);
  const cost_ = row.querySelector("[data-cost]");
  const arithmetic = row.querySelector("[data-arithmetic]");
  cost_.textContent = cost === null ? pgettext("price", "Not sold") : cost === undefined ? "–" : cost ? symbolOf(facts.currency) + exact(cost) : pgettext("price", "Free");
  cost_.classList.toggle("muted", !cost);
  const count = countOf(fact, now);
  arithmetic.textContent = cost ? fill(ngettext("%(n)s unit × %(price)s", "%(n)s units × %(price)s", count), { n: count, price: exact(now.units) }) : "";
  const chip = row.querySelector("[data-change]");
  if (chip) {
    chip.textContent = word;
    chip.className = changed ? "chip chip--line" : "muted";
  }
  row.classList.toggle("price-row--changed", changed);
  const priced = facts.compared && fact.sold && now.units !== Number(fact.price);
  put(row.querySelector("[data-was]"), priced ? exact(Number(fact.price)) : "");
  cell(row, "price").toggleAttribute("data-changed", changed && now.units !== (fact.sold ? Number(fact.price) : null));
  const counted = row.querySelector("[data-was-counted]");
  if (counted) put(counted, changed && fact.sold && now.units !== null && (now.rule !== fact.rule || now.size !== fact.size) ? fact.counted : "");
}

/** Show the cost of the last 30 days at the cells' prices, calculated as in views/tariffs_traffic.py. */
function showTraffic() {
  const field = document.querySelector("[data-traffic-after]");
  if (!field) return;
  let [before, after] = [0, 0];
  for (const [mode, revenue] of Object.entries(facts.traffic)) {
    const row = rows.find((each) => each.dataset.mode === mode);
    const fact = facts.rows[mode];
    const was = fact?.sold ? costOf(fact, { units: Number(fact.price), rule: fact.rule, size: fact.size }) : 0;
    const now = row && read(row);
    const cost = now?.units === null ? 0 : now && costOf(fact, now);
    if (was && cost === undefined) return; // an incomplete or invalid cell
    before += revenue;
    after += was ? Math.round((revenue * cost) / was) : revenue;
  }
  field.textContent = cents(after, facts.currency);
  const difference = after - before;
  const sign = difference > 0 ? "+" : "−";
  document.querySelector("[data-traffic-change]").textContent = difference ? `${sign}${cents(Math.abs(difference), facts.currency)}, ${sign}${percent(Math.abs(difference) / before)}` : gettext("No change");
}

function showCounts() {
  showTraffic();
  const group = document.querySelector("[data-rows]");
  if (!group) return;
  const changed = rows.filter((row) => row.classList.contains("price-row--changed")).length;
  group.hidden = false;
  group.querySelector("[data-show=all]").textContent = fill(gettext("All %(n)s"), { n: rows.length });
  group.querySelector("[data-show=changed]").textContent = fill(gettext("Changed %(n)s"), { n: changed });
}

function showAll() {
  rows.forEach(show);
  showCounts();
}

/** Whether a cell is visible, so that it can be focused. */
const shown = (field) => field && field.offsetParent !== null && getComputedStyle(field).visibility !== "hidden";
function step(field, by) {
  const name = field.dataset.cell;
  const below = rows.slice();
  if (by < 0) below.reverse();
  const next = below.slice(below.indexOf(field.closest("tr")) + 1).map((row) => cell(row, name)).find(shown);
  if (!next) return;
  next.focus();
  next.select?.();
}

const SIZED = /(\d[\d\s,]*)\s*(\p{L}+)?/u;
/** Put "per 140 characters", "500 kB" or "140" into rule and size; other texts select the usual counting. */
function putRule(row, text) {
  const rule = cell(row, "rule");
  if (!rule) return;
  const found = SIZED.exec(text);
  const kilobytes = /kb|千字节/i.test(text);
  rule.value = found ? (kilobytes ? "kilobytes_per_unit" : "characters_per_unit") : "";
  cell(row, "size").value = found ? found[1].replace(/[\s,]/g, "") : "";
}

/** Fill cells from a pasted table: by the names of the modes if it has them, otherwise downwards from the cell. */
function paste(field, text) {
  const lines = text.replace(/\r/g, "").split("\n").filter((line) => line.trim()).map((line) => line.split("\t").map((part) => part.trim()));
  const named = (line) => rows.find((row) => [row.dataset.name.toLowerCase(), row.dataset.mode].includes(line[0].toLowerCase()));
  const bare = (price) => price.replace(/^[^\d.\-−]+/, "");
  const byName = lines.some(named);
  const start = rows.indexOf(field.closest("tr"));
  let count = 0;
  lines.forEach((line, index) => {
    const row = byName ? named(line) : rows[start + index];
    const [price, counted] = byName ? line.slice(1) : line;
    if (!row || price === undefined || (price && !bare(price))) return; // a heading, or an unknown mode
    cell(row, "price").value = bare(price);
    if (counted !== undefined) putRule(row, counted);
    count += 1;
  });
  const title = fill(ngettext("%(n)s row filled", "%(n)s rows filled", count), { n: count });
  toast({ title, topic: "paste", kind: count ? "ok" : "bad", detail: count ? "" : gettext("Paste modes and prices, or a column of prices.") });
}

table.addEventListener("focusin", ({ target }) => { if (target.dataset.cell) target.kept = target.value; });
table.addEventListener("keydown", (event) => {
  const field = event.target;
  if (!field.dataset.cell || event.isComposing) return;
  if (event.key === "Enter") {
    event.preventDefault();
    step(field, event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape" && field.value !== field.kept) {
    event.preventDefault();
    field.value = field.kept;
    field.select?.();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
});
table.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain");
  if (event.target.dataset.cell !== "price" || !/[\t\n]/.test(text.trim())) return;
  event.preventDefault();
  edited = true;
  paste(event.target, text);
  showAll();
});
form.addEventListener("input", ({ target }) => {
  edited = true;
  if (target.name === "name") showName(target.value.trim());
  const row = target.closest("tr[data-mode]");
  if (!row) return;
  show(row);
  showCounts();
});

/** Show the version's name on the button and in the list of versions as it is typed. */
function showName(name) {
  document.querySelector("[data-publish]").textContent = fill(gettext("Publish “%(name)s”…"), { name: name || "…" });
  const draft = document.querySelector("[data-draft-name]");
  if (draft) draft.textContent = name || "–";
}

document.querySelector("[data-rows]")?.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-show]");
  if (!button) return;
  table.dataset.only = button.dataset.show;
  pressOne(button);
});

const copy = document.querySelector("[data-copy]");
const copied = copy.value;
copy.addEventListener("change", async () => {
  const go = !edited || await ask({ title: gettext("Start over?"), text: gettext("The prices that you entered are replaced."), go: gettext("Replace prices"), danger: true });
  if (!go) { copy.value = copied; return; }
  edited = false;
  copy.form.requestSubmit();
});

form.addEventListener("submit", () => { edited = false; });
addEventListener("beforeunload", (event) => { if (edited) event.preventDefault(); });
document.querySelector("[data-keys]").hidden = false;
showAll();
