// The list of campaigns: figures of running campaigns are live. When a state changes, the page reloads.
import { subscribe } from "../../live.js";
import { pageData } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { putMoneys } from "./money.js";
import { isOutdated } from "../shared/outdated.js";

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
      putFigures(row, { ...figures, undelivered: figures.failed + figures.expired + figures.refused });
      putMoneys(row, figures, currency);
    },
  });
}
