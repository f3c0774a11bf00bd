// The wallboard: queues, agents and the day's chart of one desk, drawn from one topic.
import { subscribe } from "../live.js";
import { stayPresent } from "../live/presence.js";
import { startBadge } from "./badge.js";
import { announce, pageData } from "./dom.js";
import "./drawn.js";
import { startThemeSwitch } from "./theme-switch.js";
import { draw, lateOf } from "./wallboard_parts.js";
import { fill, gettext } from "./words.js";

const board = document.querySelector("[data-board]");
let data = pageData("board-data");

startThemeSwitch();
startBadge();
draw(data);
setInterval(() => draw(), 1000);
stayPresent(); // it hangs on a wall: nobody clicks
subscribe(board.dataset.topic, {
  snapshot: (next) => {
    if (lateOf(next) && lateOf(next) !== lateOf(data)) announce(fill(gettext("Waiting too long: %(names)s"), { names: lateOf(next) }));
    data = next;
    draw(next);
  },
});
