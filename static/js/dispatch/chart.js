// The last hour of one group by the minute: sessions, and how many began, ended and were refused.
import { most } from "../shared/chart_box.js";
import { startHourCharts } from "../shared/hour_charts.js";
import { figure, fill, gettext } from "../shared/words.js";

export function startGroupChart(page, heard) {
  startHourCharts(page, {
    sessions: {
      title: gettext("Sessions"),
      series: [{ key: "sessions", label: gettext("Concurrent"), look: "carried", kind: "area" }],
      summary: ({ values }) => fill(gettext("Peak: %(n)s concurrent sessions."), { n: figure(most(values.sessions)) }),
    },
    flow: {
      title: gettext("Sessions per minute"),
      series: [
        { key: "started", label: gettext("Started"), look: "carried", kind: "area" },
        { key: "refused", label: gettext("Refused"), look: "blocked", kind: "bars", stretch: "started" },
      ],
      summary: ({ values }) => fill(gettext("Peak per minute: %(started)s started, %(refused)s refused."), { started: figure(most(values.started)), refused: figure(most(values.refused)) }),
    },
  }, heard);
}
