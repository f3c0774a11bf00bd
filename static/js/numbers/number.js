// One number's page, live: its story and state; quarantine, release and forced hang-up.
import { subscribe } from "../../live.js";
import { getJSON, pageData, setText } from "../shared/dom.js";
import { redraw } from "../shared/figures.js";
import { isNewer, timeline, verbs } from "./pool_story.js";

const page = pageData("number-page");
let shown = null;
const box = document.querySelector("[data-timeline]");

async function refresh() {
  const data = await getJSON(page.story_url);
  draw(data);
}

function draw(data) {
  shown = data;
  if (box.dataset.liveNumber) box.replaceChildren(timeline(data.items));
  document.querySelector("[data-letter]").dataset.state = data.letter;
  const word = document.querySelector("[data-word]");
  word.className = `chip ${data.chip}`;
  setText(word, data.word);
  setText(document.querySelector("[data-hint-line]"), data.hint);
  const place = document.querySelector("[data-verbs]");
  if (place) redraw(place, `${data.quarantined} ${data.in_call}`, () => verbs(data, { ...page, words: true }, refresh));
}

if (page.story) draw(page.story);
let waiting = 0;
/** Read the story again a little later, and after a failure until it succeeds: the next change may be far away. */
function refreshIn(ms) {
  clearTimeout(waiting);
  waiting = setTimeout(() => refresh().catch(({ status }) => { if (!status || status >= 500) refreshIn(5000); }), ms);
}
subscribe(`numbers.number:${page.number}`, {
  snapshot(told) { if (!shown || isNewer(told, shown)) refreshIn(300); },
});
