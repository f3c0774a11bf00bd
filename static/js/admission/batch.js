// One batch, live: its progress bar, the time left and its tasks by state.
import { subscribe } from "../../live.js";
import { pageData, setText } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { isOutdated } from "../shared/outdated.js";
import { figure, fill, gettext, spanOf } from "../shared/words.js";

const page = pageData("batch-page");
const box = document.querySelector("[data-batch-progress]");

subscribe(`admission.batch:${page.id}`, { snapshot: show });

function show(data) {
  if (data.total === undefined) return; // the batch no longer exists
  if (isOutdated(data.state !== page.state, () => show(data))) return;
  const ended = data.done + data.failed + data.expired;
  const bar = box.querySelector("[data-bar]");
  bar.max = data.total || 1;
  bar.value = ended;
  setText(box.querySelector("[data-ended]"), fill(gettext("%(done)s of %(total)s"), { done: figure(ended), total: figure(data.total) }));
  setText(box.querySelector("[data-eta]"), data.eta_seconds === null ? "" : fill(gettext("about %(time)s left"), { time: spanOf(data.eta_seconds) }));
  document.querySelector("[data-waits-for-worker]").hidden = !data.waits_for_worker;
  document.querySelector("[data-too-late]").hidden = data.in_time !== false;
  putFigures(document, data);
}
