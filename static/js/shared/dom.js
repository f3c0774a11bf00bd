// Small helpers for pages: elements, requests, announcements, loading states.
import { gettext } from "./words.js";

/** h("p", {class: "x", "data-id": 3}, "text", child): an element; text is never parsed as HTML. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Like `h`, for SVG elements. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const icon = (name, more = "") => h("span", { class: `icon ${more}`.trim(), "aria-hidden": "true" }, name);

/** An error that a page can show: `title` is what happened, `detail` what was not affected or what to do. */
export class RequestFailed extends Error {
  constructor(title, detail, status) {
    super(title);
    this.title = title;
    this.detail = detail;
    this.status = status;
  }
}

async function request(url, options, timeoutSeconds) {
  let answer;
  try {
    answer = await fetch(url, { credentials: "same-origin", signal: AbortSignal.timeout(timeoutSeconds * 1000), ...options });
  } catch (error) {
    const late = error.name === "TimeoutError";
    throw new RequestFailed(
      late ? gettext("Request timed out") : gettext("Can't reach the server"),
      late ? gettext("The change may or may not have been made. Check the result before you try again.") : gettext("Nothing was changed."),
      0,
    );
  }
  if (answer.redirected && new URL(answer.url).pathname.startsWith("/login")) location.reload();
  const type = answer.headers.get("content-type") ?? "";
  const body = type.includes("json") ? await answer.json() : null;
  if (answer.ok) return body;
  const words = {
    401: [gettext("You are logged out"), gettext("Nothing was changed. Log in again.")],
    403: [gettext("Your role doesn't allow this"), gettext("Nothing was changed.")],
    404: [gettext("It no longer exists"), gettext("Nothing was changed.")],
    504: [gettext("Outcome unknown"), gettext("Check the result before you try again.")],
  }[answer.status] ?? [gettext("Something went wrong"), gettext("Nothing was changed.")];
  throw new RequestFailed(body?.title ?? words[0], body?.detail ?? words[1], answer.status);
}

export const getJSON = (url, timeoutSeconds = 10) =>
  request(url, { headers: { Accept: "application/json" } }, timeoutSeconds);

export const csrfToken = () => document.body.dataset.csrf ?? "";

export const postJSON = (url, data = {}, timeoutSeconds = 20) =>
  request(
    url,
    {
      method: "POST",
      headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      body: JSON.stringify(data),
    },
    timeoutSeconds,
  );

/** Mark one button of a group as pressed, and the others as not pressed. */
export function pressOne(button) {
  for (const each of button.parentElement.children) each.setAttribute("aria-pressed", String(each === button));
}

/** Toggle a button. Returns whether it is pressed now. */
export function togglePressed(button) {
  const pressed = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(pressed));
  return pressed;
}

let lastSaid = 0;
let waiting = null;
/** Announce a sentence to screen readers, politely and at most once in 5 s. The latest sentence wins. */
export function announce(sentence) {
  const region = document.querySelector("[data-announce]");
  if (!region) return;
  clearTimeout(waiting);
  const wait = Math.max(0, lastSaid + 5000 - Date.now());
  waiting = setTimeout(() => {
    lastSaid = Date.now();
    region.textContent = sentence;
  }, wait);
}

/** Set text only if it differs. Returns whether it did. `flash` flashes the row, at most once a second. */
export function setText(element, text, flash = false) {
  if (!element || element.textContent === text) return false;
  element.textContent = text;
  if (flash) flashRow(element.closest("tr, .attention__row") ?? element);
  return true;
}

const flashed = new WeakMap();
export function flashRow(row) {
  const now = performance.now();
  if (now - (flashed.get(row) ?? -1000) < 1000) return;
  flashed.set(row, now);
  row.classList.remove("flash");
  requestAnimationFrame(() => row.classList.add("flash"));
}

/** Show a placeholder while content loads, with a text after 2 s. Returns a function that removes it. */
export function skeleton(container, words) {
  const box = h("div", { class: "skeleton", "aria-hidden": "true" });
  for (let index = 0; index < 5; index += 1) box.append(h("div", { class: "skeleton__bar" }));
  const show = setTimeout(() => container.replaceChildren(box), 200);
  const say = setTimeout(() => box.append(h("p", { class: "skeleton__words" }, words)), 2000);
  return () => {
    clearTimeout(show);
    clearTimeout(say);
    box.remove();
  };
}

/** Return an error state: what happened, what is not affected, and a button to try again. */
export function errorState(title, text, retry) {
  const box = h("div", { class: "state state--error", role: "alert" }, icon("error"), h("p", { class: "state__title" }, title), h("p", { class: "state__text" }, text));
  if (retry) box.append(h("button", { type: "button", class: "button button--small", onclick: retry }, icon("refresh"), gettext("Try again")));
  return box;
}

/** Copy a field's text, and show `words` on its button. */
export async function copyField(field, button, words) {
  if (field.select) field.select(); else getSelection().selectAllChildren(field);
  try { await navigator.clipboard.writeText(field.value ?? field.textContent); } catch { document.execCommand("copy"); }
  setText(button.lastElementChild ?? button, words);
}

/** Read JSON that came with the page (Django's json_script). */
export function pageData(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
}
