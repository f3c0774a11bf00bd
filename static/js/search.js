// Search (`/`): finds exactly or by beginning, groups by kind, Enter opens the first.
import { getJSON, h, icon } from "./dom.js";
import { gettext } from "./words.js";

const dialog = document.querySelector("[data-search]");
let started = false;

export function startSearch() {
  if (!started) start();
  started = true;
}

function start() {
  const input = dialog.querySelector("[data-search-input]");
  const results = dialog.querySelector("[data-search-results]");
  const hint = dialog.querySelector("[data-search-hint]");
  const firstHint = hint.textContent;
  let items = [];
  let at = -1;
  let asked = 0;
  let timer = null;

  const mark = (next) => {
    items[at]?.setAttribute("aria-selected", "false");
    at = items.length ? (next + items.length) % items.length : -1;
    items[at]?.setAttribute("aria-selected", "true");
    items[at]?.scrollIntoView({ block: "nearest" });
    if (items[at]) input.setAttribute("aria-activedescendant", items[at].id);
    else input.removeAttribute("aria-activedescendant");
  };

  const show = (groups, words) => {
    items = [];
    const parts = [];
    for (const group of groups) {
      parts.push(h("div", { class: "palette__group", role: "presentation" }, group.label));
      for (const found of group.results) {
        const item = h(
          "a",
          { class: "palette__item", role: "option", tabindex: "-1", id: `found-${items.length}`, href: found.url, "aria-selected": "false" },
          icon(found.icon || group.icon || "search"),
          h("span", { class: "num" }, found.title),
          h("span", {}, found.detail ?? ""),
        );
        items.push(item);
        parts.push(item);
      }
    }
    results.replaceChildren(...parts);
    input.setAttribute("aria-expanded", String(items.length > 0));
    hint.textContent = words;
    hint.hidden = !words;
    mark(0);
  };

  const ask = async () => {
    const query = input.value.trim();
    const mine = (asked += 1);
    if (!query) { show([], firstHint); return; }
    try {
      const answer = await getJSON(`${results.dataset.url}?q=${encodeURIComponent(query)}`);
      if (mine !== asked) return;
      show(answer.groups, answer.groups.length ? "" : gettext("No results. Search for a number by its first digits."));
    } catch (error) {
      if (mine === asked) show([], `${error.title}. ${gettext("Try again in a moment.")}`);
    }
  };

  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 120); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); mark(at + 1); }
    if (event.key === "ArrowUp") { event.preventDefault(); mark(at - 1); }
    if (event.key === "Escape") { event.preventDefault(); input.blur(); dialog.close(); }
    if (event.key === "Enter" && items[at]) { event.preventDefault(); location.assign(items[at].href); }
  });
  if (input.value) ask();
}
