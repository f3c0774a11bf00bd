// The language of a visitor's page: choosing another one reloads the page, with the visit and all that was typed.
import { keep, kept as keptOf } from "../kept.js";
import { call, linkOf } from "./store.js";

const FIELDS = ["name", "topic"];

/**
 * @param {{slug: string, form: HTMLFormElement, kept: () => any}} page `kept`: returns the visit, null before it began
 */
export function startLanguages({ slug, form, kept }) {
  restore(form, slug);
  for (const link of document.querySelectorAll("[data-language]")) {
    link.addEventListener("click", async (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      if (link.getAttribute("aria-current") === "true") return;
      const visit = kept();
      // notify the visitor's agent; the page changes even if that fails
      if (visit) await call(`visits/${visit.visit}/language`, { kept: visit, body: { language: link.dataset.language } }).catch(() => {});
      else for (const name of FIELDS) keep(`join-${name}`, slug, form.elements[name].value);
      // in a frame without storage, the fragment carries the visit; it is not sent to servers
      location.assign(new URL(link.search + (visit ? new URL(linkOf(visit)).hash : ""), location.href));
    });
  }
}

/** Restore the form's values from before the reload. */
function restore(form, slug) {
  for (const name of FIELDS) {
    const value = keptOf(`join-${name}`, slug, "");
    if (value) form.elements[name].value = value;
    keep(`join-${name}`, slug, "");
  }
}
