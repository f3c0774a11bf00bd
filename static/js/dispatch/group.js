// One group, live: its figures, its last hour, its instances and front-ends.
import { subscribe } from "../../live.js";
import { pageData } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { startGroupChart } from "./chart.js";
import { startPeers } from "./peers.js";
import { LastHour } from "../shared/hour_charts.js";
import { isOutdated } from "../shared/outdated.js";

const page = pageData("group-page");

const hour = new LastHour(page.live, page.hour);
startGroupChart(page, (values) => hour.heard(values));
startPeers(page, offerUpgrade);
show(page.live);
subscribe(`dispatch.group:${page.slug}`, { snapshot: show });

function show(data) {
  if (isOutdated(data.status !== page.status, () => show(data))) return;
  if (data.status === "missing") return;
  putFigures(document, { ...data, ...hour.of(data) });
}

/** Disable the upgrade button if no instance is linked, because such a group can't be upgraded. */
function offerUpgrade(possible) {
  const button = document.querySelector("[data-unlinked]");
  if (!button) return;
  button.disabled = !possible;
  button.title = possible ? "" : button.dataset.unlinked;
}
