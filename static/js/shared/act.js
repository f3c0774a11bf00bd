// What a button does: it posts, not twice at a time, and shows the result.
import { postJSON } from "./dom.js";
import { toast, toastFailure } from "./toast.js";

/** Do a button's or a form's work, unless it is already running. The button is marked busy meanwhile. */
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

/** Post, and show `told` (see toast), or the answer's text if `told` has no title. Returns whether it succeeded. */
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
