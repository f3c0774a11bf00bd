// The list of numbers: live states, actions on all selected numbers, adding and changing numbers.
import { subscribe } from "../../live.js";
import { once } from "../shared/act.js";
import { ask } from "../shared/dialog.js";
import { getJSON, h, pageData, postJSON, setText } from "../shared/dom.js";
import { toast, toastFailure } from "../shared/toast.js";
import { ageOf, figure, fill, gettext, ngettext, phone } from "../shared/words.js";

const page = pageData("numbers-page");
const card = document.querySelector("[data-bulk]");

startStates();
startVerbs();
startAdding();
startChanging();

// -- live states -------------------------------------------------------------------------------

/** Fetch the states on the page again, at most once a second, when one of the page's pools changes. */
function startStates() {
  if (!page.numbers.length) return;
  let waiting = 0;
  let last = 0;
  const again = () => {
    if (waiting) return;
    waiting = setTimeout(async () => {
      waiting = 0;
      last = Date.now();
      try { show(await getJSON(`${page.states_url}?n=${encodeURIComponent(page.numbers.join(","))}`)); } catch ({ status }) { if (!status || status >= 500) again(); }
    }, Math.max(0, last + 1000 - Date.now()));
  };
  for (const slug of page.watched) subscribe(`numbers.pool:${slug}`, { snapshot: again });
  setInterval(() => { if (!document.hidden) ages(); }, 10000);
}

function show({ rows }) {
  for (const row of rows) {
    const line = document.querySelector(`tr[data-number="${CSS.escape(row.value)}"]`);
    if (!line) continue;
    const tile = line.querySelector(".tile"); // any column may be hidden
    if (tile) tile.dataset.state = row.letter;
    setText(line.querySelector("[data-word]"), row.word, true);
    line.toggleAttribute("data-in-call", row.in_call);
    const used = line.querySelector("[data-used]");
    if (used) {
      setText(used, figure(row.used));
      const bar = line.querySelector("progress");
      if (bar) bar.value = row.used;
    }
    const cell = line.querySelector("[data-last]");
    if (!cell) continue;
    if (row.in_call) setText(cell, gettext("now"));
    else if (row.last) cell.replaceChildren(h("time", { datetime: row.last }, ageSince(row.last)));
  }
}

const ageSince = (at) => ageOf((Date.now() - new Date(at)) / 1000);
function ages() {
  for (const time of document.querySelectorAll("[data-last] time")) setText(time, ageSince(time.dateTime));
}

// -- actions on several numbers -----------------------------------------------------------------

const questions = {
  quarantine: (n) => ({
    title: fill(ngettext("Quarantine %(n)s number?", "Quarantine %(n)s numbers?", n), { n: figure(n) }),
    text: gettext("They are no longer picked. Calls in progress continue and registrations stay."),
    go: fill(ngettext("Quarantine %(n)s number", "Quarantine %(n)s numbers", n), { n: figure(n) }),
  }),
  release: (n) => ({
    title: fill(ngettext("Release %(n)s number?", "Release %(n)s numbers?", n), { n: figure(n) }),
    text: gettext("Quarantined numbers can be picked again. The others don't change."),
    go: fill(ngettext("Release %(n)s number", "Release %(n)s numbers", n), { n: figure(n) }),
  }),
  hangup: (n) => ({
    title: fill(ngettext("End the call of %(n)s number?", "End the calls of %(n)s numbers?", n), { n: figure(n) }),
    text: gettext("Their calls end now and the switches are notified. Numbers without a call don't change."),
    go: fill(ngettext("End call of %(n)s number", "End calls of %(n)s numbers", n), { n: figure(n) }),
    danger: true,
  }),
  delete: (n) => ({
    title: fill(ngettext("Delete %(n)s number?", "Delete %(n)s numbers?", n), { n: figure(n) }),
    text: gettext("They are permanently removed from their pools. Calls in progress continue until they hang up. The history is kept."),
    go: fill(ngettext("Delete %(n)s number", "Delete %(n)s numbers", n), { n: figure(n) }),
    danger: true,
  }),
};

const done = {
  quarantine: (n) => ngettext("%(n)s number quarantined", "%(n)s numbers quarantined", n),
  release: (n) => ngettext("%(n)s number released", "%(n)s numbers released", n),
  hangup: (n) => ngettext("%(n)s call ended", "%(n)s calls ended", n),
  delete: (n) => ngettext("%(n)s number deleted", "%(n)s numbers deleted", n),
  move: (n) => ngettext("%(n)s number moved", "%(n)s numbers moved", n),
};

function chosen() {
  const all = card.querySelector("input[name=all]").value === "1";
  const numbers = [...card.querySelectorAll("[data-mark]:checked")].map((box) => box.value);
  return all ? { all: true, filter: page.filter, count: page.count } : { numbers, count: numbers.length };
}

function startVerbs() {
  for (const button of card?.querySelectorAll("[data-verb]") ?? []) {
    button.addEventListener("click", async () => {
      const { count, ...what } = chosen();
      const verb = button.dataset.verb;
      const answer = verb === "move" ? await askMove(count) : await ask({ ...questions[verb](count), reason: "required" });
      if (answer) await act(verb, { ...what, ...answer });
    });
  }
  const told = sessionStorage.getItem("numbers-told");
  if (!told) return;
  sessionStorage.removeItem("numbers-told");
  const { title, detail, undo } = JSON.parse(told);
  toast({ title, detail, action: undo && { label: gettext("Undo"), run: () => act(undo.verb, undo) } });
}

async function act(verb, what) {
  try {
    const answer = await postJSON(page.bulk_url, { verb, ...what }, 60);
    if (answer.job) { location.assign(answer.url); return; }
    const stayed = Object.keys(answer.stayed ?? {}).length;
    const undo = answer.undo && what.numbers ? { verb: answer.undo, numbers: what.numbers, reason: gettext("Undone immediately") } : null;
    tell(fill(done[verb](answer.changed), { n: figure(answer.changed) }), stayed ? fill(ngettext("%(n)s not changed", "%(n)s not changed", stayed), { n: figure(stayed) }) : "", undo);
  } catch (error) { toastFailure(error); }
}

/** Reload the page, and let it show what was done. */
function tell(title, detail = "", undo = null) {
  sessionStorage.setItem("numbers-told", JSON.stringify({ title, detail, undo }));
  location.reload();
}

function askMove(count) {
  const dialog = document.getElementById("move-numbers");
  setText(dialog.querySelector("[data-title]"), fill(ngettext("Move %(n)s number?", "Move %(n)s numbers?", count), { n: figure(count) }));
  setText(dialog.querySelector("[data-go]"), fill(ngettext("Move %(n)s number", "Move %(n)s numbers", count), { n: figure(count) }));
  dialog.querySelector("[name=reason]").value = "";
  return new Promise((resolve) => {
    let answer = null;
    const form = dialog.querySelector("form");
    const submit = (event) => {
      event.preventDefault();
      const data = Object.fromEntries(new FormData(form));
      if (!data.reason.trim()) { complain(form, gettext("Enter a short reason.")); return; }
      answer = data;
      dialog.close();
    };
    form.addEventListener("submit", submit);
    dialog.addEventListener("close", () => { form.removeEventListener("submit", submit); resolve(answer); }, { once: true });
    dialog.showModal();
  });
}

// -- adding and changing ------------------------------------------------------------------------

/** Show an error below the form's main field; "" removes it. */
function complain(form, sentence) {
  const field = form.querySelector("[data-main]");
  const error = field.querySelector("[data-error]");
  error.hidden = !sentence;
  error.lastElementChild.textContent = sentence;
  const input = field.querySelector("input");
  if (sentence) { input.setAttribute("aria-invalid", "true"); input.focus(); } else input.removeAttribute("aria-invalid");
}

function startAdding() {
  for (const form of document.querySelectorAll("[data-add]")) {
    send(form, () => (form.dataset.add === "range" ? page.range_url : page.add_url), (answer) => {
      const left = answer.left ? fill(ngettext("%(n)s was already in a pool", "%(n)s were already in a pool", answer.left), { n: figure(answer.left) }) : "";
      tell(fill(ngettext("%(n)s number added", "%(n)s numbers added", answer.added), { n: figure(answer.added) }), left);
    });
  }
}

function startChanging() {
  const dialog = document.getElementById("change-number");
  if (!dialog) return;
  const form = dialog.querySelector("form");
  let number = "";
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-row-menu]")?.closest("tr");
    if (!row) return;
    number = row.dataset.number;
    const details = page.details[number];
    setText(dialog.querySelector("[data-title]"), phone(number));
    for (const name of ["label", "region", "notes"]) form.elements[name].value = details[name];
    form.elements.tags.value = details.tags.join(", ");
    complain(form, "");
    dialog.showModal();
  });
  send(form, () => page.details[number].url, () => tell(gettext("Saved"), phone(number)));
}

function send(form, url, then) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    once(form, async () => {
      complain(form, "");
      try { then(await postJSON(url(), Object.fromEntries(new FormData(form)), 120)); } catch (error) {
        if (error.status === 422 || error.status === 409) complain(form, error.detail);
        else toastFailure(error);
      }
    });
  });
}
