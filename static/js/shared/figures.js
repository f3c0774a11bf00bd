// Live figures: the places of a page that are marked data-figure="name".
import { setText } from "./dom.js";
import { figure } from "./words.js";

/**
 * Write figures into their places below `root`.
 * @param {ParentNode} root
 * @param {Record<string, any>} values  a number is written as one, null as a dash, a text as it is; undefined leaves its place alone
 */
export function putFigures(root, values) {
  for (const place of root.querySelectorAll("[data-figure]")) {
    const value = values[place.dataset.figure];
    if (value !== undefined) setText(place, typeof value === "string" ? value : figure(value));
  }
}

/** Draw a part anew only when what it shows, as `told`, has changed. */
export function redraw(element, told, make) {
  if (element.dataset.told === told) return;
  element.dataset.told = told;
  refill(element, make());
}

/** Give an element other children; the focus stays on what has the same data-focus. */
export function refill(element, children) {
  const { focus } = element.contains(document.activeElement) ? document.activeElement.dataset : {};
  element.replaceChildren(...children);
  if (focus) element.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}
