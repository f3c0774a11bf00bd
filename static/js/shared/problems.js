// The badges of the sidebar: the number of open incidents, live.
import { subscribe } from "../../live.js";

export const incidentsTopic = () => document.body.dataset.incidentsTopic ?? "";

export function startProblems() {
  const badges = [...document.querySelectorAll("[data-incidents]")];
  if (!badges.length || !incidentsTopic()) return;
  const show = (data) => {
    for (const badge of badges) {
      const prefixes = badge.dataset.incidents.split(" ");
      const mine = data.causes.filter((cause) => prefixes.some((prefix) => cause.type.startsWith(prefix)));
      badge.hidden = mine.length === 0;
      badge.querySelector("[data-count]").textContent = String(mine.reduce((sum, cause) => sum + cause.count, 0));
      const critical = mine.some((cause) => cause.severity === "critical");
      badge.classList.toggle("badge--bad", critical);
      badge.classList.toggle("badge--warn", !critical);
    }
  };
  subscribe(incidentsTopic(), { snapshot: show });
}
