// One upgrade, live: the state of each instance, the sessions that are left, and what the upgrade waits for.
import { subscribe } from "../../live.js";
import { announce, pageData, setText } from "../shared/dom.js";
import { isOutdated } from "../shared/outdated.js";
import { figure, fill, gettext, spanOf, timeExactOf } from "../shared/words.js";

const LOOKS = { draining: "chip--info", safe: "chip--warn", proving: "chip--info", done: "chip--ok" };
const BEATING = ["proving", "done"]; // states in which the heartbeat is that of the target version
const page = pageData("upgrade-page");
const box = document.querySelector("[data-upgrade]");
const lines = new Map([...document.querySelectorAll("tr[data-step]")].map((line) => [line.dataset.step, line]));

show(page.told);
subscribe(page.topic, { snapshot: show });

function show(data) {
  if (data.total === undefined) return; // the upgrade was deleted with its group
  if (isOutdated(data.status !== page.status, () => show(data))) return;
  const bar = box.querySelector("[data-bar]");
  bar.max = data.total || 1;
  bar.value = data.done;
  setText(box.querySelector("[data-done]"), fill(gettext("%(done)s of %(total)s instances"), { done: figure(data.done), total: figure(data.total) }));
  const waits = document.querySelector("[data-waits]");
  if (setText(waits.querySelector("[data-waits-words]"), data.waits_for) && data.waits_for) announce(data.waits_for);
  waits.hidden = !data.waits_for;
  const force = document.querySelector("[data-force]");
  if (force) force.hidden = !data.steps.some((step) => step.status === "draining" && step.sessions);
  for (const step of data.steps) showStep(lines.get(step.name), step);
}

function showStep(line, step) {
  if (!line) return;
  line.dataset.status = step.status;
  const word = line.querySelector("[data-word]");
  setText(word, step.word, true);
  word.className = `chip ${LOOKS[step.status] ?? ""}`.trim();
  setText(line.querySelector("[data-note]"), step.note);
  const left = line.querySelector("[data-left]");
  left.max = step.sessions_at_start || 1;
  left.value = Math.min(step.sessions, left.max);
  left.hidden = !step.is_counted;
  setText(line.querySelector("[data-sessions]"), step.is_counted ? figure(step.sessions) : "–");
  line.querySelector("[data-as-of]").hidden = !step.count_is_late;
  if (step.count_is_late) setText(line.querySelector("[data-as-of]"), fill(gettext("as of %(time)s"), { time: timeExactOf(Date.parse(step.counted_at)) }));
  setText(line.querySelector("[data-oldest]"), step.oldest_seconds === null ? "–" : spanOf(step.oldest_seconds));
  setText(line.querySelector("[data-estimate]"), step.estimate_seconds === null ? "–" : spanOf(step.estimate_seconds));
  setText(line.querySelector("[data-beats]"), BEATING.includes(step.status) ? `${step.beats} / ${step.beats_needed}` : "–");
  setText(line.querySelector("[data-manual]"), step.manual_word);
}
