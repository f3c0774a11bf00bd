// What a queue's settings mean, as sentences made from the fields; they follow what is typed.
import { h } from "./dom.js";
import { gettext } from "./words.js";

const card = document.querySelector("[data-meaning]");
const form = card?.closest("form");

/** A field's value as a word of a sentence: marked where it was changed, or can't be saved. */
function value(name) {
  const control = form.elements[name];
  const row = control.closest("[data-setting]");
  const text = control.tagName === "SELECT" ? control.selectedOptions[0]?.text : control.value;
  const mark = row.matches(".field--error") ? "meaning__wrong" : row.matches(".setting--changed") ? "meaning__changed" : false;
  return h("strong", { class: mark }, text?.trim() || "…");
}

/** A sentence with values in its %(name)s places. */
const sentence = (text) => h("p", {}, ...text.split(/%\((\w+)\)s/).map((part, index) => (index % 2 ? value(part) : part)));
const none = (name) => /^0*(\s*\p{L}+)?$/u.test(form.elements[name].value.trim());
const chosen = (name) => form.elements[name].value;

function waiting() {
  if (none("max_wait_seconds")) return gettext("A visitor waits without a time limit.");
  return chosen("overflow")
    ? gettext("A visitor waits up to %(max_wait_seconds)s, then goes to %(overflow)s.")
    : gettext("A visitor waits up to %(max_wait_seconds)s, then the visit ends.");
}

function serving() {
  if (chosen("mode") === "manual") return gettext("Agents choose whom to serve.");
  if (chosen("mode") === "auto") return gettext("A free agent gets the next visitor at once.");
  return none("misses_limit")
    ? gettext("A free agent has %(offer_seconds)s to accept.")
    : gettext("A free agent has %(offer_seconds)s to accept. Missed offers before the agent is paused: %(misses_limit)s.");
}

function withoutAgents() {
  const words = {
    wait: gettext("When no agent is online, visitors keep waiting."),
    overflow: chosen("overflow")
      ? gettext("After %(no_agent_seconds)s without an agent online, visitors in line go to %(overflow)s.")
      : gettext("Choose an overflow queue, or visitors keep waiting when no agent is online."),
    form: gettext("After %(no_agent_seconds)s without an agent online, visitors in line can leave a message."),
    end: gettext("After %(no_agent_seconds)s without an agent online, the visits in line end."),
  };
  return words[chosen("no_agent")];
}

function show() {
  const texts = [
    waiting(),
    gettext("A visitor who loses the connection keeps the place for %(grace_seconds)s."),
    serving(),
    none("wrap_up_seconds") ? "" : gettext("After a chat, the agent has %(wrap_up_seconds)s for wrap-up."),
    withoutAgents(),
  ];
  card.querySelector("[data-meaning-words]").replaceChildren(...texts.filter(Boolean).map(sentence));
}

if (card) {
  for (const type of ["input", "change"]) form.addEventListener(type, show);
  show();
  card.hidden = false;
}
