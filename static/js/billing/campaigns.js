// The list of campaigns: those that are on their way move; a new state draws the page anew.
import { subscribe } from "../../live.js";
import { pageData, setText } from "../shared/dom.js";
import { putMoney } from "./money.js";
import { isOutdated } from "../shared/outdated.js";
import { figure } from "../shared/words.js";

const currency = pageData("campaigns-currency");
const states = new Map(); // row → the state that it should show
const look = () => isOutdated([...states].some(([row, state]) => row.dataset.status !== state), look);

for (const row of document.querySelectorAll("tr[data-campaign]")) {
  subscribe(row.dataset.campaign, {
    snapshot(data) {
      states.set(row, data.status);
      if (look()) return;
      const figures = data.figures;
      row.querySelector("[data-share]").value = figures.recipients ? (figures.handed_over + figures.refused) / figures.recipients : 0;
      setText(row.querySelector('[data-figure="delivered_count"]'), figure(figures.delivered_count));
      setText(row.querySelector('[data-figure="undelivered"]'), figure(figures.failed + figures.expired + figures.refused));
      putMoney(row.querySelector('[data-sum="charged"]'), figures.charged, currency);
    },
  });
}
