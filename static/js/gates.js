// All gates live: every figure that moves, from one topic.
import { subscribe } from "../live.js";
import { applyRows } from "../live/rows.js";
import { h, icon, setText } from "./dom.js";
import { figure, gettext } from "./words.js";

const table = document.querySelector("[data-gates]");
const words = { paused: ["chip--warn", "pause", gettext("Paused")], recovering: ["chip--info", "sync", gettext("Recovering")], missing: ["chip--bad", "error", gettext("Not read")] };

function showRow(line, data) {
  const put = (name, text) => setText(line.querySelector(`[data-live="${name}"]`), text);
  if (line.dataset.status !== data.status) {
    line.dataset.status = data.status;
    const word = words[data.status];
    line.querySelector("[data-state]").replaceChildren(...(word ? [h("span", { class: `chip ${word[0]}` }, icon(word[1]), word[2])] : []));
  }
  if (data.status === "missing") return;
  put("used", `${figure(data.used)} / ${figure(data.cap)}`);
  line.querySelector("[data-bar]").value = Math.min(1, data.used / data.cap);
  for (const name of ["waiting", "refused", "expired", "overrun"]) put(name, figure(data[name]));
}

if (table?.dataset.topic) {
  const lines = new Map([...table.querySelectorAll("tr[data-gate]")].map((line) => [line.dataset.gate, line]));
  let state = { rows: {} };
  const show = () => {
    for (const [slug, line] of lines) if (state.rows[slug]) showRow(line, state.rows[slug]);
  };
  subscribe(table.dataset.topic, {
    snapshot(data) { state = data; show(); },
    change(data) { state = applyRows(state, data); show(); },
  });
}
