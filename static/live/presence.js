// Settings of the connection (static/live.js) for some pages. Call them before the first subscribe.
import { manner } from "../live.js";

/** Keep the socket while the page is hidden, because it shows the server that the person is present. */
export function stayPresent() {
  manner.present = true;
}

/** Connect as the visitor with this token instead of the session's user. */
export function showToken(token) {
  manner.path = "/ws/live/visitor/";
  manner.greeting = { op: "token", token };
}
