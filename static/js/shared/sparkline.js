// Sparklines: <svg class="sparkline" data-values="1,2,,3">. Each has its own scale, a dot at its last point and gaps
// for missing values; constant data is a line in the middle. The colour is muted: the figure next to it matters.
import { svg } from "./dom.js";

const W = 64;
const H = 22;
const EDGE = 3;

function points(values) {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known);
  const span = Math.max(...known) - low;
  const step = (W - 2 * EDGE) / Math.max(1, values.length - 1);
  return values.map((value, index) =>
    value === null ? null : [EDGE + index * step, span ? H - EDGE - ((value - low) / span) * (H - 2 * EDGE) : H / 2],
  );
}

const round = (n) => Math.round(n * 10) / 10;

export function drawSparkline(place, values) {
  place.setAttribute("viewBox", `0 0 ${W} ${H}`);
  place.setAttribute("aria-hidden", "true");
  if (!values.some((value) => value !== null)) { place.replaceChildren(); return; }
  const all = points(values);
  const runs = [];
  let run = [];
  for (const point of [...all, null]) {
    if (point) run.push(point);
    else if (run.length) { runs.push(run); run = []; }
  }
  const shapes = [];
  for (const line of runs) {
    const path = line.map(([x, y], index) => `${index ? "L" : "M"}${round(x)} ${round(y)}`).join("");
    if (line.length > 1) {
      shapes.push(svg("path", { class: "sparkline__area", d: `${path}L${round(line.at(-1)[0])} ${H}L${round(line[0][0])} ${H}Z` }));
      shapes.push(svg("path", { d: path }));
    }
  }
  const last = all.findLast((point) => point);
  shapes.push(svg("circle", { cx: round(last[0]), cy: round(last[1]), r: 2.2 }));
  place.replaceChildren(...shapes);
}

function parseValues(text) {
  return text === "" ? [] : text.split(",").map((value) => (value === "" ? null : Number(value)));
}

/** Draw every sparkline below `root` from its data-values. */
export function startSparklines(root = document) {
  for (const place of root.querySelectorAll("svg.sparkline[data-values]")) drawSparkline(place, parseValues(place.dataset.values));
}
