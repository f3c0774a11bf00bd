// A visitor who is offered to the agent, to accept or decline before the time is over.
import { h, icon } from "../../shared/dom.js";
import { fill, gettext } from "../../shared/words.js";

/** Return the offer's element; `chips` shows what is known about the visitor, `left` the seconds left. */
export function offerOf({ visit, name, topic, chips, left, accept, decline }) {
  return h(
    "div",
    { class: "room__offer" },
    icon("notifications_active", "icon--big"),
    h("h2", { class: "card__title" }, fill(gettext("New visitor: %(name)s"), { name })),
    h("p", {}, topic, " ", ...chips),
    h("p", { class: "card__hint" }, gettext("Answer within "), left),
    h("div", { class: "room__buttons" },
      h("button", { type: "button", class: "button", "data-focus": `decline ${visit}`, onclick: decline }, gettext("Decline")),
      h("button", { type: "button", class: "button button--primary", "data-focus": `accept ${visit}`, "aria-keyshortcuts": "A", onclick: accept }, gettext("Accept"), h("span", { class: "key", "aria-hidden": "true" }, "A"))),
  );
}
