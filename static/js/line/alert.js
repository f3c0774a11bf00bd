// When it is somebody's turn: a sound, the title, and a notification where it is allowed.

let context = null;
let title = "";
let timer = 0;
let muted = false;
const QUIET = "poolsite:quiet"; // kept by this browser

/** Browsers play sound only after a gesture: call it from one. */
export function readySound() {
  try {
    context ??= new AudioContext();
    context.resume();
  } catch { /* no sound here */ }
}

/** The sound is on until this button switches it off; notifications and the title go on. */
export function startSoundSwitch(button) {
  const show = () => {
    button.setAttribute("aria-pressed", String(!muted));
    button.querySelector(".icon").textContent = muted ? "volume_off" : "volume_up";
  };
  try { muted = localStorage.getItem(QUIET) === "1"; } catch { /* this page only */ }
  button.addEventListener("click", () => {
    muted = !muted;
    try { localStorage.setItem(QUIET, muted ? "1" : "0"); } catch { /* this page only */ }
    show();
  });
  show();
}

/** Ask once whether notifications may be shown; call it from a gesture. */
export function askForNotifications() {
  return globalThis.Notification?.permission === "default" ? Notification.requestPermission() : null;
}

const LATER = "poolsite:notices-later"; // kept by this tab

/** A line that asks to allow notifications, while neither "Allow" nor "Not now" has been chosen. */
export class NoticeBanner {
  /** `element` holds buttons `data-notices-allow` and `data-notices-later`. */
  constructor(element) {
    this.element = element;
    this.wanted = false;
    try { this.later = sessionStorage.getItem(LATER) === "1"; } catch { this.later = false; }
    element.querySelector("[data-notices-allow]").addEventListener("click", () => this.ask());
    element.querySelector("[data-notices-later]").addEventListener("click", () => {
      this.later = true;
      try { sessionStorage.setItem(LATER, "1"); } catch { /* this page only */ }
      this.draw();
    });
    // it may be decided in the browser's own settings
    navigator.permissions?.query({ name: "notifications" }).then((status) => status.addEventListener("change", () => this.draw()), () => {});
  }

  /** Show it, as long as it is undecided, while the agent is at work. */
  show(wanted) {
    this.wanted = wanted;
    this.draw();
  }

  draw() {
    this.element.hidden = !this.wanted || this.later || globalThis.Notification?.permission !== "default";
  }

  /** Let the browser ask; call it from a gesture. */
  async ask() {
    if (!this.later) await askForNotifications();
    this.draw();
  }
}

function sound() {
  if (muted || !context || context.state !== "running") return;
  for (const [at, pitch] of [[0, 660], [0.18, 880]]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, context.currentTime + at);
    volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + at + 0.3);
    tone.connect(volume).connect(context.destination);
    tone.start(context.currentTime + at);
    tone.stop(context.currentTime + at + 0.32);
  }
}

/** Call for attention; the title says it until the page is looked at. */
export function alertPerson(words, { loud = true } = {}) {
  if (loud) sound();
  if (loud && document.hidden && globalThis.Notification?.permission === "granted") {
    try { new Notification(words); } catch { /* phones want a service worker */ }
  }
  if (document.hasFocus()) return;
  title ||= document.title;
  document.title = `● ${words}`;
}

export function calm() {
  clearTimeout(timer);
  if (title) document.title = title;
  title = "";
}

addEventListener("focus", calm);
addEventListener("pointerdown", readySound, { once: true });
addEventListener("keydown", readySound, { once: true });
