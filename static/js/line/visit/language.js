// The language of a visitor's page: another one loads the page again, with the visit and all that was typed.
import { keep, kept as keptOf } from "../kept.js";
import { call, linkOf } from "./store.js";

const FIELDS = ["name", "topic"];

/**
 * @param {{slug: string, form: HTMLFormElement, kept: () => any}} page `kept`: the visit, null before it began
 */
export function startLanguages({ slug, form, kept }) {
  restore(form, slug);
  for (const link of document.querySelectorAll("[data-language]")) {
    link.addEventListener("click", async (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      if (link.getAttribute("aria-current") === "true") return;
      const visit = kept();
      // who serves the visitor hears of it; the page changes whether or not that is told
      if (visit) await call(`visits/${visit.visit}/language`, { kept: visit, body: { language: link.dataset.language } }).catch(() => {});
      else for (const name of FIELDS) keep(`join-${name}`, slug, form.elements[name].value);
      // a browser that keeps nothing in a frame is given the visit behind the #, which no server is sent
      location.assign(new URL(link.search + (visit ? new URL(linkOf(visit)).hash : ""), location.href));
    });
  }
}

/** What stood in the form before the page was loaded again. */
function restore(form, slug) {
  for (const name of FIELDS) {
    const value = keptOf(`join-${name}`, slug, "");
    if (value) form.elements[name].value = value;
    keep(`join-${name}`, slug, "");
  }
}
