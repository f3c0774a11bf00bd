// The rows of the search palette: their elements, and which of their letters match the typed text.
import { h, icon } from "../shared/dom.js";
import { ageOf, fill, gettext, initialsOf, phone } from "../shared/words.js";

const LETTERS_LEAST = 3;

/** Return where the text matches what was typed, as [from, to) pairs, or null if it does not match. */
export function marks(text, typed) {
  const low = text.toLowerCase();
  const wanted = typed.toLowerCase().trim();
  if (!wanted || low.length !== text.length) return null;
  const whole = low.indexOf(wanted);
  if (whole >= 0) return [[whole, whole + wanted.length]];
  const words = wanted.split(/\s+/).map((word) => [low.indexOf(word), word.length]);
  if (words.length > 1 && words.every(([at]) => at >= 0)) return words.map(([at, length]) => [at, at + length]).sort((a, b) => a[0] - b[0]);
  return digits(low, wanted) ?? letters(low, wanted);
}

/** Match a number that was typed with other separators than it is shown with. */
function digits(low, wanted) {
  const bare = wanted.replace(/[\s()+-]/g, "");
  if (!/^\d{2,}$/.test(bare)) return null;
  const places = [...low].flatMap((letter, at) => (/\d/.test(letter) ? [at] : []));
  const at = places.map((place) => low[place]).join("").indexOf(bare);
  return at < 0 ? null : [[places[at], places[at + bare.length - 1] + 1]];
}

/** Match letters in this order, close together, from the start of a word, as poolsite.console.matching does. */
function letters(low, wanted) {
  if (wanted.length < LETTERS_LEAST) return null;
  for (const { index } of low.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (low[index] !== wanted[0]) continue;
    const found = [index];
    for (const letter of wanted.slice(1)) {
      const next = low.indexOf(letter, found.at(-1) + 1);
      if (next < 0) break;
      found.push(next);
    }
    if (found.length === wanted.length && found.at(-1) - index < 2 * wanted.length + 2) return found.map((at) => [at, at + 1]);
  }
  return null;
}

function marked(text, places) {
  const parts = [];
  let at = 0;
  for (const [from, to] of places ?? []) {
    if (from < at) continue;
    parts.push(text.slice(at, from), h("b", {}, text.slice(from, to)));
    at = to;
  }
  return [...parts, text.slice(at)];
}

function ageWords(at) {
  const seconds = (Date.now() - at) / 1000;
  return seconds < 60 ? gettext("just now") : fill(gettext("%(age)s ago"), { age: ageOf(seconds) });
}

/** Return one row: {title, detail, url, icon, chip, look, at, keys}. Typed letters are bold. */
export function rowOf(row, index, typed) {
  const title = /^\+?\d{6,}$/.test(row.title) ? phone(row.title) : row.title;
  const inTitle = marks(title, typed);
  const inDetail = inTitle ? null : marks(row.detail ?? "", typed);
  const end = h("span", { class: "palette__end" });
  if (row.chip) end.append(h("span", { class: `chip ${row.look ? `chip--${row.look}` : ""}`.trim() }, row.chip));
  if (row.at) end.append(h("span", { class: "palette__age" }, icon("history", "icon--tiny"), ageWords(row.at)));
  for (const key of row.keys ?? []) end.append(h("kbd", { class: "key" }, key));
  end.append(h("span", { class: "palette__open", "aria-hidden": "true" }, gettext("Open"), h("kbd", { class: "key" }, "Enter")));
  return h(
    "a",
    { class: "palette__item", role: "option", tabindex: "-1", id: `found-${index}`, href: row.url || "#", "aria-selected": "false" },
    row.icon === "person"
      ? h("span", { class: "palette__icon palette__icon--person", "aria-hidden": "true" }, initialsOf(row.title))
      : h("span", { class: "palette__icon" }, icon(row.icon || "search")),
    h("span", { class: "palette__name" }, ...marked(title, inTitle)),
    h("span", { class: "palette__detail" }, ...marked(row.detail ?? "", inDetail)),
    end,
  );
}

/** Return the page's own actions: the buttons of its top bar. */
export function pageActions() {
  const buttons = document.querySelectorAll(".topbar__actions :is(a.button, button.button):not([data-search-open], [data-theme-switch], [data-menu], [disabled])");
  return [...buttons].filter((button) => button.offsetParent).slice(0, 5).map((button) => {
    const words = button.getAttribute("aria-label") || [...button.childNodes].filter((node) => !node.classList?.contains("icon")).map((node) => node.textContent).join(" ");
    const asks = button.dataset.dialog && !words.includes("…") ? "…" : "";
    return {
      title: words.trim().replace(/\s+/g, " ") + asks,
      icon: button.querySelector(".icon")?.textContent || "bolt",
      url: button.href ?? "",
      run: () => button.click(),
    };
  }).filter((row) => row.title);
}

/** Return every page of the sidebar, those with a keyboard shortcut first. */
export function menuPages() {
  const links = [...document.querySelectorAll(".sidebar a.nav-item")].map((link) => ({
    title: link.querySelector(".nav-item__label").textContent,
    icon: link.querySelector(".icon").textContent,
    url: link.getAttribute("href"),
    keys: link.dataset.go ? ["G", link.dataset.go.toUpperCase()] : [],
  }));
  return links.sort((a, b) => b.keys.length - a.keys.length);
}
