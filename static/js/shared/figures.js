// Live figures: the elements that are marked data-figure="name".
import { setText } from "./dom.js";
import { figure } from "./words.js";

/**
 * Write figures into the elements below `root`.
 * @param {ParentNode} root
 * @param {Record<string, any>} values  numbers are formatted, null is a dash, texts stay; undefined changes nothing
 */
export function putFigures(root, values) {
  for (const place of root.querySelectorAll("[data-figure]")) {
    const value = values[place.dataset.figure];
    if (value !== undefined) setText(place, typeof value === "string" ? value : figure(value));
  }
}

/** Redraw an element only if `told`, which stands for its content, has changed. */
export function redraw(element, told, make) {
  if (element.dataset.told === told) return;
  element.dataset.told = told;
  refill(element, make());
}

/** Replace an element's children. The focus stays on the element with the same data-focus. */
export function refill(element, children) {
  const { focus } = element.contains(document.activeElement) ? document.activeElement.dataset : {};
  element.replaceChildren(...children);
  if (focus) element.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}
