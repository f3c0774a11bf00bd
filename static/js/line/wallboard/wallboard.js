// The wallboard: queues, agents and the day's chart of one desk, from one topic.
import { subscribe } from "../../../live.js";
import { stayPresent } from "../../../live/presence.js";
import { startBadge } from "../../shared/badge.js";
import { announce, pageData } from "../../shared/dom.js";
import "../../shared/drawn.js";
import "../../shared/theme_switch.js";
import { draw, lateOf } from "./parts.js";
import { fill, gettext } from "../../shared/words.js";

const board = document.querySelector("[data-board]");
let data = pageData("board-data");

startBadge();
draw(data);
setInterval(() => draw(), 1000);
stayPresent(); // a wallboard hangs on a wall, and no one clicks on it
subscribe(board.dataset.topic, {
  snapshot: (next) => {
    if (lateOf(next) && lateOf(next) !== lateOf(data)) announce(fill(gettext("Waiting too long: %(names)s"), { names: lateOf(next) }));
    data = next;
    draw(next);
  },
});
