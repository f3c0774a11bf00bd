// Usage by mode: stacked bars by day or month, with a legend, a tooltip with all series, a table and CSV.
import { chartLibrary, whenSeen } from "../shared/chart_library.js";
import { colour, download } from "../shared/charts.js";
import { errorState, getJSON, h, pressOne, togglePressed } from "../shared/dom.js";
import { toastFailure } from "../shared/toast.js";
import { exact, money, shortMoney } from "./money.js";
import { fill, gettext } from "../shared/words.js";

const FONT = { family: "Inter, sans-serif", size: 11 };

export const modeSwatch = (look) => h("span", { class: `swatch swatch--${look}`, "aria-hidden": "true" });
const fillOf = (look) => colour({ other: "ctl", call: "call" }[look] ?? `mode-${look}`);

/** Start the chart. `page.data`, if given, is drawn once in place of fetched data, with its highest bar marked. */
export function startUsage(card, page) {
  const body = card.querySelector("[data-usage-body]");
  const plot = body.querySelector(".chart__plot");
  const legend = body.querySelector("[data-usage-legend]");
  const tableButton = card.querySelector("[data-usage-table]");
  const canvas = h("canvas", { tabindex: "0", role: "img" });
  const tip = h("div", { class: "chart-tip", hidden: true });
  let chart = null;
  let data = null;
  let range = "7d";
  let asTable = false;
  let asked = 0;

  const load = async () => {
    const mine = (asked += 1);
    const wanted = range;
    try {
      const found = page.data ?? await getJSON(`${card.dataset.usage}?range=${wanted}`);
      await chartLibrary(card.dataset.chartLibrary);
      if (mine !== asked) return;
      data = { ...found, range: wanted };
      draw();
    } catch (error) {
      if (mine !== asked) return;
      if (!data) plot.replaceChildren(errorState(gettext("Chart not loaded"), gettext("The balance is not affected."), load));
      else if (data.range !== wanted) { choose(data.range); toastFailure(error); }
    }
  };

  const choose = (value) => {
    range = value;
    pressOne(card.querySelector(`[data-range="${value}"]`));
  };

  const draw = () => {
    body.querySelector(".chart__table")?.remove();
    plot.hidden = asTable;
    card.dispatchEvent(new CustomEvent("usage", { detail: data }));
    legend?.replaceChildren(...data.series.map((series) => h("span", {}, modeSwatch(series.look), body.clientWidth < 600 ? series.short : series.label)));
    if (asTable) { body.prepend(table()); return; }
    if (!data.series.length) {
      plot.replaceChildren(h("div", { class: "state" }, h("span", { class: "icon", "aria-hidden": "true" }, "bar_chart"), h("p", { class: "state__text" }, gettext("No charges in this period."))));
      chart?.destroy();
      chart = null;
      return;
    }
    if (!canvas.isConnected) plot.replaceChildren(canvas, tip);
    chart?.destroy();
    chart = new globalThis.Chart(canvas, config());
    canvas.setAttribute("aria-label", summary());
  };

  const summary = () => {
    const most = Math.max(...data.totals);
    return fill(gettext("Usage by mode. Total %(total)s; highest on %(day)s, %(most)s."), { total: money(sum(data.totals), page.currency).join(""), day: data.labels[data.totals.indexOf(most)], most: money(most, page.currency).join("") });
  };

  const marked = () => (page.data ? data.totals.indexOf(Math.max(...data.totals)) : data.totals.length - 1);

  /** The label of the current day or month, which is not over yet. */
  const runningWord = () => (data.range === "12m" ? gettext("This month") : gettext("Today"));
  const running = () => (page.data ? -1 : data.totals.length - 1);

  const config = () => ({
    type: "bar",
    data: {
      labels: data.labels.map((label, index) => (index === running() ? runningWord() : label)),
      datasets: data.series.map((series) => ({
        label: series.label, data: series.values, backgroundColor: fillOf(series.look), stack: "all", maxBarThickness: 30,
        borderColor: series.look === "native-session" ? colour("mode-native-text") : colour("surface"), borderWidth: series.look === "native-session" ? 1 : { top: 1 },
      })),
    },
    plugins: [barTotal],
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, events: [], layout: { padding: { top: 18 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false }, barTotal: { text: money(data.totals[marked()], page.currency)[0], units: data.totals[marked()], index: marked() } },
      scales: {
        x: { stacked: true, grid: { display: false }, border: { display: false }, ticks: { color: colour("muted"), font: FONT, maxRotation: 0, autoSkipPadding: 12 } },
        y: { stacked: true, beginAtZero: true, grid: { color: colour("line"), drawTicks: false }, border: { display: false }, ticks: { color: colour("muted"), font: FONT, padding: 8, maxTicksLimit: 5, callback: (value) => shortMoney(value, page.currency) } },
      },
    },
  });

  const point = (index) => {
    if (!chart || index === null || data.totals[index] === undefined) return leave();
    const x = chart.scales.x.getPixelForValue(index);
    const rows = data.series.map((series) => h("div", { class: "chart-tip__row" }, modeSwatch(series.look), series.label, h("b", {}, exact(series.values[index])))).reverse();
    tip.replaceChildren(h("div", { class: "chart-tip__time" }, index === running() ? fill(gettext("%(day)s, so far"), { day: data.titles[index] }) : data.titles[index]), ...rows, h("div", { class: "chart-tip__row" }, gettext("Total"), h("b", {}, exact(data.totals[index]))));
    tip.hidden = false;
    canvas.dataset.index = String(index);
    const right = x + 20 + tip.offsetWidth < plot.clientWidth;
    tip.style.left = `${right ? x + 20 : Math.max(0, x - 20 - tip.offsetWidth)}px`;
    tip.style.top = "0px";
  };
  /** Open the entries that add up to a bar. */
  const open = (index) => {
    if (index === undefined || !page.explain_url || !data.totals[index]) return;
    location.assign(`${page.explain_url}?from=${data.days[index]}&until=${data.untils[index]}`);
  };
  const leave = () => { tip.hidden = true; delete canvas.dataset.index; };

  canvas.addEventListener("pointermove", (event) => chart && point(chart.scales.x.getValueForPixel(event.offsetX)));
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("blur", leave);
  canvas.addEventListener("click", () => open(canvas.dataset.index));
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open(canvas.dataset.index);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !data) return;
    event.preventDefault();
    const last = data.totals.length - 1;
    point(Math.min(last, Math.max(0, Number(canvas.dataset.index ?? last + (step < 0 ? 1 : 0)) + step)));
  });
  document.documentElement.addEventListener("themechange", () => data && card.isConnected && draw());

  const rows = () => data.titles.map((title, index) => [title, ...data.series.map((series) => series.values[index]), data.totals[index]]);
  const heads = () => [data.step_word, ...data.series.map((series) => series.label), gettext("Total")];
  const table = () => h("div", { class: "chart__table", tabindex: "0", role: "group", "aria-label": gettext("Usage by mode") },
    h("table", { class: "table" }, h("thead", {}, h("tr", {}, ...heads().map((text, index) => h("th", { scope: "col", class: index ? "right" : "" }, text)))),
      h("tbody", {}, ...rows().reverse().map(([title, ...values]) => h("tr", {}, h("th", { scope: "row", class: "num" }, title), ...values.map((value) => h("td", { class: "right" }, exact(value))))))));

  tableButton?.addEventListener("click", () => {
    asTable = togglePressed(tableButton);
    if (data) draw();
  });
  card.querySelector("[data-usage-csv]")?.addEventListener("click", () => {
    if (!data) return;
    const lines = [["day", ...data.series.map((series) => series.mode), "all"], ...rows().map(([, ...values], index) => [data.days[index], ...values.map((units) => units / 10000)])];
    download(`${page.slug}-usage-${data.range}.csv`, `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`);
  });
  card.querySelector("[data-usage-ranges]")?.addEventListener("click", (event) => {
    const button = event.target.closest("[data-range]");
    if (!button) return;
    choose(button.dataset.range);
    load();
  });
  whenSeen(card, () => {
    load();
    if (!page.data) setInterval(() => { if (!document.hidden && tip.hidden) load(); }, 60_000);
  });
}

const sum = (values) => values.reduce((all, value) => all + value, 0);

/** Writes the total of one bar above it. */
const barTotal = {
  id: "barTotal",
  afterDatasetsDraw(chart, _, options) {
    if (!options.units) return;
    const { ctx, scales } = chart;
    const x = scales.x.getPixelForValue(options.index);
    ctx.save();
    ctx.font = "600 11px Inter, sans-serif";
    ctx.fillStyle = colour("strong");
    ctx.textAlign = "center";
    const half = ctx.measureText(options.text).width / 2;
    ctx.fillText(options.text, Math.max(half, Math.min(x, chart.width - half - 2)), scales.y.getPixelForValue(options.units) - 6);
    ctx.restore();
  },
};

