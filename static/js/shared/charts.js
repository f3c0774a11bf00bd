// A wrapper around Chart.js (a static file of the admin theme): colours from custom properties, a hover line with all
// series in its tooltip, keyboard access, a table view and CSV. No animations.
import { h } from "./dom.js";
import { dayOf, figure, gettext, momentOf, timeOf } from "./words.js";

const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

/** Return a colour token's value in the current theme, as rgb(). */
export function colour(token, alpha = 1) {
  probe.style.color = `var(--${token})`;
  const value = getComputedStyle(probe).color;
  return alpha === 1 ? value : value.replace(/^rgba?\((.+?)\)$/, (_, parts) => `rgb(${parts.split(",").slice(0, 3).join(" ")} / ${alpha})`);
}

function hatch(token, gap = 5) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = gap * 2;
  const pen = tile.getContext("2d");
  pen.scale(2, 2);
  pen.strokeStyle = colour(token);
  pen.lineWidth = 1.25;
  for (const shift of [-gap, 0, gap]) {
    pen.beginPath();
    pen.moveTo(shift, gap);
    pen.lineTo(shift + gap, 0);
    pen.stroke();
  }
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(0.5));
  return pattern;
}

// The five looks of a number and the three of a call, as drawn.
const looks = {
  call: () => ({ backgroundColor: colour("call", 0.92), borderColor: colour("call"), borderWidth: 1 }),
  ready: () => ({ backgroundColor: colour("ready"), borderColor: colour("ready-edge"), borderWidth: 1 }),
  lost: () => ({ backgroundColor: colour("lost"), borderColor: colour("lost"), borderWidth: 1 }),
  offline: () => ({ backgroundColor: colour("surface"), borderColor: colour("offline-edge"), borderWidth: 1 }),
  quarantined: () => ({ backgroundColor: hatch("quarantined"), borderColor: colour("quarantined"), borderWidth: 1 }),
  offered: () => ({ backgroundColor: "transparent", borderColor: colour("strong"), borderWidth: 1.5, borderDash: [4, 3] }),
  carried: () => ({ backgroundColor: colour("call", 0.16), borderColor: colour("call"), borderWidth: 1.5 }),
  blocked: () => ({ backgroundColor: colour("bad-g"), borderColor: colour("bad-g"), borderWidth: 0 }),
};

/** Return a round maximum for an axis that starts at 0, and its step: at most five lines. */
function niceAxis(most, lines = 4) {
  const rough = Math.max(most, 1) / lines;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const whole = Math.max(1, step);
  return { step: whole, max: Math.ceil(Math.max(most, 1) / whole) * whole };
}

export function wholeTicks(from, to) {
  const { step } = niceAxis(to - from, 4);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({ value: at });
  return ticks;
}

/** Return each point's radius: a line needs two ends, so a value between two gaps is drawn as a point. */
export function lonelyPoints(values) {
  const missing = (value) => value === null || value === undefined;
  return values.map((value, index) => (!missing(value) && missing(values[index - 1]) && missing(values[index + 1]) ? 2.5 : 0));
}

function timeTicks(from, to) {
  const minute = 60000;
  const steps = [5, 10, 15, 30, 60, 120, 240, 360, 720, 1440].map((n) => n * minute);
  const step = steps.find((size) => (to - from) / size <= 5) ?? 1440 * minute;
  const [hours, minutes] = timeOf(from).split(":").map(Number); // ticks at round times in the reader's zone
  const offset = (hours * 60 + minutes) * minute + (from % minute);
  const first = from + ((step - (offset % step)) % step);
  const ticks = [];
  for (let at = first; at <= to; at += step) ticks.push({ value: at });
  return ticks;
}

const hoverLine = {
  id: "hoverLine",
  afterDatasetsDraw(chart) {
    const x = chart.$hoverX;
    if (x === undefined) return;
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.strokeStyle = colour("strong");
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, chartArea.top);
    ctx.lineTo(x, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
};

const directLabels = {
  id: "directLabels",
  afterDatasetsDraw(chart) {
    const labels = chart.options.plugins.directLabels?.labels;
    if (!labels) return;
    const { ctx, scales } = chart;
    ctx.save();
    ctx.font = "600 11px Inter, sans-serif";
    ctx.textBaseline = "middle";
    chart.data.datasets.forEach((set, index) => {
      const label = labels[set.key];
      const points = chart.getDatasetMeta(index).data;
      if (!label || points.length < 2) return;
      // as far left as the area is thick enough for the whole label
      const room = (at) => {
        const value = set.data[at]?.y ?? 0;
        const below = chart.data.datasets.slice(0, index).reduce((sum, other) => sum + (other.data[at]?.y ?? 0), 0);
        return [scales.y.getPixelForValue(below + value), scales.y.getPixelForValue(below)];
      };
      const wide = Math.ceil(points.length * 0.16);
      const start = [0.04, 0.2, 0.36, 0.52, 0.68, 0.8].map((share) => Math.round(points.length * share)).find((from) => {
        const spans = Array.from({ length: wide }, (_, step) => room(Math.min(points.length - 1, from + step)));
        return Math.max(...spans.map(([top]) => top)) + 18 < Math.min(...spans.map(([, bottom]) => bottom));
      });
      if (start === undefined) return;
      const [top, bottom] = room(Math.min(points.length - 1, start + Math.floor(wide / 2)));
      const at = start;
      ctx.fillStyle = label.on === "call" ? colour("on-call") : colour("strong");
      ctx.fillText(label.text, points[at].x + 4, (top + bottom) / 2);
    });
    ctx.restore();
  },
};

// Draw each chart in a task of its own, because several in one task would block the page for too long.
const waiting = new Set();
function inTurn(chart) {
  if (!waiting.size) setTimeout(drawNext);
  waiting.add(chart);
}
function drawNext() {
  const [chart] = waiting;
  waiting.delete(chart);
  if (waiting.size) setTimeout(drawNext);
  chart.draw();
}

/**
 * A chart over time in `box` (a .chart__plot).
 * options: title, summary(data) → sentence, series: [{key, label, look, kind: "area"|"line"|"bars", stretch}], stacked,
 * labels. Data: {at: [ms], values: {key: [number|null]}}. `stretch` names another series: if the bars are much smaller
 * than its values, they are drawn larger, and the legend shows the factor.
 */
export class TimeChart {
  constructor(box, options) {
    this.box = box;
    this.options = options;
    this.data = { at: [], values: {} };
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": options.title });
    this.tip = h("div", { class: "chart-tip", hidden: true });
    this.chart = null; // null until the chart is drawn
    box.replaceChildren(this.canvas, this.tip);
    this.#listen();
  }

  /** Draw `data` after the charts that are already waiting to be drawn. It waits while the user points at the chart. */
  set(data) {
    if (this.hovering) { this.waiting = data; return; }
    if (this.data !== data) this.canvas.setAttribute("aria-label", `${this.options.title}. ${this.options.summary?.(data) ?? ""}`);
    this.data = data;
    inTurn(this);
  }

  /** Draw the latest data at once. `drawNext` calls this. */
  draw() {
    const shown = this.chart ?? this.#config();
    shown.data.datasets = this.options.series.map((series) => this.#dataset(series));
    this.#axes(shown.options.scales);
    if (this.chart) this.chart.update("none");
    else this.chart = new globalThis.Chart(this.canvas, shown);
  }

  repaint() {
    if (!this.chart) return;
    this.chart.options = this.#config().options;
    this.set(this.data);
  }

  factorOf(series) {
    if (!series.stretch) return 1;
    const most = Math.max(1, ...(this.data.values[series.stretch] ?? []).map((v) => v ?? 0));
    const own = Math.max(0, ...(this.data.values[series.key] ?? []).map((v) => v ?? 0));
    if (!own) return 4;
    return [20, 10, 4, 2].find((factor) => own * factor <= most * 0.3) ?? 1;
  }

  rows() {
    return this.data.at.map((at, index) => [at, ...this.options.series.map((s) => this.data.values[s.key]?.[index] ?? null)]);
  }

  heads() {
    return [gettext("Time"), ...this.options.series.map((s) => s.label)];
  }

  csv() {
    const lines = [this.heads().map(quoted).join(",")];
    for (const [at, ...values] of this.rows()) lines.push([new Date(at).toISOString(), ...values.map((v) => v ?? "")].join(","));
    return `${lines.join("\r\n")}\r\n`;
  }

  table() {
    const body = h("tbody");
    for (const [at, ...values] of this.rows().reverse()) {
      body.append(h("tr", {}, h("th", { scope: "row", class: "num" }, momentOf(at)), ...values.map((v) => h("td", { class: "right" }, figure(v)))));
    }
    const head = h("tr", {}, ...this.heads().map((text, index) => h("th", { scope: "col", class: index ? "right" : "" }, text)));
    return h("div", { class: "chart__table", tabindex: "0", role: "group", "aria-label": this.options.title }, h("table", { class: "table" }, h("thead", {}, head), body));
  }

  #dataset(series) {
    const factor = this.factorOf(series);
    const look = looks[series.look]();
    const bars = series.kind === "bars";
    return {
      key: series.key,
      type: bars ? "bar" : "line",
      data: this.data.at.map((x, index) => {
        const value = this.data.values[series.key]?.[index];
        return { x, y: value === null || value === undefined ? null : value * factor };
      }),
      ...look,
      fill: bars ? undefined : series.kind === "area" ? (this.options.stacked ? "stack" : "origin") : false,
      stack: this.options.stacked ? "all" : series.key,
      pointRadius: bars ? 0 : lonelyPoints(this.data.values[series.key] ?? []),
      pointHoverRadius: 0,
      tension: 0,
      barThickness: 2,
      order: bars ? 0 : series.kind === "line" ? 1 : 2,
    };
  }

  #axes({ x, y }) {
    const { at, values } = this.data;
    x.min = at[0];
    x.max = at.at(-1);
    const sums = this.options.stacked
      ? at.map((_, index) => this.options.series.reduce((sum, s) => sum + (values[s.key]?.[index] ?? 0), 0))
      : this.options.series.filter((s) => s.kind !== "bars").flatMap((s) => values[s.key] ?? []);
    const axis = niceAxis(Math.max(1, ...sums.map((v) => v ?? 0)));
    y.max = axis.max;
    y.ticks.stepSize = axis.step;
  }

  #config() {
    const { options } = this;
    const axisFont = { family: "Inter, sans-serif", size: 11 };
    return {
      type: "line",
      data: { datasets: [] },
      plugins: [hoverLine, directLabels],
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        normalized: true,
        events: [],
        layout: { padding: { top: 6 } },
        plugins: { legend: { display: false }, tooltip: { enabled: false }, directLabels: { labels: options.labels } },
        scales: {
          x: {
            type: "linear",
            offset: false, // also with bars, so that charts next to each other have the same time axis
            grid: { display: false },
            border: { display: false },
            afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis.min, axis.max); },
            ticks: {
              color: colour("muted"), font: axisFont, maxRotation: 0, padding: 4,
              callback: (value) => (this.data.at.at(-1) - this.data.at[0] > 2 * 86400000 ? dayOf(value) : timeOf(value)),
            },
          },
          y: {
            beginAtZero: true, min: 0, stacked: Boolean(options.stacked),
            grid: { color: colour("line"), drawTicks: false },
            border: { display: false },
            ticks: { color: colour("muted"), font: axisFont, padding: 8, callback: (value) => figure(value) },
          },
        },
      },
    };
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.#point(this.#nearest(event.offsetX)));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("blur", () => this.#leave());
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || !this.data.at.length) return;
      event.preventDefault();
      const last = this.data.at.length - 1;
      this.#point(Math.min(last, Math.max(0, (this.index ?? last) + step)));
    });
    document.documentElement.addEventListener("themechange", () => this.repaint());
  }

  #nearest(pixel) {
    if (!this.chart) return undefined;
    const value = this.chart.scales.x.getValueForPixel(pixel);
    const { at } = this.data;
    let best = 0;
    for (let index = 1; index < at.length; index += 1) if (Math.abs(at[index] - value) < Math.abs(at[best] - value)) best = index;
    return best;
  }

  #point(index) {
    const at = this.data.at[index];
    if (at === undefined || !this.chart) return;
    this.hovering = true;
    this.index = index;
    const x = this.chart.scales.x.getPixelForValue(at);
    this.chart.$hoverX = x;
    this.chart.draw();
    const rows = this.options.series.map((series) => h("div", { class: "chart-tip__row" }, swatch(series), series.label, h("b", {}, figure(this.data.values[series.key]?.[index]))));
    this.tip.replaceChildren(h("div", { class: "chart-tip__time" }, momentOf(at)), ...(this.options.stacked ? rows.reverse() : rows));
    this.tip.hidden = false;
    const right = x + 12 + this.tip.offsetWidth < this.box.clientWidth;
    this.tip.style.left = `${right ? x + 12 : Math.max(0, x - 12 - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${Math.max(0, this.box.clientHeight / 2 - this.tip.offsetHeight / 2 - 16)}px`;
  }

  #leave() {
    this.hovering = false;
    this.index = undefined;
    this.tip.hidden = true;
    if (!this.chart) return;
    this.chart.$hoverX = undefined;
    if (this.waiting) { const data = this.waiting; this.waiting = null; this.set(data); } else this.chart.draw();
  }
}

function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function swatch(series) {
  const line = { offered: "swatch--line swatch--dashed", carried: "swatch--line swatch--carried" }[series.look];
  return h("span", { class: `swatch ${line ?? `swatch--${{ blocked: "bad" }[series.look] ?? series.look}`}` });
}

/** Fill a .chart__legend. */
export function drawLegend(box, chart) {
  box.replaceChildren(
    ...chart.options.series.map((series) => {
      const factor = chart.factorOf(series);
      return h("span", {}, swatch(series), factor > 1 ? `${series.label} ×${factor}` : series.label);
    }),
  );
}

export function download(name, text, type = "text/csv") {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
