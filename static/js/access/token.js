// A new API token: choosing a purpose ticks its permissions. The server renders the parts that depend on the choices.
import { csrfToken } from "../shared/dom.js";

const PARTS = ["reach", "ends", "networks", "summary", "reason"];
const form = document.querySelector("[data-token-form]");
const create = form.querySelector("[data-create]");
const part = (name, root = form) => root.querySelector(`[data-part="${name}"]`);
const chosen = new Map(PARTS.map((name) => [name, part(name).innerHTML]));
let asked = 0;
let timer = 0;

/** Put the server's parts into the page. The resources keep their ticks unless other resources are listed now. */
function show(page) {
  for (const name of PARTS) {
    const [old, fresh] = [part(name), part(name, page)];
    const same = name === "reach" ? old.dataset.key === fresh.dataset.key : chosen.get(name) === fresh.innerHTML;
    if (same) continue;
    chosen.set(name, fresh.innerHTML);
    old.replaceChildren(...fresh.childNodes);
    if (name === "reach") old.dataset.key = fresh.dataset.key;
  }
  block();
}

/** Disable the Create button while something is missing. The reason is shown below it. */
function block() {
  create.disabled = part("reason").textContent.trim() !== "";
}

async function ask(preset = "") {
  clearTimeout(timer);
  const turn = ++asked;
  const data = new URLSearchParams(new FormData(form));
  if (preset) data.set("preset", preset);
  const options = { method: "POST", body: data, headers: { "X-CSRFToken": csrfToken() }, redirect: "error" };
  try {
    const answer = await fetch(form.dataset.summary, options);
    if (!answer.ok) throw new Error(String(answer.status));
    const html = await answer.text();
    if (turn === asked) show(new DOMParser().parseFromString(html, "text/html"));
  } catch {
    if (turn === asked) create.disabled = false; // the server checks the submitted form again
  }
}

const soon = () => {
  clearTimeout(timer);
  timer = setTimeout(ask, 250);
};

function choosePurpose(radio) {
  const wanted = radio.dataset.actions.split(" ");
  for (const box of form.querySelectorAll("[name=actions]")) box.checked = wanted.includes(box.value);
  ask(radio.value);
}

/** After a permission is changed by hand, select the purpose that has no preset permissions. */
function leavePurpose() {
  const radio = form.querySelector("[name=purpose]:checked");
  if (radio) form.querySelector("[name=purpose][data-actions='']").checked = true;
}

/** Tick and lock the single objects while their "All …" box is ticked, because it includes them. */
function includeAll(box) {
  for (const other of box.closest("fieldset").querySelectorAll("[name=things]")) {
    if (other === box) continue;
    other.disabled = box.checked;
    other.checked = box.checked;
  }
}

const showUntil = () => {
  form.querySelector("[data-until]").hidden = form.elements.lifetime.value !== "date";
};

form.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("[data-technical]")) {
    form.toggleAttribute("data-names", field.checked);
    return;
  }
  if (field.name === "purpose") {
    choosePurpose(field);
    return;
  }
  if (field.name === "actions") leavePurpose();
  if ("all" in field.dataset) includeAll(field);
  showUntil();
  ask();
});
form.addEventListener("input", soon);
form.addEventListener("submit", () => setTimeout(() => (create.disabled = true)));
addEventListener("pageshow", () => {
  showUntil();
  ask();
});
block();
showUntil();
