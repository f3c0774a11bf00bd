// What a button does: it posts, once at a time, and tells what came of it.
import { postJSON } from "./dom.js";
import { toast, toastFailure } from "./toast.js";

/** Do a button's or a form's work unless it is on its way already; the button says that it is. */
export async function once(place, work) {
  const button = place.matches("button") ? place : (place.querySelector(".button--primary") ?? place.querySelector("button:not([type=button])"));
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}

/** Post, and tell `told` (what toast takes), or the answer's own words where it has no title. Returns whether it was done. */
export async function did(url, data, told = {}, timeoutSeconds = 20) {
  try {
    const answer = await postJSON(url, data, timeoutSeconds);
    toast(told.title ? told : { kind: answer.kind ?? "ok", title: answer.title, detail: answer.detail, ...told });
    return true;
  } catch (error) {
    toastFailure(error);
    return false;
  }
}
