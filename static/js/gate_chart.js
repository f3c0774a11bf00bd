// The last hour of one gate by the minute: slots in use under the cap, and what became of those who asked.
import { TimeChart, drawLegend } from "./charts.js";
import { errorState, getJSON } from "./dom.js";
import { figure, fill, gettext } from "./words.js";

export function startGateChart(page) {
  const box = document.querySelector("[data-charts]");
  const part = (name) => box.querySelector(`[data-chart="${name}"]`);
  const plot = (name) => part(name).querySelector(".chart__plot");
  const charts = {
    use: new TimeChart(plot("use"), {
      title: gettext("Slots in use"),
      series: [
        { key: "cap", label: gettext("Cap"), look: "offered", kind: "line" },
        { key: "used", label: gettext("In use"), look: "carried", kind: "area" },
      ],
      summary: ({ values }) => fill(gettext("At most %(used)s slots in use, under a cap of %(cap)s."), { used: figure(most(values.used)), cap: figure(most(values.cap)) }),
    }),
    flow: new TimeChart(plot("flow"), {
      title: gettext("Permits per minute"),
      series: [
        { key: "granted", label: gettext("Granted"), look: "carried", kind: "area" },
        { key: "expired", label: gettext("Expired"), look: "blocked", kind: "bars", stretch: "granted" },
      ],
      summary: ({ values }) => fill(gettext("At most %(granted)s granted and %(expired)s expired in a minute."), { granted: figure(most(values.granted)), expired: figure(most(values.expired)) }),
    }),
  };
  let latest = null;
  let asTable = false;

  const draw = () => {
    for (const [name, chart] of Object.entries(charts)) {
      chart.set({ at: latest.at, values: latest.values });
      part(name).querySelector(".chart__table")?.remove();
      plot(name).hidden = asTable;
      if (asTable) part(name).append(chart.table());
      drawLegend(part(name).querySelector(".chart__legend"), chart);
    }
  };
  const load = async () => {
    try {
      latest = await getJSON(page.samples_url);
      box.querySelector(".state--error")?.remove();
      draw();
    } catch {
      if (!latest && !box.querySelector(".state--error")) box.prepend(errorState(gettext("Chart not loaded"), gettext("Live figures are not affected."), load));
    }
  };
  const table = document.querySelector("[data-chart-table]");
  table.addEventListener("click", () => {
    asTable = !asTable;
    table.setAttribute("aria-pressed", String(asTable));
    if (latest) draw();
  });

  load();
  setInterval(() => { if (!document.hidden) load(); }, 60_000);
}

const most = (values) => Math.max(0, ...(values ?? []).filter((value) => value !== null));
