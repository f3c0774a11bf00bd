// The charts of one pool: numbers by state and calls per minute, over 1 h to 7 d, refreshed each minute.
import { ChartBox, known, most } from "../shared/chart_box.js";
import { download } from "../shared/charts.js";
import { getJSON, pressOne } from "../shared/dom.js";
import { decimal, figure, fill, gettext } from "../shared/words.js";

const CHARTS = {
  states: {
    title: gettext("Numbers by state"), stacked: true,
    labels: { busy_up: { text: gettext("In call"), on: "call" }, idle_up: { text: gettext("Idle"), on: "ready" } },
    series: [
      { key: "busy_up", label: gettext("In call"), look: "call", kind: "area" },
      { key: "busy_down", label: gettext("In call, offline"), look: "lost", kind: "area" },
      { key: "idle_up", label: gettext("Idle"), look: "ready", kind: "area" },
      { key: "idle_down", label: gettext("Offline"), look: "offline", kind: "area" },
      { key: "quarantined", label: gettext("Quarantined"), look: "quarantined", kind: "area" },
    ],
    summary: ({ values }) => fill(gettext("Between %(low)s and %(high)s numbers in a call."), { low: figure(least(values.busy_up)), high: figure(most(values.busy_up)) }),
  },
  calls: {
    title: gettext("Calls per minute"),
    series: [
      { key: "offered", label: gettext("Calls offered"), look: "offered", kind: "line" },
      { key: "carried", label: gettext("Carried"), look: "carried", kind: "area" },
      { key: "blocked", label: gettext("Blocked"), look: "blocked", kind: "bars", stretch: "offered" },
    ],
    summary: ({ values }) => fill(gettext("Up to %(offered)s offered and %(blocked)s blocked in a minute."), { offered: decimal(most(values.offered)), blocked: decimal(most(values.blocked)) }),
  },
};

export function startPoolCharts(page) {
  const charts = new ChartBox(CHARTS);
  let range = 7200;
  let hands = null;
  const load = () => charts.load(`${page.samples_url}?seconds=${range}`);
  const lastHour = async () => {
    try {
      const hour = await getJSON(`${page.samples_url}?seconds=3600`);
      if (!hands) return;
      for (const name of ["offered", "blocked"]) hands.spark(name, hour.values[name]);
      hands.spark("busy", hour.values.busy_up.map((value, index) => (value === null ? null : value + hour.values.busy_down[index])));
      hands.spark("mean", hour.values.mean);
      hands.lastHour(hour.now);
    } catch { /* the figures keep their last values; the next minute tries again */ }
  };

  document.querySelector("[data-ranges]").addEventListener("click", (event) => {
    const button = event.target.closest("[data-range]");
    if (!button) return;
    range = Number(button.dataset.range);
    pressOne(button);
    document.querySelector("[data-range-title]").textContent = button.dataset.title;
    load();
  });
  document.querySelector("[data-chart-csv]").addEventListener("click", () => {
    if (!charts.latest) return;
    for (const name of Object.keys(CHARTS)) download(`${page.slug}-${name}.csv`, charts.csv(name));
  });

  load();
  let minute = 0;
  setInterval(() => {
    if (document.hidden) return;
    const now = Math.floor(Date.now() / 60000);
    if (now === minute) return;
    minute = now;
    load();
    lastHour();
  }, 5000);
  return {
    live(given) {
      if (hands) return;
      hands = given;
      minute = Math.floor(Date.now() / 60000);
      lastHour();
    },
  };
}

function least(values) {
  return known(values).length ? Math.min(...known(values)) : 0;
}
