// A queue's forecast for a day, by the half hour: visitors, agents and shares.
import { showCharts } from "./charts.js";
import { pageData } from "../shared/dom.js";
import { most } from "../shared/chart_box.js";
import { figure, fill, gettext } from "../shared/words.js";

const page = pageData("forecast-page");
const asked = fill(gettext("With %(n)s agents"), { n: figure(page.asked) });

showCharts({
  visitors: {
    title: gettext("Visitors per half hour"),
    series: [
      { key: "high", label: gettext("Busy day"), look: "offered", kind: "line" },
      { key: "expected", label: gettext("Expected"), look: "carried", kind: "area" },
      { key: "low", label: gettext("Quiet day"), look: "offered", kind: "line" },
    ],
    summary: ({ values }) => fill(gettext("Up to %(n)s visitors per half hour."), { n: figure(most(values.expected)) }),
  },
  agents: {
    title: gettext("Agents needed"),
    series: [
      { key: "busy", label: gettext("Busy day"), look: "offered", kind: "line" },
      { key: "agents", label: gettext("Expected"), look: "carried", kind: "area" },
    ],
    summary: ({ values }) => fill(gettext("Up to %(n)s agents."), { n: figure(most(values.agents)) }),
  },
  shares: {
    title: gettext("Rates (%)"),
    series: [
      { key: "level", label: gettext("Service level"), look: "carried", kind: "line" },
      page.asked === null
        ? { key: "occupancy", label: gettext("Occupancy"), look: "offered", kind: "line" }
        : { key: "asked_level", label: asked, look: "offered", kind: "line" },
    ],
    summary: ({ values }) => fill(gettext("The service level is at least %(n)s%."), { n: figure(Math.min(...values.level.map((value) => value ?? 100))) }),
  },
}, page, gettext("A chart needs at least two half hours."));
