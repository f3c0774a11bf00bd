// The charts of one pool: numbers by state and calls per minute, over 1 h to 7 d, kept fresh each minute.
import { TimeChart, download, drawLegend } from "../shared/charts.js";
import { errorState, getJSON } from "../shared/dom.js";
import { decimal, figure, fill, gettext } from "../shared/words.js";

export function startPoolCharts(page) {
  const box = document.querySelector("[data-charts]");
  const [statesBox, callsBox] = ["states", "calls"].map((name) => box.querySelector(`[data-chart="${name}"]`));
  const plot = (part) => part.querySelector(".chart__plot");
  const states = new TimeChart(plot(statesBox), {
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
  });
  const calls = new TimeChart(plot(callsBox), {
    title: gettext("Calls per minute"),
    series: [
      { key: "offered", label: gettext("Calls offered"), look: "offered", kind: "line" },
      { key: "carried", label: gettext("Carried"), look: "carried", kind: "area" },
      { key: "blocked", label: gettext("Blocked"), look: "blocked", kind: "bars", stretch: "offered" },
    ],
    summary: ({ values }) => fill(gettext("Up to %(offered)s offered and %(blocked)s blocked in a minute."), { offered: decimal(most(values.offered)), blocked: decimal(most(values.blocked)) }),
  });
  let range = 7200;
  let asTable = false;
  let latest = null;
  let hands = null;
  let asked = 0;

  const draw = () => {
    for (const [chart, part, name] of [[states, statesBox, "states"], [calls, callsBox, "calls"]]) {
      chart.set({ at: latest.at, values: latest.values });
      part.querySelector(".chart__table")?.remove();
      plot(part).hidden = asTable;
      if (asTable) part.append(chart.table());
      if (name === "calls") drawLegend(part.querySelector(".chart__legend"), chart);
    }
  };

  const load = async () => {
    const mine = (asked += 1);
    try {
      const data = await getJSON(`${page.samples_url}?seconds=${range}`);
      if (mine !== asked) return;
      latest = data;
      box.querySelector(".state--error")?.remove();
      draw();
    } catch (error) {
      if (mine !== asked || latest) return;
      box.prepend(errorState(gettext("Chart not loaded"), gettext("Live data is not affected."), load));
    }
  };
  const lastHour = async () => {
    try {
      const hour = await getJSON(`${page.samples_url}?seconds=3600`);
      if (!hands) return;
      for (const name of ["offered", "blocked"]) hands.spark(name, hour.values[name]);
      hands.spark("busy", hour.values.busy_up.map((value, index) => (value === null ? null : value + hour.values.busy_down[index])));
      hands.spark("mean", hour.values.mean);
      hands.lastHour(hour.now);
    } catch { /* the figures keep their last value; the next minute asks again */ }
  };

  document.querySelector("[data-ranges]").addEventListener("click", (event) => {
    const button = event.target.closest("[data-range]");
    if (!button) return;
    range = Number(button.dataset.range);
    for (const each of button.parentElement.children) each.setAttribute("aria-pressed", String(each === button));
    document.querySelector("[data-range-title]").textContent = button.dataset.title;
    load();
  });
  const table = document.querySelector("[data-chart-table]");
  table.addEventListener("click", () => {
    asTable = !asTable;
    table.setAttribute("aria-pressed", String(asTable));
    if (latest) draw();
  });
  document.querySelector("[data-chart-csv]").addEventListener("click", () => {
    if (!latest) return;
    download(`${page.slug}-states.csv`, states.csv());
    download(`${page.slug}-calls.csv`, calls.csv());
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

const known = (values) => (values ?? []).filter((value) => value !== null);
const most = (values) => Math.max(0, ...known(values));
const least = (values) => (known(values).length ? Math.min(...known(values)) : 0);
