// Toasts: bottom right, one at a time per topic. They close after 6 s, errors stay; hovering or focus keeps them open.
import { announce, h, icon } from "./dom.js";
import { gettext } from "./words.js";

const icons = { ok: "check_circle", bad: "error", info: "info" };
const open = new Map();

/**
 * toast({title, detail, kind: "ok" | "bad" | "info", topic, action: {label, run}})
 * Don't use a toast as the only place of a message.
 */
export function toast({ title, detail = "", kind = "ok", topic = title, action = null }) {
  const shelf = document.querySelector("[data-toasts]");
  if (!shelf) return;
  open.get(topic)?.remove();
  const box = h("div", { class: `toast toast--${kind}`, role: kind === "bad" ? "alert" : "group", "aria-label": title }, icon(icons[kind]));
  box.append(h("div", { class: "toast__words" }, h("span", { class: "toast__title" }, title), h("span", { class: "toast__detail" }, detail)));
  const end = () => {
    if (open.get(topic) === box) open.delete(topic);
    box.remove();
  };
  if (action) box.append(h("button", { type: "button", class: "link-button", onclick: () => { end(); action.run(); } }, action.label));
  box.append(h("button", { type: "button", class: "toast__close", "aria-label": gettext("Close"), onclick: end }, icon("close", "icon--small")));
  open.set(topic, box);
  shelf.append(box);
  if (kind === "bad") return;
  announce(detail ? `${title}. ${detail}` : title);
  let timer = setTimeout(end, 6000);
  const hold = () => clearTimeout(timer);
  const go = () => { clearTimeout(timer); timer = setTimeout(end, 6000); };
  box.addEventListener("pointerenter", hold);
  box.addEventListener("focusin", hold);
  box.addEventListener("pointerleave", go);
  box.addEventListener("focusout", go);
}

/** Show the message of a failed request. */
export function toastFailure(error) {
  toast({ kind: "bad", title: error.title ?? gettext("Something went wrong"), detail: error.detail ?? "" });
}
