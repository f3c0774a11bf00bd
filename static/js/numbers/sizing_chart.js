// The Erlang B curve of the sizing advisor.
import { colour, wholeTicks } from "../shared/charts.js";
import { h } from "../shared/dom.js";
import { figure, fill, gettext, percent } from "../shared/words.js";

/** The Erlang B curve: blocking by numbers, with the current point and the point that meets the target. */
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
    // on the right, unless the current point is there
    const share = (sizing.usable - scales.x.min) / (scales.x.max - scales.x.min);
    const place = share > 0.7 ? (chartArea.left + chartArea.right) / 2 : chartArea.right;
    ctx.textAlign = share > 0.7 ? "center" : "right";
    ctx.fillText(fill(gettext("target %(share)s"), { share: percent(sizing.target, 0) }), place, y - 5);
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
