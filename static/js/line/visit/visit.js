// A visitor's page: joining, the place in line, the room, the end. It is one visit over reloads, tabs and devices.
import "./zone.js";
import { connection, onPersonal, subscribe } from "../../../live.js";
import { showToken, stayPresent } from "../../../live/presence.js";
import { startBadge } from "../../shared/badge.js";
import { ask, startDialogs } from "../../shared/dialog.js";
import { pageData } from "../../shared/dom.js";
import { alertPerson } from "../alert.js";
import { Files } from "../attachments.js";
import { Talk, composer, keepDraft } from "../talk.js";
import { host, joinHost } from "./frame.js";
import { Place } from "./place.js";
import { Store, call, visitorKey } from "./store.js";
import { startCodes, startHolding } from "./code.js";
import { startLanguages } from "./language.js";
import { startTranscript } from "./mail.js";
import { Tell } from "./tell.js";
import { keepName, offerToLeave } from "./left_words.js";
import { isSomebodyElse, joinAs, showHoursZone, showIdentity, showOpens, showRefusingQueue, takeIdentity } from "./routing.js";
import { showPlace, showWait } from "./wait.js";
import { showClosed, startJoining, startLeaving, startRating } from "./forms.js";
import { toastFailure } from "../../shared/toast.js";
import { fill, gettext } from "../../shared/words.js";

const page = pageData("visit-page");
const main = document.querySelector("[data-visit]");
const find = (name) => main.querySelector(`[data-${name}]`);
const store = new Store(page.slug);
const place = new Place();
const tell = new Tell(main);
const ESTIMATE_SECONDS = 30;
const PAUSE = 2000; // ms before the server is asked again
const AWAY = new Set([0, 503, 504]); // statuses of a server that may succeed later
const ANSWERS = new Set(["waiting", "away", "offered", "room", "ended"]);
const ENDINGS = {
  over: [gettext("Your visit has ended"), gettext("You can start again at any time.")],
  served: [gettext("The conversation has ended"), gettext("Thank you for your visit.")],
  left: [gettext("You've left the line"), gettext("You can come back at any time.")],
  lost: [gettext("You've lost your place in line"), gettext("You were disconnected for too long.")],
  "visitor lost": [gettext("The conversation has ended"), gettext("You were disconnected for too long. Start again and you'll be first in line.")],
  "no agent": [gettext("No agents are available right now"), gettext("You can leave a message instead.")],
  form: [gettext("No agents are available right now"), gettext("You can leave a message instead.")],
  "max wait": [gettext("The wait was too long"), gettext("No agent became available in time. You can leave a message instead.")],
  removed: [gettext("Your visit was ended"), gettext("A supervisor ended your visit.")],
};

// Why a visitor who was in a room is waiting again, by the word of their visit.
const BACK_IN_LINE = {
  transfer: gettext("You've been transferred. You're in line for another agent, who will see your conversation so far."),
  returned: gettext("Your agent had to leave. You're back in line by your original arrival time, and your conversation is kept."),
};

let kept = null; // the stored visit of this page
let standing = null;
let queue = { waiting: null, online: null, agents: null };
let unwatchQueue = null;
let askedAt = 0;
let typingTimer = 0;
let ended = false;
let lost = false; // the room ended while this visitor was disconnected
let comingBack = false;
let leaving = false;
const files = new Files({
  policy: page.files,
  list: () => call(`visits/${kept.visit}/attachments`, { kept }),
  post: () => ({ url: `/api/v1/visits/${kept.visit}/attachments`, headers: { Authorization: `Bearer ${kept.token}` }, fields: {} }),
});
const talk = new Talk(find("talk"), {
  files,
  mine: "visitor",
  other: () => standing?.agent || gettext("Your agent"),
  deliver: (id, text) => call(`visits/${kept.visit}/messages`, { kept, body: { id, text } }),
  read: (number) => call(`visits/${kept.visit}/read`, { kept, body: { number } }),
  heard: () => { find("typing").hidden = true; if (!document.hasFocus()) alertPerson(gettext("New message"), { loud: tell.isOn }); },
});

/** Show one of the page's views, and move the focus there unless the page is just loading. */
function show(view) {
  if (main.dataset.view === view) return;
  const first = main.dataset.view === "loading";
  main.dataset.view = view;
  for (const part of main.querySelectorAll("[data-when]")) part.hidden = !part.dataset.when.split(" ").includes(view);
  host.view(view);
  if (!first) (view === "room" ? find("composer").querySelector("textarea") : main).focus({ preventScroll: true });
}

function notice(words, why = "") {
  find("notice").dataset.why = why;
  find("notice").hidden = !words;
  find("notice-words").textContent = words;
}

/** When the connection was lost: after 3 s, a notice explains what that means for the place. */
let lostSince = 0;
connection.addEventListener("state", () => {
  if (connection.state === "signed-out" && kept && !ended) return end("over");
  const fine = ["live", "idle", "connecting"].includes(connection.state) || ended || !kept;
  if (fine) {
    if (lostSince && find("notice").dataset.why === "lost") notice("");
    lostSince = 0;
    return;
  }
  lostSince ||= Date.now();
  if (Date.now() - lostSince < 3000 || find("notice").dataset.why === "lost") return;
  const held = gettext("Connection lost. We hold your place for %(s)s seconds while this page tries to reconnect.");
  const room = gettext("Connection lost. We keep your conversation open for %(s)s seconds while this page tries to reconnect.");
  const words = standing?.answer === "room" ? fill(room, { s: page.room_grace_seconds }) : fill(held, { s: page.grace_seconds });
  notice(words, "lost");
});

function assertive(words) {
  document.querySelector("[data-alert]").textContent = words;
}

// -- the visit's state ----------------------------------------------------------------------------

function apply(now) {
  if (ended) return;
  if (!ANSWERS.has(now.answer)) return comeBack();
  const before = standing?.answer;
  const agentBefore = standing?.agent;
  standing = { ...standing, ...now };
  if (now.answer === "ended") return end(now.word);
  place.stand(now);
  watchQueue(now.queue);
  if (now.answer === "room") return enter(before, agentBefore);
  if (before !== "waiting" && BACK_IN_LINE[now.word]) notice(BACK_IN_LINE[now.word]);
  if (before === "room") alertPerson(gettext("Back in line"), { loud: false });
  show("waiting");
  draw();
}

/** Handle an unknown visit: it ended long ago, or all data was lost and is being restored. */
async function comeBack() {
  if (comingBack || ended) return;
  comingBack = true;
  try {
    const now = await call(`visits/${kept.visit}/beat`, { kept, body: { place: kept.place } });
    comingBack = false;
    if (ANSWERS.has(now.answer)) {
      if (find("notice").dataset.why === "restored") notice("");
      return apply(now);
    }
    if (now.answer === "gone") return end("lost");
  } catch (error) {
    comingBack = false;
    if ([401, 404].includes(error.status)) return end("over");
  }
  notice(gettext("We're restoring the line. Your place is kept."), "restored");
  comingBack = false;
  setTimeout(comeBack, 2000);
}

function draw() {
  if (!standing || main.dataset.view !== "waiting") return;
  if (place.ahead === null && find("place").textContent !== "–") return; // keep showing the last place until it is known again
  const { queue_name: queueName, answer, estimate } = standing;
  showPlace({ ahead: place.ahead, waiting: queue.waiting, queueName, offered: answer === "offered", estimate });
  tell.moved(place.ahead);
  showWait({ estimate, joined: kept.joined, online: queue.online, promises: page.promises, agents: queue.agents, needs: standing.needs });
  host.place(place.ahead, estimate);
}

function enter(before, agentBefore) {
  const words = fill(gettext("%(name)s is here to help"), { name: standing.agent || gettext("An agent") });
  find("agent").textContent = standing.agent || gettext("Your agent");
  show("room");
  host.agent(standing.agent, before && before !== "room" ? words : "");
  talk.toEnd();
  if (before === "room" && standing.agent === agentBefore) return;
  notice("");
  talk.say(words);
  assertive(words);
  if (before) alertPerson(words, { loud: tell.isOn });
}

function end(word) {
  const wasServed = standing?.agent || word === "served" || word === "visitor lost";
  lost = word === "visitor lost";
  const [title, text] = ENDINGS[word] ?? ENDINGS[wasServed ? "served" : "left"];
  unwatchQueue?.();
  unwatchQueue = null;
  notice("");
  files.close();
  find("ended-title").textContent = title;
  find("ended-text").textContent = text;
  find("rating").hidden = !wasServed;
  if (wasServed) loadRating();
  find("transcript").hidden = !talk.rows.size && !wasServed;
  main.querySelector("[data-when=ended] [data-mail-transcript]").hidden = !wasServed;
  offerToLeave(main, { word, kept, texts: [...talk.texts(), find("composer").querySelector("textarea").value], show: () => show("closed") });
  show("ended");
  assertive(title);
  ended = true;
}

/** Fetch the visit's state, at most once in `seconds`. Between fetches, the line's moves update the place. */
async function refresh(seconds = 1) {
  if (ended || Date.now() - askedAt < seconds * 1000) return;
  askedAt = Date.now();
  const { life } = place;
  const now = await call(`visits/${kept.visit}`, { kept }).catch(() => null); // the badge shows that the connection is lost
  if (now && life === place.life) apply(now);
  else if (place.ahead === null) setTimeout(refresh, PAUSE); // otherwise the page would go on showing the old place
}

// -- live -----------------------------------------------------------------------------------------

function watchQueue(slug) {
  if (unwatchQueue?.slug === slug) return;
  unwatchQueue?.();
  let isNew = true;
  const stop = subscribe(`line.queue:${slug}`, {
    snapshot: (data) => {
      queue = { waiting: data.waiting, online: data.online, agents: data.agents };
      place.restart();
      // a later snapshot means missed moves or a restarted line; the delay spreads the pages' requests
      if (isNew && data.seq <= standing.seq) place.stand(standing);
      else setTimeout(() => refresh(0), isNew ? 0 : 2000 * Math.random());
      isNew = false;
      draw();
    },
    change: (data) => {
      if (!place.move(data.moves)) { place.restart(); refresh(0); }
      queue.online = data.online ?? queue.online;
      queue.agents = data.agents ?? queue.agents;
      if (queue.waiting !== null) queue.waiting += data.moves.reduce((sum, move) => sum + move[3], 0);
      draw();
    },
  });
  unwatchQueue = Object.assign(() => stop(), { slug });
}

function begin(visit, now) {
  kept = visit;
  showToken(kept.token);
  stayPresent();
  apply(now);
  if (ended) return;
  tell.open(kept);
  talk.open(kept.visit);
  keepDraft(find("composer").querySelector("textarea"), kept.visit);
  subscribe(`line.visit:${kept.visit}`, { snapshot: apply, refused: gone });
  let first = true;
  subscribe(`line.talk:${kept.visit}`, {
    snapshot: (data) => { talk.add(data.messages, !first); talk.receipts.show(data.reads); first = false; host.said(kept.visit, data.messages); },
    change: (data) => { talk.add(data.messages, true); talk.receipts.show(data.reads); host.said(kept.visit, data.messages); },
  });
  onPersonal("line.typing", showTyping);
  onPersonal("line.agent_away", () => notice(gettext("Your agent lost their connection. The conversation continues when they're back."), "agent"));
  onPersonal("line.agent_back", () => { if (find("notice").dataset.why === "agent") notice(""); });
  setInterval(() => {
    draw();
    if (standing?.answer !== "room") refresh(ESTIMATE_SECONDS * (1 + Math.random()));
  }, 1000);
}

function gone() {
  store.clear();
  if (!ended) end("lost");
}

function showTyping() {
  find("typing").hidden = false;
  find("typing").lastElementChild.textContent = fill(gettext("%(name)s is typing"), { name: standing?.agent || gettext("Your agent") });
  clearTimeout(typingTimer);
  typingTimer = setTimeout(() => { find("typing").hidden = true; }, 4000);
}

// -- the visitor's actions ------------------------------------------------------------------------

/** Leave after a confirmation. If the server does not answer, the page repeats the request until it does. */
async function leave(question) {
  if (leaving || !(await ask(question))) return;
  leaving = true;
  while (leaving) leaving = await tellLeaving();
}

/** Report once to the server that the visitor leaves. Returns whether to try again. */
async function tellLeaving() {
  try {
    apply(await call(`visits/${kept.visit}/leave`, { kept, body: {} }));
    return false;
  } catch (error) {
    if (!AWAY.has(error.status)) toastFailure(error);
    if (!AWAY.has(error.status) || ended) return false;
    notice(gettext("You're leaving. The server isn't responding yet, so this page keeps trying."), "leaving");
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    return true;
  }
}

find("leave").addEventListener("click", () => leave({ title: gettext("Leave the line"), text: gettext("Your place goes to the next person in line."), go: gettext("Leave the line"), danger: true }));
find("end").addEventListener("click", () => leave({ title: gettext("End conversation"), text: gettext("You can save the transcript afterwards."), go: gettext("End conversation"), danger: true }));
find("again").addEventListener("click", async () => {
  try {
    // a visitor who was lost in a room shows the earlier visit, and gets to the head of the line
    if (lost) keepVisit(await call(`queues/${page.slug}/join`, { kept, body: {} }));
    else store.clear();
  } catch (error) {
    if (AWAY.has(error.status)) return toastFailure(error);
    store.clear();
  }
  return location.reload();
});
startHolding(() => kept);
startTranscript(() => kept);
startLanguages({ slug: page.slug, form: main.querySelector("form[data-join]"), kept: () => (ended ? null : kept) });
startCodes(page.slug, (found) => {
  notice("");
  begin(keepVisit(found), found);
});
files.attach(find("composer"), talk);
composer(find("composer"), { files, post: (text) => talk.post(text), typing: () => standing.answer === "room" && call(`visits/${kept.visit}/typing`, { kept, body: {} }) });
const loadRating = startRating(find("rating"), (body) => call(`visits/${kept.visit}/rating`, { kept, body }), () => call(`visits/${kept.visit}/rating`, { kept }));
startLeaving(main, (body) => call(`queues/${main.dataset.messagesTo || page.slug}/left-messages`, { kept: ended ? kept : null, body }), () => show(page.open ? "join" : "closed"));
startJoining(main, async (body) => {
  const [joined, isRefused] = await joinAs(page.slug, (words) => call(`queues/${page.slug}/join`, { body: words }), { ...body, language: page.language, visitor_key: visitorKey() });
  keepName(joined.visit, body.name);
  begin(keepVisit(joined), joined);
  if (isRefused && !ended) notice(gettext("Your login has expired or couldn't be verified. You've joined as a guest."), "identity");
}, (error) => { showClosed(main, error); showRefusingQueue(main, page.slug, error); show("closed"); });

function keepVisit({ visit, token, place: proof, joined_ms: joined = Date.now() }) {
  const mine = { visit, token, place: proof, joined };
  store.save(mine);
  return mine;
}

async function start() {
  const identity = takeIdentity(page.slug);
  showIdentity(main, identity);
  if (isSomebodyElse(page.slug, identity)) store.clear();
  showHoursZone(main, page.zone);
  for (const time of main.querySelectorAll("[data-opens-at]")) if (time.dateTime) showOpens(time, time.dateTime, page.zone);
  const visit = store.load();
  if (!visit) return show(page.open ? "join" : "closed");
  try {
    const now = await call(`visits/${visit.visit}/beat`, { kept: visit, body: { place: visit.place } });
    if (now.answer !== "gone") return begin(visit, now);
    notice(gettext("Your earlier visit has ended."));
  } catch (error) {
    if (![401, 404].includes(error.status)) {
      notice(`${error.title}. ${gettext("Your place is kept. This page will try again.")}`);
      setTimeout(start, 3000);
      return;
    }
  }
  store.clear();
  show(page.open ? "join" : "closed");
}

addEventListener("hashchange", () => { if (location.hash.length > 20) location.reload(); }); // a link from another device was opened in this tab
startBadge();
startDialogs();
joinHost(store).then(start);
