// The badges of the sidebar: how many problems stand open, live.
import { subscribe } from "../live.js";

export const incidentsTopic = () => document.body.dataset.incidentsTopic ?? "";

export function startProblems() {
  const badges = [...document.querySelectorAll("[data-incidents]")];
  if (!badges.length || !incidentsTopic()) return;
  const show = (data) => {
    const open = data.incidents ?? [];
    for (const badge of badges) {
      const prefixes = badge.dataset.incidents.split(" ");
      const mine = open.filter((incident) => prefixes.some((prefix) => incident.type.startsWith(prefix)));
      badge.hidden = mine.length === 0;
      badge.querySelector("[data-count]").textContent = String(mine.length);
      const critical = mine.some((incident) => incident.severity === "critical");
      badge.classList.toggle("badge--bad", critical);
      badge.classList.toggle("badge--warn", !critical);
    }
  };
  subscribe(incidentsTopic(), { snapshot: show });
}
