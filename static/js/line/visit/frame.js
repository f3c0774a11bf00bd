// The visitor's page in a frame on a tenant's own site (static/js/line/widget.js): the messages between the two. Each
// side checks the origin and the window of a message before it trusts it. Without a frame, no messages are sent.
import { pageData } from "../../shared/dom.js";
import { startSoundSwitch } from "../alert.js";
import { rangeWords } from "./wait.js";
import { startMenus } from "../../shared/menu.js";
import { fill, gettext, initialsOf } from "../../shared/words.js";

const page = pageData("visit-page");
const isWidget = Boolean(page.widget);
const framed = isWidget && window.parent !== window;
const find = (name) => document.querySelector(`[data-frame-${name}]`);
const main = document.querySelector("[data-visit]");
const GREETING = 3000; // ms to wait for the host's answer
const RUNNING = new Set(["waiting", "room"]);
const ORDINALS = {
  one: gettext("You're %(n)sst"),
  two: gettext("You're %(n)snd"),
  few: gettext("You're %(n)srd"),
  other: gettext("You're %(n)sth"),
};

let origin = ""; // the host's origin, once it has said hello
let open = !framed;
let moves = false; // the focus moves into the frame with the first view
let greeted = () => {};
let visit = "";
let readTo = 0; // the number of the last message that the visitor saw
let newest = [];

const tell = (message) => { if (origin) window.parent.postMessage({ poolsite: page.slug, ...message }, origin); };

/** Resolve once the host's script has reported what it stored for this page; at once without a frame. */
export function joinHost(store) {
  if (!framed) return Promise.resolve();
  store.refused = (kept) => tell({ tells: "keep", kept });
  return new Promise((resolve) => {
    greeted = (kept) => { store.offer(kept); resolve(); };
    setTimeout(resolve, GREETING);
    window.parent.postMessage({ poolsite: page.slug, tells: "ready", language: page.language }, "*"); // contains nothing secret
  });
}

const DOES = {
  hello: (data) => {
    setOpen(data.open === true);
    moves = data.moves === true;
    greeted(data.kept);
    view(main.dataset.view);
  },
  open: () => {
    setOpen(true);
    requestAnimationFrame(moveIn); // runs when the frame is drawn
  },
  close: () => setOpen(false),
  size: () => {},
};

addEventListener("message", (event) => {
  if (!framed || event.source !== window.parent) return;
  if (event.origin !== location.origin && !page.widget.origins.includes(event.origin)) return;
  if (event.data?.poolsite !== page.slug || !Object.hasOwn(DOES, event.data.do)) return;
  origin = event.origin;
  if ("full" in event.data) document.body.classList.toggle("visit--full", event.data.full === true);
  DOES[event.data.do](event.data);
});

function setOpen(now) {
  open = now;
  if (open) seen();
}

function moveIn() {
  const list = main.querySelector("[data-talk]");
  list.scrollTop = list.scrollHeight;
  const fields = { join: "form[data-join] input", waiting: "[data-composer] textarea", room: "[data-composer] textarea" };
  (main.querySelector(fields[main.dataset.view] ?? ":scope") ?? main).focus({ preventScroll: true });
}

// -- what the host's bubble shows while the frame is closed -------------------------------------------

const keyOf = (id) => `poolsite:read:${id}`;

function seen() {
  readTo = Math.max(readTo, ...newest.map((message) => message.number));
  newest = [];
  keepRead();
  tell({ tells: "unread", count: 0 });
}

function keepRead() {
  try { if (visit) localStorage.setItem(keyOf(visit), String(readTo)); } catch { /* this page only */ }
}

/** Count the other side's messages that the visitor has not seen as unread. Some of `messages` may be known already. */
function said(id, messages) {
  if (!framed) return;
  if (id !== visit) begin(id, messages);
  const known = new Set(newest.map((message) => message.number));
  const fresh = messages.filter(({ author, number }) => author !== "visitor" && author !== "note" && number > readTo && !known.has(number));
  newest.push(...fresh);
  if (open) return seen();
  if (!fresh.length) return;
  const last = fresh.at(-1);
  tell({ tells: "unread", count: newest.length, name: last.name || find("name").textContent, text: last.text || gettext("Sent a file") });
}

function begin(id, messages) {
  visit = id;
  newest = [];
  let known = null;
  try { known = localStorage.getItem(keyOf(id)); } catch { /* this page only */ }
  // in a visit that was continued from elsewhere, its messages count as read
  readTo = known === null ? Math.max(0, ...messages.map((message) => message.number)) : Number(known) || 0;
  keepRead();
}

function view(name) {
  if (!isWidget) return;
  const runs = RUNNING.has(name);
  find("end").hidden = find("end-rule").hidden = !runs;
  find("mail").hidden = name !== "room";
  if (name !== "room") {
    find("name").textContent = find("name").dataset.house;
    find("mark").textContent = find("mark").dataset.house;
    find("mark").classList.remove("visit__mark--person");
  }
  if (name !== "waiting") find("line").textContent = find("line").dataset.house;
  if (name === "loading") return;
  tell({ tells: "running", running: runs });
  if (moves) requestAnimationFrame(moveIn);
  moves = false;
}

function place(ahead, estimate) {
  if (!isWidget || ahead === null) return;
  const number = ahead + 1;
  const form = new Intl.PluralRules(document.documentElement.lang, { type: "ordinal" }).select(number);
  let words = fill(ORDINALS[form] ?? ORDINALS.other, { n: number });
  if (estimate) words = fill(estimate[1] <= 60 ? gettext("%(place)s, %(range)s") : gettext("%(place)s, about %(range)s"), { place: words, range: rangeWords(estimate) });
  if (find("line").textContent !== words) find("line").textContent = words;
}

/** Show the agent who serves; `news` is the text for the bubble, "" if nothing is new. */
function agent(name, news) {
  if (!isWidget) return;
  const shown = name || gettext("Your agent");
  find("name").textContent = shown;
  find("mark").textContent = initialsOf(shown);
  find("mark").classList.add("visit__mark--person");
  if (news && !open) tell({ tells: "unread", count: newest.length, name: shown, text: news });
}

export const host = { view, place, agent, said };

// -- the header -----------------------------------------------------------------------------------

function startHeader() {
  document.body.style.setProperty("--brand", page.widget.colour);
  for (const name of ["name", "mark", "line"]) find(name).dataset.house = find(name).textContent;
  startMenus();
  const sound = find("sound");
  startSoundSwitch(sound);
  const word = () => { find("sound-words").textContent = sound.getAttribute("aria-pressed") === "true" ? gettext("Turn sounds off") : gettext("Turn sounds on"); };
  sound.addEventListener("click", word);
  word();
  find("end").addEventListener("click", () => main.querySelector(main.dataset.view === "room" ? "[data-end]" : "[data-leave]").click());
  if (!framed) return;
  const close = () => tell({ tells: "close" });
  for (const button of document.querySelectorAll("[data-frame-close]")) {
    button.hidden = false;
    button.addEventListener("click", close);
  }
  // before the menu's own listener: Esc closes only what is on top
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing && !document.querySelector("dialog[open], .menu:not([hidden])")) close();
  }, { capture: true });
}

if (isWidget) startHeader();
