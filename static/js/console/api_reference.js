// The index of the API reference: a filter that hides the operations that don't match.
const box = document.querySelector("[data-api-filter]");
const groups = [...document.querySelectorAll("[data-api-group]")];
const none = document.querySelector("[data-api-none]");

function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of groups) {
    const rows = [...group.querySelectorAll("[data-api-row]")];
    for (const row of rows) {
      const told = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => told.includes(word));
    }
    group.hidden = rows.every((row) => row.hidden);
  }
  none.hidden = !groups.every((group) => group.hidden);
}

box.hidden = false;
box.addEventListener("input", ({ target }) => filter(target.value));
