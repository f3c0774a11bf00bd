// A job's progress, live from its topic: a bar with done of total, time left and Cancel. Users may leave and come back.
import { subscribe } from "../../live.js";
import { ask } from "./dialog.js";
import { postJSON, setText } from "./dom.js";
import { toastFailure } from "./toast.js";
import { figure, fill, gettext, spanOf } from "./words.js";

export const ENDED = ["done", "failed", "cancelled"];

/** Start every [data-progress="<job ID>"] below `root`. `ended(job, box)` is called once when the job is over. */
export function startProgress(root = document, ended = () => {}) {
  for (const box of root.querySelectorAll("[data-progress]")) {
    const bar = box.querySelector("progress");
    const show = (job) => {
      if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
      setText(box.querySelector("[data-progress-done]"), job.total ? fill(gettext("%(done)s of %(total)s"), { done: figure(job.done), total: figure(job.total) }) : figure(job.done));
      const left = box.querySelector("[data-progress-left]");
      if (ENDED.includes(job.state)) {
        setText(left, "");
        box.querySelector("[data-progress-cancel]")?.remove();
        if (box.dataset.ended !== job.state) { box.dataset.ended = job.state; ended(job, box); }
      } else setText(left, job.seconds_left === null || job.seconds_left === undefined ? job.message ?? "" : fill(gettext("about %(time)s left"), { time: spanOf(job.seconds_left) }));
    };
    subscribe(`jobs.job:${box.dataset.progress}`, { snapshot: show });
    box.querySelector("[data-progress-cancel]")?.addEventListener("click", async () => {
      const answer = await ask({ title: gettext("Stop this job?"), text: gettext("Completed work is kept."), go: gettext("Stop job"), danger: true });
      if (!answer) return;
      try { await postJSON(box.dataset.cancelUrl); } catch (error) { toastFailure(error); }
    });
  }
}
