// Tables: a row leads to its page, rows can be selected, sorting and filters are in the URL, and filter forms submit
// automatically.
import { fill, figure, gettext } from "./words.js";

export function startTables(root = document) {
  root.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-href]");
    if (!row || event.target.closest("a, button, input, label, select")) return;
    if (getSelection()?.toString()) return;
    if (event.ctrlKey || event.metaKey) open(row.dataset.href);
    else location.assign(row.dataset.href);
  });
  root.addEventListener("change", (event) => {
    const field = event.target.closest("[data-auto-submit] select, [data-auto-submit] input[type=checkbox]");
    if (field) field.form.requestSubmit();
  });
  // keep empty filters out of the URL
  root.addEventListener("submit", (event) => {
    if (event.target.method !== "get") return;
    const empty = [...event.target.elements].filter((field) => field.name && !field.value && !field.disabled);
    for (const field of empty) field.disabled = true;
    setTimeout(() => { for (const field of empty) field.disabled = false; }, 0);
  });
  for (const card of document.querySelectorAll("[data-bulk]")) startBulk(card);
}

/**
 * Selected rows, and the bar for them above the head. In `card`: input[data-mark] in each row, input[data-mark-all] in
 * the head, [data-bulk-bar] with [data-bulk-count], [data-bulk-all] ("Select all 84") and [data-bulk-clear].
 * A hidden input[name=all] selects the whole result.
 */
function startBulk(card) {
  const bar = card.querySelector("[data-bulk-bar]");
  const head = card.querySelector("[data-mark-all]");
  const count = card.querySelector("[data-bulk-count]");
  const whole = card.querySelector("[data-bulk-all]");
  const all = card.querySelector("input[name=all]");
  if (!bar || !head) return;
  let last = null;
  const boxes = () => [...card.querySelectorAll("[data-mark]")];
  const show = () => {
    const every = boxes();
    const marked = every.filter((box) => box.checked);
    for (const box of every) box.closest("tr").setAttribute("aria-selected", String(box.checked));
    head.checked = every.length > 0 && marked.length === every.length;
    head.indeterminate = marked.length > 0 && !head.checked;
    const chosen = all?.value === "1" ? Number(whole.dataset.total) : marked.length;
    bar.hidden = chosen === 0;
    card.dataset.marked = String(chosen);
    if (count) count.textContent = fill(gettext("%(n)s selected"), { n: figure(chosen) });
    if (whole) whole.hidden = all?.value === "1" || marked.length !== every.length;
    card.dispatchEvent(new CustomEvent("marked", { detail: { count: chosen } }));
  };
  card.addEventListener("click", (event) => {
    const box = event.target.closest("[data-mark]");
    if (box) {
      const every = boxes();
      if (event.shiftKey && last && every.includes(last)) {
        const [from, to] = [every.indexOf(last), every.indexOf(box)].sort((a, b) => a - b);
        for (const one of every.slice(from, to + 1)) one.checked = box.checked;
      }
      last = box;
      if (all) all.value = "";
      show();
    }
    if (event.target.closest("[data-bulk-all]") && all) { all.value = "1"; show(); }
    if (event.target.closest("[data-bulk-clear]")) {
      if (all) all.value = "";
      for (const one of boxes()) one.checked = false;
      show();
    }
  });
  head.addEventListener("change", () => {
    if (all) all.value = "";
    for (const one of boxes()) one.checked = head.checked;
    show();
  });
  show();
}
