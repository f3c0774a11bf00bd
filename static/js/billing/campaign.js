// One campaign, live: messages by state, exact amounts, pace. When the campaign's state changes, the page reloads.
import { subscribe } from "../../live.js";
import { announce, pageData, setText, svg } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { putMoneys } from "./money.js";
import { isOutdated } from "../shared/outdated.js";
import { figure, fill, gettext, percent, spanOf } from "../shared/words.js";

const page = pageData("campaign-page");
const live = document.querySelector("[data-campaign-live]");
const ORDER = ["native_text", "native_card", "native_session", "yuexin_resolved", "yuexin_unresolved", "video"];
const GAP = 1.5;
const PACE_SECONDS = 8;
let seen = []; // [seconds, tried] of the last PACE_SECONDS
const results = document.querySelector("[data-results]");
const ROWS_MS = 6000; // minimum pause between two fetches of the rows: SQL is written every 5 s
const SHARE = 20; // fetching takes at most 1/20 of the time, so a slow list is refreshed less often
let drawn = JSON.stringify(page.figures); // the figures that match the rows on the page
let asked = false;
let pause = ROWS_MS;
let told = 0; // the last quarter that was announced to screen readers

if (live) show(page.figures);
subscribe(page.topic, { snapshot: take });
// On the portal, the wallet's topic shows the balance. Two topics that differ for a moment would make it flicker.
if (!document.querySelector("[data-wallet]")) {
  subscribe(`billing.figures:${page.wallet}`, {
    snapshot(data) {
      if (data.status !== "missing") putMoneys(document, { spendable: data.spendable }, page.currency);
    },
  });
}

function take(data) {
  const uploaded = document.querySelector("[data-uploaded]");
  if (uploaded && data.reading) setText(uploaded, figure(data.uploaded));
  if (isOutdated(data.status !== page.status || data.reading !== page.reading, () => take(data))) return;
  if (live) show(data.figures);
  if (results && JSON.stringify(data.figures) !== drawn) redraw(JSON.stringify(data.figures));
}

/** Refresh the list of recipients after the bar: a message gets into SQL a few seconds after the figures count it. */
function redraw(figures) {
  if (asked) return;
  asked = true;
  setTimeout(async () => {
    asked = false;
    // Don't move rows under the pointer or the focus.
    if (results.matches(":focus-within") || results.querySelector("tbody tr:hover")) return redraw(figures);
    const began = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
      const next = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-results]");
      if (next) results.replaceChildren(...next.childNodes);
      drawn = figures;
    } catch {
      // The live badge shows that the server can't be reached. The next figures trigger another try.
    }
    pause = Math.max(ROWS_MS, SHARE * (performance.now() - began));
  }, pause);
}

function show(figures) {
  const all = figures.recipients || 1;
  const share = (count) => (count ? percent(count / all) : "");
  for (const row of live.querySelectorAll("[data-mode]")) {
    const count = figures.delivered[row.dataset.mode] ?? 0;
    setText(row.querySelector("[data-mode-count]"), figure(count));
    setText(row.querySelector("[data-mode-share]"), share(count));
  }
  putFigures(live, figures);
  for (const name of ["sent", "failed", "held", "waiting", "expired", "refused"]) {
    setText(live.querySelector(`[data-share="${name}"]`), share(figures[name]));
    if (["expired", "refused"].includes(name)) live.querySelector(`[data-row="${name}"]`).hidden = !figures[name];
  }
  const { charged, returned, held_money } = figures; // only these: the portal shows other amounts of its own
  putMoneys(document, { charged, returned, held_money }, page.currency);
  const tried = figures.handed_over + figures.refused;
  setText(live.querySelector("[data-percent]"), percent(tried / all, 0));
  setText(live.querySelector("[data-words]"), fill(gettext("%(sent)s of %(all)s sent, %(delivered)s delivered"), { sent: figure(figures.handed_over), all: figure(figures.recipients), delivered: figure(figures.delivered_count) }));
  pace(tried, figures.recipients - tried);
  draw(figures, all);
  tell(tried, all);
}

/** Show the messages per second and the time left. */
function pace(tried, left) {
  const now = performance.now() / 1000;
  seen = [...seen.filter(([at]) => now - at < PACE_SECONDS), [now, tried]];
  const [at, before] = seen[0];
  const rate = now - at > 1 ? (tried - before) / (now - at) : 0;
  const place = live.querySelector("[data-rate]");
  if (page.status !== "sending" || rate <= 0) { setText(place, ""); return; }
  setText(place, fill(gettext("%(n)s/s · about %(time)s left"), { n: figure(rate), time: spanOf(left / rate) }));
}

/** Draw the bar: delivered by mode, failed, waiting for a report, held. The rest is the empty track. */
function draw(figures, all) {
  const modes = [...ORDER, ...Object.keys(figures.delivered).filter((mode) => !ORDER.includes(mode))];
  const parts = [
    ...modes.map((mode) => [page.looks[mode] ?? "other", figures.delivered[mode] ?? 0]),
    ["failed", figures.failed + figures.expired + figures.refused],
    ["waiting", figures.sent],
    ["held", figures.held],
  ];
  const bar = live.querySelector("[data-bar]");
  bar.querySelectorAll(":scope > rect").forEach((rect) => rect.remove());
  let x = 0;
  for (const [look, count] of parts) {
    const width = (count / all) * 1000;
    if (!count) continue;
    bar.append(svg("rect", { x: x.toFixed(2), y: 0, width: Math.max(0.5, width - GAP).toFixed(2), height: 12, "data-look": look }));
    x += width;
  }
}

/** Announce each quarter of the progress to screen readers. */
function tell(tried, all) {
  const quarter = Math.floor((tried / all) * 4);
  if (quarter > told && told > 0) announce(fill(gettext("%(share)s of messages sent."), { share: percent(tried / all, 0) }));
  told = Math.max(quarter, told, 1);
}
