// All pools live: every figure that moves, from one topic.
import { subscribe } from "../live.js";
import { applyRows } from "../live/rows.js";
import { h, icon, setText } from "./dom.js";
import { Rate } from "./rate.js";
import { figure, fill, gettext, percent } from "./words.js";

const table = document.querySelector("[data-pools]");
const rates = new Map();

const words = { paused: ["chip--warn", "pause", gettext("Paused")], recovering: ["chip--info", "sync", gettext("Recovering")], missing: ["chip--bad", "error", gettext("Not read")] };

function rateOf(slug, name, value) {
  const key = `${slug} ${name}`;
  if (!rates.has(key)) rates.set(key, new Rate());
  return rates.get(key).push(value);
}

function showRow(line, slug, data) {
  const put = (name, text) => setText(line.querySelector(`[data-live="${name}"]`), text);
  if (line.dataset.status !== data.status) {
    line.dataset.status = data.status;
    const word = words[data.status];
    line.querySelector("[data-status]").replaceChildren(...(word ? [h("span", { class: `chip ${word[0]}` }, icon(word[1]), word[2])] : []));
  }
  if (data.status === "missing") return;
  const busy = data.busy_up + data.busy_down;
  const usable = busy + data.pickable;
  put("occupancy", percent(usable ? busy / usable : null, 0));
  line.querySelector("[data-bar]").value = usable ? busy / usable : 0;
  put("busy", figure(busy));
  put("ready", figure(data.pickable));
  put("offline", figure(data.idle_down));
  for (const name of ["offered", "carried"]) {
    const rate = rateOf(slug, name, data[name]);
    if (rate !== null) put(name, figure(rate));
  }
}

function showTotals(rows) {
  const sum = (read) => rows.reduce((all, row) => all + read(row), 0);
  const busy = sum((row) => row.busy_up + row.busy_down);
  const usable = busy + sum((row) => row.pickable);
  const put = (name, text) => setText(document.querySelector(`[data-total="${name}"]`), text);
  put("busy", figure(busy));
  put("usable", figure(usable));
  put("of", fill(gettext("of %(n)s"), { n: figure(sum((row) => row.numbers)) }));
  put("occupancy", percent(usable ? busy / usable : null, 0));
  document.querySelector("[data-total-bar]").value = usable ? busy / usable : 0;
}

if (table?.dataset.topic) {
  const lines = new Map([...table.querySelectorAll("tr[data-pool]")].map((line) => [line.dataset.pool, line]));
  let state = { rows: {} };
  const show = () => {
    for (const [slug, line] of lines) if (state.rows[slug]) showRow(line, slug, state.rows[slug]);
    showTotals([...lines.keys()].map((slug) => state.rows[slug]).filter((row) => row && row.status !== "missing"));
  };
  subscribe(table.dataset.topic, {
    snapshot(data) { state = data; show(); },
    change(data) { state = applyRows(state, data); show(); },
  });
}
