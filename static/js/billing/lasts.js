// "Lasts until": the balance of the last days, projected with the pace of the last 24 hours. Drawn as SVG.
import { errorState, getJSON, h, svg } from "../shared/dom.js";
import { cents, money, shortMoney } from "./money.js";
import { dayOf, figure, fill, gettext, momentOf, pgettext, timeOf, weekdayOf } from "../shared/words.js";

const HOUR = 3_600_000;
const FAR_HOURS = 24 * 365;
const H = 104;
const BASE = 82;

const round = (n) => Math.round(n * 10) / 10;

/** Start the card. Call `balance(units)` at every change. The pace is fetched every minute and passed to `heard`. */
export function startLasts(card, page, heard) {
  const body = card.querySelector("[data-lasts-body]");
  const self = { pace: null, spanOf, untilOf };
  let spendable = page.spendable;
  let drawn = 0;
  let waiting = 0;

  const draw = () => {
    drawn = Date.now();
    if (!self.pace) return;
    body.replaceChildren(...(self.pace.per_hour ? [head(), plot(), note()] : [head(), quiet()]));
  };
  const load = async () => {
    try {
      self.pace = await getJSON(page.pace_url);
      draw();
      heard(self.pace);
    } catch {
      if (!self.pace) body.replaceChildren(errorState(gettext("Spending rate not loaded"), gettext("The balance is not affected."), load));
    }
  };

  const left = () => spendable / self.pace.per_hour;
  const head = () => h("div", { class: "lasts__head" },
    h("div", {}, h("p", { class: "lasts__until" }, self.pace.per_hour ? untilOf(left()) : gettext("No spending")), h("p", { class: "lasts__note" }, self.pace.per_hour ? between() : gettext("no charges in the last 24 hours"))),
    h("div", { class: "lasts__burn" }, h("b", {}, fill(gettext("%(amount)s/h"), { amount: self.pace.per_hour ? cents(self.pace.per_hour, page.currency) : cents(0, page.currency) })), h("p", { class: "lasts__note" }, gettext("spending rate"))));
  const ends = () => [self.pace.earliest_share * left(), self.pace.latest_share * left()];
  const between = () => {
    const [from, to] = ends();
    return left() > FAR_HOURS ? "" : fill(gettext("between %(from)s and %(to)s"), { from: shortOf(from, to), to: shortOf(to, to) });
  };
  const note = () => h("p", { class: "visually-hidden" }, fill(gettext("%(amount)s left. At %(rate)s per hour, it lasts until %(time)s."), { amount: money(spendable, page.currency).join(""), rate: cents(self.pace.per_hour, page.currency), time: untilOf(left()) }));
  const quiet = () => h("div", { class: "lasts__plot" }, chart([], 0));

  const plot = () => h("div", { class: "lasts__plot" }, chart(self.pace.curve, Math.min(left(), FAR_HOURS)));

  const chart = (curve, hours) => {
    const wide = Math.max(240, body.clientWidth - 32);
    const now = Date.now();
    const points = [...curve.filter(([at]) => at < now), [now, spendable]];
    const past = Math.max(HOUR, now - points[0][0]);
    const [early, late] = hours ? ends() : [0, 0];
    const ahead = Math.max(HOUR, Math.min(late, FAR_HOURS) * HOUR);
    const most = Math.max(1, ...points.map(([, units]) => units));
    const nowX = wide * 0.4;
    const x = (at) => (at <= now ? nowX - ((now - at) / past) * (nowX - 6) : nowX + ((at - now) / ahead) * (wide - nowX - 40));
    const y = (units) => BASE - (Math.max(0, units) / most) * (BASE - 24);
    const drawing = svg("svg", { viewBox: `0 0 ${wide} ${H}`, role: "img", "aria-label": gettext("Recent balance and forecast"), preserveAspectRatio: "none" });
    const path = points.map(([at, units], index) => `${index ? "L" : "M"}${round(x(at))} ${round(y(units))}`).join("");
    drawing.append(svg("path", { class: "area", d: `${path}L${round(nowX)} ${BASE}L${round(x(points[0][0]))} ${BASE}Z` }), svg("line", { class: "rule", x1: 0, x2: wide, y1: BASE, y2: BASE }), svg("line", { class: "rule", x1: round(nowX), x2: round(nowX), y1: 4, y2: BASE }), svg("path", { class: "line", d: path }));
    for (const [at, units] of points.filter((_, index) => index % 6 === 0)) {
      const dot = svg("circle", { cx: round(x(at)), cy: round(y(units)), r: 6, fill: "transparent" });
      dot.append(svg("title", {}, `${momentOf(at)}: ${money(units, page.currency).join("")}`));
      drawing.append(dot);
    }
    drawing.append(svg("text", { class: "strong", x: round(nowX), y: H - 4, "text-anchor": "middle" }, gettext("Now")), svg("text", { x: 0, y: H - 4 }, dayOf(points[0][0])), svg("text", { x: 0, y: 8 }, shortMoney(most, page.currency)));
    if (hours) {
      const end = x(now + hours * HOUR);
      const from = [round(nowX), round(y(spendable))];
      drawing.append(
        svg("path", { class: "cone", d: `M${from.join(" ")}L${round(x(now + Math.min(early, FAR_HOURS) * HOUR))} ${BASE}L${round(x(now + ahead))} ${BASE}Z` }),
        svg("path", { class: "ahead", d: `M${from.join(" ")}L${round(end)} ${BASE}` }),
        svg("circle", { class: "end", cx: round(end), cy: BASE, r: 4 }),
        svg("text", { class: "strong", x: round(Math.min(end, wide - 4)), y: H - 4, "text-anchor": end > wide - 60 ? "end" : "middle" }, hours > FAR_HOURS ? untilOf(hours) : dayOf(now + hours * HOUR)));
    }
    drawing.append(svg("circle", { class: "dot", cx: round(nowX), cy: round(y(spendable)), r: 4 }));
    return drawing;
  };

  self.balance = (units) => {
    spendable = units;
    clearTimeout(waiting);
    if (Date.now() - drawn > 1000) draw();
    else waiting = setTimeout(draw, 1000);
  };
  load();
  setInterval(() => { if (!document.hidden) load(); }, 60_000);
  return self;
}

/** Format the moment this many hours from now: Wed 25 Nov, 18:40. */
function untilOf(hours) {
  if (hours > FAR_HOURS) return gettext("more than a year");
  const at = Date.now() + hours * HOUR;
  return fill(pgettext("a moment", "%(day)s, %(time)s"), { day: weekdayOf(at), time: timeOf(at) });
}

/** Like `untilOf`, but shorter: day and time if `latest` is within 24 hours, otherwise Wed 25 Nov. */
function shortOf(hours, latest) {
  const at = Date.now() + hours * HOUR;
  return latest < 24 ? momentOf(at) : weekdayOf(at);
}

/** Format a number of hours: 11 h, 3 days. */
export function spanOf(hours) {
  if (hours < 1) return fill(gettext("%(m)s min"), { m: figure(hours * 60) });
  if (hours < 72) return fill(gettext("%(h)s h"), { h: figure(hours) });
  return hours > FAR_HOURS ? gettext("a year") : fill(gettext("%(d)s days"), { d: figure(hours / 24) });
}
