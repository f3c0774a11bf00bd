// One pool, live: figures, a tile for each number, the chosen number's story, charts, sizing, and operators' actions.
import { subscribe } from "../../live.js";
import { did, once } from "../shared/act.js";
import { ask } from "../shared/dialog.js";
import { pageData, setText } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { drawAnew, isOutdated } from "../shared/outdated.js";
import { startPoolCharts } from "./pool_charts.js";
import { startSizing } from "./pool_sizing.js";
import { startTileBoard } from "./pool_tiles.js";
import { Rate } from "./rate.js";
import { drawSparkline } from "../shared/sparkline.js";
import { clockOf, figure, fill, gettext, percent } from "../shared/words.js";

const page = pageData("pool-page");
const find = (name) => document.querySelector(`[data-figure="${name}"]`);

let story = null; // loaded when a number is chosen
const board = startTileBoard(page, {
  open: async (number) => {
    story ??= import("./pool_story.js").then(({ startStory }) => startStory(page));
    (await story).open(number);
  },
});
const charts = startPoolCharts(page);
startSizing(page, { filter: (letter) => board.filter(letter) });
startVerbs();

let live = null;
const offeredRate = new Rate();
if (page.live) show(page.live);
subscribe(`numbers.pool:${page.slug}`, { snapshot: show });

function show(data) {
  if (isOutdated(data.status !== page.status, () => show(data))) return;
  if (data.status === "missing") return;
  live = data;
  const busy = data.busy_up + data.busy_down;
  const usable = busy + data.pickable;
  putFigures(document, {
    busy,
    numbers: data.numbers,
    occupancy: percent(usable ? busy / usable : null, 0),
    usable: fill(gettext("of %(n)s"), { n: figure(usable) }),
    offered: offeredRate.push(data.offered) ?? undefined,
    mean: data.mean_call_seconds ? clockOf(data.mean_call_seconds) : undefined,
  });
  document.querySelector("[data-figure-bar]").value = usable ? busy / usable : 0;
  board.count({ R: data.pickable, r: data.resting, C: data.busy_up, L: data.busy_down, O: data.idle_down, Q: data.quarantined });
  charts.live({ spark, lastHour });
}

/** Show the figures of the minute samples until the live counters have run for a while. */
function lastHour({ offered, blocked_share: share, mean_call_seconds: mean }) {
  if (find("offered").textContent === "–") setText(find("offered"), figure(offered));
  if (find("mean").textContent === "–") setText(find("mean"), clockOf(mean));
  setText(find("blocked"), percent(share));
  document.querySelector("[data-over]").hidden = !(share * 100 > page.blocking_alarm_percent);
}

function spark(name, values) {
  drawSparkline(document.querySelector(`[data-spark="${name}"]`), values);
}

function startVerbs() {
  const on = (name, run) => document.querySelector(`[data-${name}]`)?.addEventListener("click", (event) => run(event.currentTarget));
  on("pause", async (button) => {
    const busy = live ? live.busy_up + live.busy_down : 0;
    const answer = await ask({
      title: fill(gettext("Pause %(pool)s?"), { pool: page.name }),
      text: fill(gettext("New calls are refused until you resume the pool. %(n)s calls in progress continue."), { n: figure(busy) }),
      go: gettext("Pause pool"), danger: true, reason: "required",
    });
    if (answer) await send(button.dataset.pause, answer, gettext("Pool paused"));
  });
  on("resume", (button) => send(button.dataset.resume, {}, gettext("Pool resumed")));
  on("reconcile", (button) => once(button, () => did(button.dataset.reconcile, {}, { topic: "reconcile" }, 60)));
}

async function send(url, data, title) {
  if (await did(url, data, { title })) drawAnew();
}
