// The forms of a visitor's page: join, leave a message, rate.
import { once } from "../../shared/act.js";
import { h } from "../../shared/dom.js";
import { limitText } from "../text_limit.js";
import { gettext } from "../../shared/words.js";

/** Show an error under a form's only field; "" removes it. */
export function tellError(form, words) {
  const error = form.querySelector("[data-error]");
  error.hidden = !words;
  error.querySelector("[data-error-words]").textContent = words;
  form.querySelector("input").toggleAttribute("aria-invalid", Boolean(words));
}

/** Start a form for an email address: `send` is called with a valid address, and not again while it runs. */
export function startEmail(form, send) {
  const field = form.elements.email;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isValid = field.value.trim() && field.checkValidity();
    if (isValid) return once(form, () => send(field.value.trim()).catch((failed) => tellError(form, failed.detail || failed.title)));
    tellError(form, gettext("Enter a valid email address."));
    field.focus();
  });
}

export function startJoining(main, join, refused) {
  const form = main.querySelector("form[data-join]");
  const error = form.querySelector("[data-error=name]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = form.elements.name.value.trim();
    error.hidden = Boolean(name);
    form.elements.name.toggleAttribute("aria-invalid", !name);
    if (!name) return form.elements.name.focus();
    once(form, async () => {
      try {
        await join({ name, topic: form.elements.topic.value.trim() });
      } catch (failed) {
        refused(failed);
      }
    });
  });
}

const TITLES = {
  "queue-closed": gettext("We're closed right now"),
  "no-agent": gettext("No agents are available right now"),
  "queue-full": gettext("Too many visitors are waiting"),
};

/** Show the message form with the reason why joining was refused. */
export function showClosed(main, error) {
  main.querySelector("[data-closed-title]").textContent = TITLES[error.kind] ?? error.title;
  main.querySelector("[data-closed-text]").textContent = error.detail;
  main.querySelector("[data-back]").hidden = error.kind === "queue-closed";
}

export function startLeaving(main, send, back) {
  const form = main.querySelector("form[data-leave-message]");
  const error = form.querySelector("[data-error=left]");
  const fits = limitText(form.elements.text);
  form.querySelector("[data-back]").addEventListener("click", back);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { name, contact, text, what } = form.elements;
    const missing = [name, contact, ...(what.value === "text" ? [text] : [])].find((field) => !field.value.trim());
    const say = (words) => {
      error.hidden = !words;
      error.querySelector("[data-error-words]").textContent = words;
    };
    for (const field of [name, contact, text]) field.toggleAttribute("aria-invalid", field === missing);
    if (missing) {
      say(gettext("Enter your name, how to reach you and your message."));
      return missing.focus();
    }
    if (!fits()) return text.focus();
    once(form, async () => {
      try {
        await send({ name: name.value, contact: contact.value, text: text.value, wants_call: what.value === "call" });
        say("");
        thank(form, what.value === "call");
      } catch (failed) {
        say(`${failed.title}. ${failed.detail}`);
      }
    });
  });
}

function thank(form, call) {
  const title = form.querySelector("[data-closed-title]");
  title.textContent = call ? gettext("We'll call you back") : gettext("We've received your message");
  title.tabIndex = -1;
  form.replaceChildren(title);
  title.focus();
}

/** Start the rating form. Returns a function that shows an earlier rating. */
export function startRating(form, send, known) {
  const stars = [...form.querySelectorAll("input[name=stars]")];
  const button = form.querySelector(".button");
  const fields = [...form.children];
  const label = button.textContent;
  const light = (count) => stars.forEach((star, index) => star.parentElement.classList.toggle("stars__one--on", index < count));
  const fits = limitText(form.elements.comment, 1000);
  const showKept = () => {
    fields.forEach((field) => { field.hidden = true; });
    const change = h("button", { type: "button", class: "link-button" }, gettext("Change rating"));
    const done = h("p", { class: "visit__lead", role: "status" }, gettext("Thank you. Your rating was saved."), " ", change);
    change.addEventListener("click", () => {
      done.remove();
      fields.forEach((field) => { field.hidden = false; });
      (stars.find((star) => star.checked) ?? stars[0]).focus();
    });
    form.prepend(done);
  };
  form.addEventListener("change", () => light(Number(form.elements.stars.value)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = Number(form.elements.stars.value);
    if (!chosen) return stars[0].focus();
    if (!fits()) return form.elements.comment.focus();
    once(form, async () => {
      try {
        await send({ stars: chosen, comment: form.elements.comment.value.trim() });
        button.textContent = label;
        showKept();
      } catch (failed) {
        button.textContent = `${failed.detail || failed.title} ${gettext("Try again")}`;
      }
    });
  });
  return async () => {
    const rating = await known().catch(() => null);
    if (!rating?.stars || form.querySelector("[role=status].visit__lead")) return;
    stars[rating.stars - 1].checked = true;
    form.elements.comment.value = rating.comment;
    light(rating.stars);
    showKept();
  };
}
