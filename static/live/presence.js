// What only some pages ask of the connection (static/live.js). Before the first subscribe.
import { manner } from "../live.js";

/** Keep the socket while nobody looks at the page: it tells that somebody is there. */
export function stayPresent() {
  manner.present = true;
}

/** Be a visitor with this token instead of the one whose session it is. */
export function showToken(token) {
  manner.path = "/ws/live/visitor/";
  manner.greeting = { op: "token", token };
}
