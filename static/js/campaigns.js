// The list of campaigns: those that are on their way move; a new state draws the page anew.
import { subscribe } from "../live.js";
import { pageData, setText } from "./dom.js";
import { putMoney } from "./money.js";
import { figure } from "./words.js";

const currency = pageData("campaigns-currency");
for (const row of document.querySelectorAll("tr[data-campaign]")) {
  subscribe(row.dataset.campaign, {
    snapshot(data) {
      if (data.status !== row.dataset.status) { location.reload(); return; }
      const figures = data.figures;
      row.querySelector("[data-share]").value = figures.recipients ? (figures.handed_over + figures.refused) / figures.recipients : 0;
      setText(row.querySelector('[data-figure="delivered_count"]'), figure(figures.delivered_count));
      setText(row.querySelector('[data-figure="undelivered"]'), figure(figures.failed + figures.expired + figures.refused));
      putMoney(row.querySelector('[data-sum="charged"]'), figures.charged, currency);
    },
  });
}
