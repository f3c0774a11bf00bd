// The floor: queues, worst first, with the line of the chosen queue, and all agents on shift.
import { connection, subscribe } from "../../../live.js";
import { stayPresent } from "../../../live/presence.js";
import { pageData } from "../../shared/dom.js";
import { FloorAgents } from "./agents.js";
import { FloorLine } from "./line.js";
import { FloorQueues } from "./queues.js";
import { FloorVerbs } from "./verbs.js";
import { clockOf, figure, fill, gettext, ngettext } from "../../shared/words.js";

const page = pageData("floor-page");
const find = (name) => document.querySelector(`[data-${name}]`);
const root = find("floor");
let data = page.floor;
let chosen = new URLSearchParams(location.search).get("queue") ?? "";

const verbs = new FloorVerbs(page);
const agents = new FloorAgents({ verbs, now: nowMs });
const line = new FloorLine({ page, verbs, now: nowMs });
const queues = new FloorQueues(choose);
document.querySelector("main").append(find("agent-menu")); // so that the menu is above everything and no card's scrolling cuts it off

function nowMs() {
  return Date.now();
}

function choose(slug) {
  chosen = slug;
  history.replaceState(null, "", `?queue=${encodeURIComponent(slug)}`);
  draw();
}

function draw() {
  if (!data.queues) return;
  if (!data.queues.some((queue) => queue.slug === chosen)) chosen = data.queues[0]?.slug ?? "";
  queues.draw(data.queues, { chosen, now: nowMs() });
  line.watch(data.queues.find((queue) => queue.slug === chosen) ?? null);
  agents.show(data);
  drawSum();
}

function drawSum() {
  const waiting = data.queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const oldest = Math.min(...data.queues.map((queue) => queue.oldest || Infinity));
  const all = data.agents.length + data.offline.length;
  const words = [
    fill(ngettext("%(n)s waiting", "%(n)s waiting", waiting), { n: figure(waiting) }),
    ...(waiting && Number.isFinite(oldest) ? [fill(gettext("longest %(t)s"), { t: clockOf((nowMs() - oldest) / 1000) })] : []),
    fill(ngettext("%(n)s of %(all)s agent on shift", "%(n)s of %(all)s agents on shift", all), { n: figure(data.agents.length), all: figure(all) }),
  ];
  find("sum").textContent = words.join(" · ");
}

/** Mute figures older than 10 s, and disable the actions on them. */
function showAge() {
  const stale = ["stale", "offline", "signed-out"].includes(document.documentElement.dataset.connection ?? "");
  if (root.hasAttribute("data-stale") === stale) return;
  root.toggleAttribute("data-stale", stale);
  verbs.setStale(stale);
}

find("line-agents").addEventListener("click", () => agents.showQueue(chosen));
connection.addEventListener("state", () => queueMicrotask(showAge)); // after the badge has set the page's connection state
stayPresent();
draw();
subscribe(`line.floor:${page.desk}`, { snapshot: (next) => { data = next; draw(); } });
setInterval(() => {
  if (!data.queues) return;
  queues.draw(data.queues, { chosen, now: nowMs() });
  drawSum();
  line.tick();
  agents.tick();
  showAge();
}, 1000);
