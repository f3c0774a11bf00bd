// "What this means": sentences made from a settings form's fields, updated while typing.
import { h } from "./dom.js";

/**
 * Show the sentences of a settings page, if the page has a card for them.
 * @param {(ask: {none: (name: string) => boolean, chosen: (name: string) => string, on: (name: string) => boolean}) => string[]} texts
 *   returns the sentences, with fields as %(name)s; empty ones are left out. `none`: whether the field is 0 or empty.
 */
export function startMeaning(texts) {
  const card = document.querySelector("[data-meaning]");
  const form = card?.closest("form");
  if (!card) return;

  /** Return a field's value for a sentence. It is marked if it was changed, or can't be saved. */
  function value(name) {
    const control = form.elements[name];
    const row = control.closest("[data-setting]");
    const text = control.tagName === "SELECT" ? control.selectedOptions[0]?.text : control.value;
    const mark = row.matches(".field--error") ? "meaning__wrong" : row.matches(".setting--changed") ? "meaning__changed" : false;
    return h("strong", { class: mark }, text?.trim() || "…");
  }

  const sentence = (text) => h("p", {}, ...text.split(/%\((\w+)\)s/).map((part, index) => (index % 2 ? value(part) : part)));
  const ask = {
    none: (name) => /^0*(\s*\p{L}+)?$/u.test(form.elements[name].value.trim()),
    chosen: (name) => form.elements[name].value,
    on: (name) => form.elements[name].checked,
  };

  function show() {
    card.querySelector("[data-meaning-words]").replaceChildren(...texts(ask).filter(Boolean).map(sentence));
  }

  for (const type of ["input", "change"]) form.addEventListener(type, show);
  show();
  card.hidden = false;
}
