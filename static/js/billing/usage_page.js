// The usage page: the chart, and the shares of the modes and the chatbots in the same period.
import { h, pageData } from "../shared/dom.js";
import { money } from "./money.js";
import { modeSwatch, startUsage } from "./usage.js";
import { figure, gettext, ngettext, fill, percent } from "../shared/words.js";

const page = pageData("wallet-page");
const card = document.querySelector("[data-usage]");
const sum = (values) => values.reduce((all, value) => all + value, 0);

function shares(box, rows, sumNote = "") {
  const whole = sum(rows.map((row) => row.units));
  if (!rows.length) { box.replaceChildren(h("div", { class: "state" }, h("p", { class: "state__text" }, gettext("No charges in this period.")))); return; }
  const list = h("div", { class: "share-list" });
  for (const row of rows) {
    const bar = h("progress", { class: `bar bar--high${row.look ? ` bar--mode-${row.look}` : ""}`, max: "1", "aria-hidden": "true" });
    bar.value = whole ? row.units / whole : 0;
    list.append(h("span", { class: "name state-cell" }, row.swatch ?? null, row.name), bar, h("b", { class: "num" }, money(row.units, page.currency)[0]), h("span", { class: "num share-list__n" }, row.note ?? percent(whole ? row.units / whole : 0)));
  }
  list.append(h("b", { class: "name share-list__sum" }, gettext("Total")), h("span", { class: "share-list__sum" }), h("b", { class: "num share-list__sum" }, money(whole, page.currency)[0]), h("span", { class: "num share-list__n share-list__sum" }, sumNote));
  box.replaceChildren(list);
}

card.addEventListener("usage", ({ detail: data }) => {
  const period = `${data.titles[0]} – ${data.titles.at(-1)}`;
  for (const hint of document.querySelectorAll("[data-share-period]")) hint.textContent = period;
  document.querySelector("[data-usage-total]").textContent = fill(gettext("%(amount)s in this period"), { amount: money(sum(data.totals), page.currency)[0] });
  const all = sum(data.series.flatMap((series) => series.messages));
  shares(document.querySelector("[data-share-modes]"), data.series.map((series) => {
    const n = sum(series.messages);
    return { name: series.label, look: series.look, units: sum(series.values), swatch: modeSwatch(series.look), note: fill(ngettext("%(n)s message", "%(n)s messages", n), { n: figure(n) }) };
  }), fill(ngettext("%(n)s message", "%(n)s messages", all), { n: figure(all) }));
  shares(document.querySelector("[data-share-chatbots]"), data.chatbots.map((row) => ({ name: row.name, units: row.charged })));
});
startUsage(card, page);
