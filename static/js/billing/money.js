// Money in the browser: integers of 1/10,000 of the currency's unit, below 2^53, so that every figure is exact.
import { h } from "../shared/dom.js";

const SYMBOLS = { CNY: "¥", USD: "$", EUR: "€", GBP: "£", JPY: "¥", HKD: "HK$" };
const root = document.documentElement;
const locale = !root.lang || root.lang === "en" ? "en-GB" : root.lang;
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const point = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(1.1).find((part) => part.type === "decimal").value;

export const symbolOf = (currency) => SYMBOLS[currency] ?? (currency ? `${currency}\u00a0` : "");

const parts = (units) => {
  const all = BigInt(Math.abs(units));
  const rest = String(all % 10000n).padStart(4, "0");
  return [units < 0 ? "−" : "", whole.format(all / 10000n), rest];
};

/** ¥18,240.6150 as ["¥18,240.61", "50"]; the second part, shown muted, is "" if its digits are 00. */
export function money(units, currency) {
  const [sign, figure, rest] = parts(units);
  const last = rest.slice(2);
  return [`${sign}${symbolOf(currency)}${figure}${point}${rest.slice(0, 2)}`, last === "00" ? "" : last];
}

/** The large figure: ¥18,240 and .6150 as separate parts. */
function heroMoney(units, currency) {
  const [sign, figure, rest] = parts(units);
  return [`${sign}${symbolOf(currency)}${figure}`, `${point}${rest}`];
}

/** −32.7600: always four decimal places, for columns. */
export function exact(units, signed = false) {
  const [sign, figure, rest] = parts(units);
  return `${signed && units > 0 ? "+" : sign}${figure}${point}${rest}`;
}

/** ¥174.80: to the cent, for rates. */
export function cents(units, currency) {
  return money(Math.round(units / 100) * 100, currency)[0];
}

/** ¥6k, for axes; in Chinese ¥2,032 and ¥1.2万, which has no shorter form for thousands. */
export function shortMoney(units, currency) {
  const value = units / 10000;
  const short = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
  return `${symbolOf(currency)}${value >= (locale.startsWith("zh") ? 10_000 : 1000) ? short.format(value) : new Intl.NumberFormat(locale, { maximumFractionDigits: value < 10 ? 2 : 0 }).format(value)}`;
}

/** Parse a typed amount, "12.3456" → 123456. Returns undefined for other texts or more than four decimals. */
export function unitsOf(text) {
  const found = /^(\d{1,11})?(?:\.(\d{1,4})?)?$/.exec(text.replaceAll(" ", ""));
  if (!found || (found[1] ?? found[2]) === undefined) return undefined;
  return Number(found[1] ?? 0) * 10000 + Number((found[2] ?? "").padEnd(4, "0"));
}

/** Write amounts into the elements below `root` that are marked data-money="name". */
export function putMoneys(root, values, currency) {
  for (const place of root.querySelectorAll("[data-money]")) {
    const units = values[place.dataset.money];
    if (units !== undefined) putMoney(place, units, currency);
  }
}

/** Write an amount into an element, digits below the cent muted; null as a dash. Returns whether it changed. */
export function putMoney(element, units, currency) {
  const [first, rest] = units === null ? ["–", ""] : (element.classList.contains("hero") ? heroMoney : money)(units, currency);
  if (element.textContent === first + rest) return false;
  element.replaceChildren(first, ...(rest ? [h("span", { class: "money__rest" }, rest)] : []));
  return true;
}
