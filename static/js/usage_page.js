// The page of usage: the chart, and the shares of the modes and of the chatbots in the same time.
import { h, pageData } from "./dom.js";
import { money } from "./money.js";
import { modeSwatch, startUsage } from "./usage.js";
import { figure, gettext, ngettext, fill, percent } from "./words.js";

const page = pageData("wallet-page");
const card = document.querySelector("[data-usage]");
const sum = (values) => values.reduce((all, value) => all + value, 0);

function shares(box, rows) {
  const whole = sum(rows.map((row) => row.units));
  if (!rows.length) { box.replaceChildren(h("div", { class: "state" }, h("p", { class: "state__text" }, gettext("No charges in this period.")))); return; }
  const list = h("div", { class: "share-list" });
  for (const row of rows) {
    const bar = h("progress", { class: "bar bar--high", max: "1", "aria-hidden": "true" });
    bar.value = whole ? row.units / whole : 0;
    list.append(h("span", { class: "name state-cell" }, row.swatch ?? null, row.name), bar, h("b", { class: "num" }, money(row.units, page.currency)[0]), h("span", { class: "num share-list__n" }, row.note ?? percent(whole ? row.units / whole : 0)));
  }
  box.replaceChildren(list);
}

card.addEventListener("usage", ({ detail: data }) => {
  shares(document.querySelector("[data-share-modes]"), data.series.map((series) => {
    const n = sum(series.messages);
    return { name: series.label, units: sum(series.values), swatch: modeSwatch(series.look), note: fill(ngettext("%(n)s message", "%(n)s messages", n), { n: figure(n) }) };
  }));
  shares(document.querySelector("[data-share-chatbots]"), data.chatbots.map((row) => ({ name: row.name, units: row.charged })));
});
startUsage(card, page);
