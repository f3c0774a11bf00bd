// One wrapper over Chart.js (a static file of the admin theme): colours from the custom properties, a hover line
// with every series in its tooltip, keyboard, table view and CSV. Nothing slides, nothing blinks.
import { h } from "./dom.js";
import { dayMinuteOf, figure, fill, gettext, minuteOf, percent } from "./words.js";

const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

/** The value of a colour token in the theme of now, as rgb(). */
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

// The five looks of a number, and the three of a call, as they are drawn.
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

/** A nice highest value for an axis that starts at 0, and its step: at most five lines. */
export function niceAxis(most, lines = 4) {
  const rough = Math.max(most, 1) / lines;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const whole = Math.max(1, step);
  return { step: whole, max: Math.ceil(Math.max(most, 1) / whole) * whole };
}

function wholeTicks(from, to) {
  const { step } = niceAxis(to - from, 4);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({ value: at });
  return ticks;
}

function timeTicks(from, to) {
  const minute = 60000;
  const steps = [5, 10, 15, 30, 60, 120, 240, 360, 720, 1440].map((n) => n * minute);
  const step = steps.find((size) => (to - from) / size <= 5) ?? 1440 * minute;
  const offset = from - new Date(from).setHours(0, 0, 0, 0); // whole steps of local time
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
      const at = Math.min(points.length - 1, Math.round(points.length * 0.05));
      const value = set.data[at]?.y;
      if (!value) return;
      const below = chart.data.datasets.slice(0, index).reduce((sum, other) => sum + (other.data[at]?.y ?? 0), 0);
      const top = scales.y.getPixelForValue(below + value);
      const bottom = scales.y.getPixelForValue(below);
      if (bottom - top < 20) return;
      ctx.fillStyle = label.on === "call" ? colour("on-call") : colour("strong");
      ctx.fillText(label.text, points[at].x + 4, (top + bottom) / 2);
    });
    ctx.restore();
  },
};

/**
 * A chart over time in `box` (a .chart__plot).
 * options: title, summary(data) → sentence, series: [{key, label, look, kind: "area"|"line"|"bars", factor}], stacked, unit
 * Data: {at: [ms], values: {key: [number|null]}}; `factor` stretches bars and is named in the label.
 */
export class TimeChart {
  constructor(box, options) {
    this.box = box;
    this.options = options;
    this.data = { at: [], values: {} };
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": options.title });
    this.tip = h("div", { class: "chart-tip", hidden: true });
    box.replaceChildren(this.canvas, this.tip);
    this.chart = new globalThis.Chart(this.canvas, this.#config());
    this.#listen();
  }

  set(data) {
    this.data = data;
    const { chart, options } = this;
    chart.data.datasets = options.series.map((series) => this.#dataset(series));
    this.#axes();
    this.canvas.setAttribute("aria-label", `${options.title}. ${options.summary?.(data) ?? ""}`);
    chart.update("none");
  }

  /** Add or replace the newest points; older ones than `from` fall out. Waits while somebody hovers. */
  push(data) {
    if (this.hovering) { this.waiting = data; return; }
    this.set(data);
  }

  repaint() {
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
    const lines = [this.heads().join(",")];
    for (const [at, ...values] of this.rows()) lines.push([new Date(at).toISOString(), ...values.map((v) => v ?? "")].join(","));
    return `${lines.join("\r\n")}\r\n`;
  }

  table() {
    const body = h("tbody");
    for (const [at, ...values] of this.rows().reverse()) {
      body.append(h("tr", {}, h("th", { scope: "row", class: "num" }, dayMinuteOf(at)), ...values.map((v) => h("td", { class: "right" }, figure(v)))));
    }
    const head = h("tr", {}, ...this.heads().map((text, index) => h("th", { scope: "col", class: index ? "right" : "" }, text)));
    return h("div", { class: "chart__table", tabindex: "0", role: "region", "aria-label": this.options.title }, h("table", { class: "table" }, h("thead", {}, head), body));
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
      pointRadius: 0,
      pointHoverRadius: 0,
      tension: 0,
      barThickness: 2,
      order: bars ? 0 : series.kind === "line" ? 1 : 2,
    };
  }

  #axes() {
    const { at, values } = this.data;
    const { x, y } = this.chart.options.scales;
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
            grid: { display: false },
            border: { display: false },
            afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis.min, axis.max); },
            ticks: {
              color: colour("muted"), font: axisFont, maxRotation: 0, padding: 4,
              callback: (value) => (this.data.at.at(-1) - this.data.at[0] > 2 * 86400000 ? dayMinuteOf(value).split(",")[0] : minuteOf(value)),
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
    const value = this.chart.scales.x.getValueForPixel(pixel);
    const { at } = this.data;
    let best = 0;
    for (let index = 1; index < at.length; index += 1) if (Math.abs(at[index] - value) < Math.abs(at[best] - value)) best = index;
    return best;
  }

  #point(index) {
    const at = this.data.at[index];
    if (at === undefined) return;
    this.hovering = true;
    this.index = index;
    const x = this.chart.scales.x.getPixelForValue(at);
    this.chart.$hoverX = x;
    this.chart.draw();
    const rows = this.options.series.map((series) => h("div", { class: "chart-tip__row" }, swatch(series), series.label, h("b", {}, figure(this.data.values[series.key]?.[index]))));
    this.tip.replaceChildren(h("div", { class: "chart-tip__time" }, dayMinuteOf(at)), ...(this.options.stacked ? rows.reverse() : rows));
    this.tip.hidden = false;
    const right = x + 12 + this.tip.offsetWidth < this.box.clientWidth;
    this.tip.style.left = `${right ? x + 12 : Math.max(0, x - 12 - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${Math.max(0, this.box.clientHeight / 2 - this.tip.offsetHeight / 2 - 16)}px`;
  }

  #leave() {
    this.hovering = false;
    this.index = undefined;
    this.chart.$hoverX = undefined;
    this.tip.hidden = true;
    if (this.waiting) { const data = this.waiting; this.waiting = null; this.set(data); } else this.chart.draw();
  }
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

/** The Erlang B curve: blocking over numbers, the point of now, the point that meets the mark. */
export class SizingChart {
  constructor(box, sizing) {
    this.canvas = h("canvas", { tabindex: "0", role: "img" });
    box.replaceChildren(this.canvas);
    this.chart = new globalThis.Chart(this.canvas, { type: "line", data: { datasets: [] }, options: {}, plugins: [sizingMarks] });
    this.set(sizing);
    document.documentElement.addEventListener("themechange", () => this.set(this.sizing));
  }

  set(sizing) {
    this.sizing = sizing;
    const { chart } = this;
    const font = { family: "Inter, sans-serif", size: 11 };
    const most = Math.max(sizing.target * 2, ...sizing.curve.map(([, share]) => share));
    const step = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5].find((size) => most / size <= 4) ?? 0.25;
    chart.$sizing = sizing;
    chart.data.datasets = [
      { data: sizing.curve.map(([x, y]) => ({ x, y })), borderColor: colour("call"), borderWidth: 1.5, pointRadius: 0, tension: 0.2, cubicInterpolationMode: "monotone" },
    ];
    chart.options = {
      animation: false, responsive: true, maintainAspectRatio: false, events: [], layout: { padding: { top: 8, right: 10 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: {
        x: { type: "linear", min: sizing.curve[0][0], max: sizing.curve.at(-1)[0], grid: { display: false }, border: { display: false }, afterBuildTicks: (axis) => { axis.ticks = wholeTicks(axis.min, axis.max); }, ticks: { color: colour("muted"), font, maxRotation: 0, callback: (value) => figure(value) } },
        y: { min: 0, max: Math.ceil(most / step) * step, grid: { color: colour("line"), drawTicks: false }, border: { display: false }, ticks: { color: colour("muted"), font, padding: 8, stepSize: step, callback: (value) => percent(value, step < 0.01 ? 1 : 0) } },
      },
    };
    this.canvas.setAttribute("aria-label", fill(gettext("Blocking by Erlang B: %(now)s with %(usable)s numbers; %(needed)s numbers keep it under %(target)s."), {
      now: percent(sizing.blocking), usable: figure(sizing.usable), needed: figure(sizing.needed), target: percent(sizing.target, 0),
    }));
    chart.update("none");
  }
}

const sizingMarks = {
  id: "sizingMarks",
  afterDatasetsDraw(chart) {
    const sizing = chart.$sizing;
    if (!sizing) return;
    const { ctx, chartArea, scales } = chart;
    const y = scales.y.getPixelForValue(sizing.target);
    ctx.save();
    ctx.strokeStyle = colour("bad-g");
    ctx.setLineDash([3, 3]);
    ctx.beginPath();
    ctx.moveTo(chartArea.left, y);
    ctx.lineTo(chartArea.right, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.font = "400 11px Inter, sans-serif";
    ctx.fillStyle = colour("text");
    // at the right, unless today's point stands there
    const share = (sizing.usable - scales.x.min) / (scales.x.max - scales.x.min);
    const place = share > 0.7 ? (chartArea.left + chartArea.right) / 2 : chartArea.right;
    ctx.textAlign = share > 0.7 ? "center" : "right";
    ctx.fillText(fill(gettext("mark %(share)s"), { share: percent(sizing.target, 0) }), place, y - 5);
    ctx.textAlign = "left";
    ctx.font = "600 11px Inter, sans-serif";
    const point = (lines, share, text, token, up) => {
      const [px, py] = [scales.x.getPixelForValue(lines), scales.y.getPixelForValue(share)];
      if (px < chartArea.left - 1 || px > chartArea.right + 1) return;
      ctx.beginPath();
      ctx.arc(px, Math.max(py, chartArea.top), 4, 0, 7);
      ctx.fillStyle = colour(token);
      ctx.fill();
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = colour("surface");
      ctx.stroke();
      ctx.fillStyle = colour("strong");
      const wide = ctx.measureText(text).width;
      ctx.fillText(text, Math.min(px + 8, chartArea.right - wide), Math.max(py, chartArea.top) + (up ? -7 : 14));
    };
    point(sizing.usable, sizing.blocking, fill(gettext("now %(share)s"), { share: percent(sizing.blocking) }), "call", true);
    if (sizing.needed !== sizing.usable) point(sizing.needed, sizing.needed_blocking, figure(sizing.needed), "ok-g", true);
    ctx.restore();
  },
};
