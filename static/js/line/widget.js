// The chat on a tenant's own site: a bubble that opens a frame with the visitor's page. Served at /widget/<queue>.js
// with the queue's settings in place of __CONFIG__. It sets no cookies; only the frame sends requests. Works with a
// strict CSP of the host (script-src and frame-src: the console): no HTML from text, no style attributes.
(() => {
  "use strict";
  const config = "__CONFIG__";
  const script = document.currentScript;
  const home = new URL(script.src).origin;
  const mark = `poolsite:widget:${config.queue}`;
  if (document.querySelector(`poolsite-widget[data-queue="${config.queue}"]`)) return; // sites that swap pages run this again

  const TEASER = 8000;
  const PATIENCE = 3000; // for a loaded frame to answer; a refused frame loads, too, but stays silent
  const DAY = 86_400_000;

  const STYLE = `
:host { all: initial !important; position: fixed !important; inset: 0 !important; z-index: 2147483000 !important;
  display: block !important; pointer-events: none !important; }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; border: 0; cursor: pointer; pointer-events: auto; }
.bubble, .panel, .teaser { position: absolute; right: 20px; pointer-events: auto; }
.left .bubble, .left .panel, .left .teaser { right: auto; left: 20px; }
.bubble { bottom: 20px; width: 56px; height: 56px; padding: 0; border-radius: 50%; background: var(--colour); color: #fff;
  box-shadow: 0 8px 20px -4px rgb(16 24 40 / .4); }
.bubble svg { display: block; margin: auto; width: 26px; height: 26px; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round; }
.bubble:focus-visible, .teaser:focus-visible, .refused a:focus-visible { outline: 3px solid #fff; outline-offset: -5px;
  box-shadow: 0 0 0 3px #101828; }
.badge { position: absolute; top: -3px; right: -3px; min-width: 20px; padding: 0 5px; border: 2px solid #fff; border-radius: 12px;
  background: #c10007; color: #fff; font: 600 12px/18px system-ui, sans-serif; text-align: center; }
.panel { bottom: 88px; width: 380px; max-width: calc(100vw - 40px); height: 640px; max-height: calc(100vh - 108px);
  border-radius: 12px; overflow: hidden; background: #fff; color: #101828; box-shadow: 0 16px 48px -8px rgb(16 24 40 / .45); }
iframe { display: block; width: 100%; height: 100%; border: 0; }
.teaser { bottom: 28px; right: 88px; width: max-content; max-width: min(260px, calc(100vw - 120px)); padding: 10px 14px;
  border-radius: 10px; background: #fff; color: #101828; text-align: start; box-shadow: 0 4px 16px -2px rgb(16 24 40 / .3);
  font: 400 14px/20px system-ui, sans-serif; }
.left .teaser { left: 88px; }
.teaser b { display: flex; justify-content: space-between; gap: 16px; font-weight: 600; }
.teaser small { font: inherit; font-weight: 400; color: #4a5565; }
.teaser span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; overflow-wrap: anywhere; }
.refused { padding: 40px 24px; font: 400 16px/24px system-ui, sans-serif; }
.refused a { color: inherit; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 767.98px) {
  .panel, .left .panel { inset: 0; width: auto; max-width: none; height: 100vh; height: 100dvh; max-height: none; border-radius: 0; }
  .open .bubble { display: none; }
}
@media (prefers-reduced-motion: no-preference) { .panel { animation: rise .16s ease-out; } @keyframes rise { from { opacity: 0; transform: translateY(8px); } } }
@media print { :host { display: none !important; } }`;

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const drawing = (path) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(svg.namespaceURI, "path");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  };

  // -- stored in this tab and this browser, under the host's name: whether to connect at once, never what was said --
  const store = (area) => ({
    read: (name) => { try { return JSON.parse(area().getItem(`${mark}:${name}`)); } catch { return null; } },
    write: (name, value) => {
      try {
        if (value === null) area().removeItem(`${mark}:${name}`);
        else area().setItem(`${mark}:${name}`, JSON.stringify(value));
      } catch { /* this page only */ }
    },
  });
  const tab = store(() => sessionStorage);
  const browser = store(() => localStorage);

  // The first of: the visitor's choice in the frame, the tag's data-lang, the site's language.
  const host = /^zh\b/i.test(document.documentElement.lang || navigator.language) ? "zh-hans" : "en";
  const language = [browser.read("language"), script.dataset.lang, host].find((code) => Object.hasOwn(config.words, code ?? "")) ?? "en";
  const words = config.words[language];
  const identity = script.dataset.identity ?? ""; // a token signed by the site's own system; never in a server log

  // -- the elements ------------------------------------------------------------------------------
  const holder = document.createElement("poolsite-widget");
  holder.dataset.queue = config.queue;
  const root = holder.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const speech = drawing("M4 4h16v12H9l-5 4z");
  const down = drawing("M6 9l6 6 6-6");
  const badge = make("span", { class: "badge", "aria-hidden": "true", hidden: "" });
  const bubble = make("button", { type: "button", class: "bubble", "aria-expanded": "false", "aria-controls": "panel", "aria-label": words.open }, speech, badge);
  const panel = make("div", { class: "panel", id: "panel", role: "dialog", "aria-label": words.chat, hidden: "" });
  const teaser = make("button", { type: "button", class: "teaser", hidden: "" });
  const said = make("div", { class: "said", role: "status" });
  const box = make("div", { class: config.side, lang: language === "en" ? "en" : "zh-Hans" }, panel, teaser, bubble, said);
  box.style.setProperty("--colour", config.colour);
  root.append(box);

  let frame = null;
  let isOpen = false;
  let unread = 0;
  let moves = false; // move the focus into the frame once it listens
  let heard = false; // the frame has answered, so the browser shows it
  let teaserTimer = 0;
  const phone = matchMedia("(max-width: 767.98px)");
  const page = `${home}/q/${config.queue}/`;

  // Before it answers, the frame may be the browser's own error page, which does not listen.
  const tell = (message) => { if (heard) frame.contentWindow?.postMessage({ poolsite: config.queue, ...message }, home); };

  function load() {
    if (frame) return;
    frame = make("iframe", { title: words.chat, allow: "clipboard-write; autoplay", src: `${page}?widget&lang=${language}${identity && `#identity=${encodeURIComponent(identity)}`}` });
    frame.addEventListener("load", () => setTimeout(() => { if (!heard) refuse(); }, PATIENCE), { once: true });
    panel.replaceChildren(frame);
  }

  /** Explain that the browser blocks the frame: the site is not on the desk's list, or its CSP lacks frame-src. */
  function refuse() {
    const link = make("a", { href: page, target: "_blank", rel: "noopener" }, words.tab);
    panel.replaceChildren(make("div", { class: "refused" }, make("p", {}, words.refused), make("p", {}, link)));
    frame = null; // opening tries again
    if (isOpen) link.focus();
  }

  function set(open) {
    isOpen = open;
    if (open) load();
    panel.hidden = !open;
    box.classList.toggle("open", open);
    bubble.setAttribute("aria-expanded", String(open));
    bubble.replaceChildren(open ? down : speech, badge);
    tab.write("open", open || null);
    if (open) {
      hush();
      moves = !heard;
      frame.focus();
    } else {
      moves = false;
      bubble.focus();
    }
    tell({ do: open ? "open" : "close", full: phone.matches });
    count(open ? 0 : unread);
  }

  function count(number) {
    unread = number;
    badge.hidden = !number;
    badge.textContent = number > 99 ? "99+" : String(number);
    const label = isOpen ? words.close : words.open;
    bubble.setAttribute("aria-label", number ? `${label}. ${words.unread.replace("%(n)s", String(number))}` : label);
  }

  function tease(name, text) {
    if (isOpen) return;
    teaser.replaceChildren(make("b", {}, name, make("small", {}, words.now)), make("span", {}, text));
    teaser.hidden = false;
    said.textContent = `${name}: ${text}`;
    clearTimeout(teaserTimer);
    teaserTimer = setTimeout(hush, TEASER);
  }

  function hush() {
    clearTimeout(teaserTimer);
    teaser.hidden = true;
    said.textContent = "";
  }

  const line = (value, length) => String(value ?? "").slice(0, length);
  const HEARS = {
    ready: (data) => {
      if (data.language !== language) browser.write("language", line(data.language, 10));
      if (moves) frame.focus(); // again: the frame had no page before
      tell({ do: "hello", open: isOpen, moves, full: phone.matches, kept: tab.read("visit") });
      moves = false;
    },
    close: () => set(false),
    running: ({ running }) => browser.write("running", running ? Date.now() : null),
    unread: (data) => {
      count(isOpen ? 0 : Math.max(0, Math.trunc(Number(data.count)) || 0));
      if (data.text) tease(line(data.name, 80), line(data.text, 200));
      else if (!unread) hush();
    },
    keep: ({ kept }) => tab.write("visit", kept ?? null), // only if the browser gives the frame no storage
  };
  addEventListener("message", (event) => {
    if (event.origin !== home || !frame || event.source !== frame.contentWindow) return;
    if (event.data?.poolsite !== config.queue || !Object.hasOwn(HEARS, event.data.tells)) return;
    heard = true;
    HEARS[event.data.tells](event.data);
  });

  phone.addEventListener("change", () => tell({ do: "size", full: phone.matches }));
  bubble.addEventListener("click", () => set(!isOpen));
  teaser.addEventListener("click", () => set(true));
  root.addEventListener("keydown", (event) => { if (event.key === "Escape" && isOpen) set(false); });

  function begin() {
    document.documentElement.append(holder); // outside of what a site may swap
    const since = Number(browser.read("running")) || 0;
    if (tab.read("open") && !phone.matches) { // on a phone it would hide the requested page
      load();
      isOpen = true;
      panel.hidden = false;
      box.classList.add("open");
      bubble.setAttribute("aria-expanded", "true");
      bubble.replaceChildren(down, badge);
      count(0);
    } else if (Date.now() - since < DAY) {
      load(); // a visit runs: hear messages and keep the place
    }
  }
  begin();
})();
