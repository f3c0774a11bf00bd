// Translated texts. The catalogue is the script at /strings/<language>.js (Django's, same origin). The functions have
// gettext's names so that `makemessages -d djangojs` finds their texts.

const catalogue = globalThis.django ?? {};

export const gettext = (text) => (catalogue.gettext ?? globalThis.gettext ?? ((t) => t))(text);
/** Translate a word that has several meanings; `context` distinguishes them. */
export const pgettext = (context, text) => (catalogue.pgettext ?? globalThis.pgettext ?? ((c, t) => t))(context, text);
export const ngettext = (one, many, count) =>
  (catalogue.ngettext ?? globalThis.ngettext ?? ((a, b, n) => (n === 1 ? a : b)))(one, many, count);

/** Fill in %(name)s placeholders. */
export const fill = (text, values) =>
  text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));

const root = document.documentElement;
const locale = !root.lang || root.lang === "en" ? "en-GB" : root.lang;
export const zone = root.dataset.zone || "UTC";

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const one = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** 1,284; an en dash if there is no value. */
export const figure = (value) => (value === null || value === undefined ? "–" : whole.format(value));
export const decimal = (value) => (value === null || value === undefined ? "–" : one.format(value));
/** A share from 0 to 1, with `digits` decimal places: 2.1%. */
export const percent = (share, digits = 1) =>
  share === null || share === undefined
    ? "–"
    : new Intl.NumberFormat(locale, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share);

const pad = (n) => String(n).padStart(2, "0");
/** A duration like a clock: 2:41, 1:02:07. */
export function clockOf(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const all = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60), all % 60];
  return h ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** A duration in text: 42 s, 3 min 10 s, 59 min, 2 h 5 min, 3 d. */
export function spanOf(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  if (all < 60) return fill(gettext("%(s)s s"), { s: all });
  if (all < 600 && all % 60) return fill(gettext("%(m)s min %(s)s s"), { m: Math.floor(all / 60), s: all % 60 });
  if (all < 3600) return fill(gettext("%(m)s min"), { m: Math.floor(all / 60) });
  if (all < 86400) return fill(gettext("%(h)s h %(m)s min"), { h: Math.floor(all / 3600), m: Math.floor((all % 3600) / 60) });
  return fill(gettext("%(d)s d"), { d: Math.floor(all / 86400) });
}

/** Short and coarse, for narrow columns: 42 s, 3 min, 2 h, 3 d. */
export function ageOf(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  if (all < 60) return fill(gettext("%(s)s s"), { s: all });
  if (all < 3600) return fill(gettext("%(m)s min"), { m: Math.floor(all / 60) });
  if (all < 86400) return fill(gettext("%(h)s h"), { h: Math.floor(all / 3600) });
  return fill(gettext("%(d)s d"), { d: Math.floor(all / 86400) });
}

// Dates and times are written as in poolsite/dates.py.
const formats = new Map();
function format(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(locale, { timeZone: zone, hourCycle: "h23", ...options }));
  return formats.get(key);
}
const yearOf = (at) => format({ year: "numeric" }).format(at);
/** The date, with the year if it isn't this year. "Sept" is en-GB's form of Django's "Sep". */
const dated = (at, options) =>
  format({ ...options, day: "numeric", month: "short", ...(yearOf(at) === yearOf(Date.now()) ? {} : { year: "numeric" }) }).format(at).replace(",", "").replace("Sept", "Sep");
const weekday = locale === "en-GB" ? "short" : "long"; // Django's short Chinese name is 星期五
/** 07:43, if the day is shown elsewhere. */
export const timeOf = (at) => format({ hour: "2-digit", minute: "2-digit" }).format(at);
/** 07:43:05 */
export const timeExactOf = (at) => format({ hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at);
/** 27 Nov; 27 Nov 2025 */
export const dayOf = (at) => dated(at, {});
/** Fri 27 Nov */
export const weekdayOf = (at) => dated(at, { weekday });
/** 27 Nov, 07:43 */
export const momentOf = (at) => fill(pgettext("a moment", "%(day)s, %(time)s"), { day: dayOf(at), time: timeOf(at) });

/** The first letters of a name's first two words: LJ. */
export const initialsOf = (name) => name.split(/\s+/).filter(Boolean).slice(0, 2).map((word) => [...word][0]).join("").toUpperCase();

/** A telephone number in groups: +86 138 0013 0417. Unknown formats stay as they are. */
export function phone(value) {
  const match = /^(\+86|86)?(1\d{2})(\d{4})(\d{4})$/.exec(value);
  return match ? match.slice(1).filter(Boolean).join(" ") : value;
}
