// The wallboard of a past minute: a slider over the day, moved minute by minute or played.
import { errorState, getJSON, pageData } from "../../shared/dom.js";
import "../../shared/drawn.js";
import "../../shared/theme_switch.js";
import { draw } from "./parts.js";
import { figure, fill, gettext, timeOf } from "../../shared/words.js";

const page = pageData("replay-page");
const board = document.querySelector("[data-board]");
const slider = document.querySelector("[data-slider]");
const play = document.querySelector("[data-play]");
const spark = document.querySelector("[data-line]");
const said = document.querySelector("[data-moment]");
const MINUTE = 60_000;
const PLAY_MS = 600;
let asked = 0;
let playing = 0;
let wanted = null; // requested while another board is loading
let busy = false;

const minuteAt = () => page.first + Number(slider.value) * MINUTE;

async function show() {
  const at = minuteAt();
  const found = page.minutes.find((each) => each.at === at);
  const clock = timeOf(at);
  said.textContent = clock;
  const words = found ? fill(gettext("%(time)s: %(n)s waiting"), { time: clock, n: figure(found.waiting) }) : clock;
  slider.setAttribute("aria-valuetext", words);
  history.replaceState(null, "", `?at=${new Date(at).toISOString().slice(0, 16)}Z`);
  if (busy) { wanted = at; return; }
  busy = true;
  const mine = (asked += 1);
  try {
    const data = await getJSON(`${page.board_url}?at=${at}`);
    if (mine === asked) { board.querySelector(".state--error")?.remove(); draw(data, data.at); }
  } catch {
    stop();
    if (!board.querySelector(".state--error")) board.prepend(errorState(gettext("Couldn't load this minute"), gettext("The last loaded minute is still shown."), show));
  } finally {
    busy = false;
    if (wanted !== null && wanted !== at) { wanted = null; show(); }
    wanted = null;
  }
}

function step(minutes) {
  const next = Math.min(Number(slider.max), Math.max(0, Number(slider.value) + minutes));
  if (next === Number(slider.value)) return false;
  slider.value = String(next);
  show();
  return true;
}

function stop() {
  clearInterval(playing);
  playing = 0;
  play.setAttribute("aria-pressed", "false");
  play.querySelector(".icon").textContent = "play_arrow";
}

play.addEventListener("click", () => {
  if (playing) { stop(); return; }
  play.setAttribute("aria-pressed", "true");
  play.querySelector(".icon").textContent = "pause";
  playing = setInterval(() => { if (!busy && !step(1)) stop(); }, PLAY_MS);
});
slider.addEventListener("input", show);
for (const button of document.querySelectorAll("[data-step]")) button.addEventListener("click", () => { stop(); step(Number(button.dataset.step)); });
document.querySelector("[data-day]").addEventListener("change", (event) => event.target.form.requestSubmit());

/** Draw the number of waiting visitors over the day: a line behind the slider, with gaps for missing minutes. */
function drawLine() {
  const most = Math.max(1, ...page.minutes.map((each) => each.waiting));
  const parts = page.minutes.map((each, index) => {
    const place = `${((each.at - page.first) / MINUTE / Math.max(1, Number(slider.max))) * 1000},${40 - (each.waiting / most) * 36}`;
    const goesOn = index && each.at - page.minutes[index - 1].at <= MINUTE;
    return goesOn ? `L${place}` : `M${place}h0`; // h0: a single minute is a dot
  });
  spark.querySelector("path").setAttribute("d", parts.join(""));
}

drawLine();
draw(page.board, page.board.at);
said.textContent = timeOf(minuteAt());
