// One group live: its figures, its last hour, its instances and front-ends.
import { subscribe } from "../live.js";
import { pageData, setText } from "./dom.js";
import { startGroupChart } from "./group_chart.js";
import { startPeers } from "./group_peers.js";
import { isOutdated } from "./outdated.js";
import { figure } from "./words.js";

const page = pageData("group-page");

startGroupChart(page);
startPeers(page);
show(page.live);
subscribe(`dispatch.group:${page.slug}`, { snapshot: show });

function show(data) {
  if (isOutdated(data.status !== page.status, () => show(data))) return;
  if (data.status === "missing") return;
  for (const name of ["sessions", "active", "pending", "started", "refused"]) setText(document.querySelector(`[data-figure="${name}"]`), figure(data[name]));
}
