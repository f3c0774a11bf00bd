// One gate, live: its gauge, its last hour, and every holder with the time left of its lease.
import { subscribe } from "../../live.js";
import { pageData } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { startGateChart } from "./chart.js";
import { startHolders } from "./holders.js";
import { startLine } from "./line.js";
import { LastHour } from "../shared/hour_charts.js";
import { isOutdated } from "../shared/outdated.js";
import { clockOf, figure, fill, gettext, spanOf } from "../shared/words.js";

const page = pageData("gate-page");
const gauge = document.querySelector("[data-gauge]");

const hour = new LastHour(page.live, page.hour);
startGateChart(page, (values) => hour.heard(values));
startHolders(page);
const tellLine = startLine(page);
show(page.live);
subscribe(`admission.gate:${page.slug}`, { snapshot: show });

function show(data) {
  if (isOutdated(data.status !== page.status, () => show(data))) return;
  if (data.status === "missing") return;
  putFigures(document, {
    ...data,
    ...hour.of(data),
    cap: fill(gettext("of %(n)s"), { n: figure(data.cap) }),
    waits: waitsOf(data.wait_seconds),
    hold: data.hold_seconds ? clockOf(data.hold_seconds) : null,
  });
  gauge.max = data.cap;
  gauge.value = Math.min(data.used, data.cap);
  document.querySelector("[data-over]").hidden = data.used <= data.cap;
  tellLine(data);
}

/** Format the percentiles of recent waits; a dash before the first permit. Lines break only between percentiles. */
function waitsOf({ p50, p95, p99 }) {
  const whole = (seconds) => spanOf(Math.ceil(seconds)).replaceAll(" ", "\u00a0");
  return p50 === null ? "–" : [p50, p95, p99].map(whole).join("\u00a0· ");
}
