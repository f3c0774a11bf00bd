// The last hour of one gate by the minute: slots in use below the cap, and what became of the requests.
import { most } from "../shared/chart_box.js";
import { startHourCharts } from "../shared/hour_charts.js";
import { figure, fill, gettext } from "../shared/words.js";

export function startGateChart(page, heard) {
  startHourCharts(page, {
    use: {
      title: gettext("Slots in use"),
      series: [
        { key: "cap", label: gettext("Concurrency limit"), look: "offered", kind: "line" },
        { key: "used", label: gettext("In use"), look: "carried", kind: "area" },
      ],
      summary: ({ values }) => fill(gettext("Peak: %(used)s slots in use. Highest concurrency limit: %(cap)s."), { used: figure(most(values.used)), cap: figure(most(values.cap)) }),
    },
    flow: {
      title: gettext("Permits per minute"),
      series: [
        { key: "granted", label: gettext("Granted"), look: "carried", kind: "area" },
        { key: "expired", label: gettext("Expired"), look: "blocked", kind: "bars", stretch: "granted" },
      ],
      summary: ({ values }) => fill(gettext("Peak per minute: %(granted)s granted, %(expired)s expired."), { granted: figure(most(values.granted)), expired: figure(most(values.expired)) }),
    },
  }, heard);
}
