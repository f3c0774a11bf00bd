// Alerts the user, such as when it is their turn: a sound, the page's title, and a notification if allowed.

let context = null;
let title = "";
let timer = 0;
let muted = false;
const QUIET = "poolsite:quiet"; // stored in this browser

/** Prepare the sound. Call this from a user gesture, because browsers allow sound only after one. */
export function readySound() {
  try {
    context ??= new AudioContext();
    context.resume();
  } catch { /* this browser has no sound */ }
}

/** Start the button that turns the sound off and on. Notifications and the title continue without sound. */
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

/** Ask for permission to show notifications, if it is undecided. Call this from a user gesture. */
export function askForNotifications() {
  return globalThis.Notification?.permission === "default" ? Notification.requestPermission() : null;
}

const LATER = "poolsite:notices-later"; // stored in this tab

/** A banner that asks the user to allow notifications, until "Allow" or "Not now" has been chosen. */
export class NoticeBanner {
  /** `element` contains the buttons `data-notices-allow` and `data-notices-later`. */
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
    // the user may decide in the browser's settings
    navigator.permissions?.query({ name: "notifications" }).then((status) => status.addEventListener("change", () => this.draw()), () => {});
  }

  /** Show the banner while it is `wanted` (the agent is at work) and the permission is undecided. */
  show(wanted) {
    this.wanted = wanted;
    this.draw();
  }

  draw() {
    this.element.hidden = !this.wanted || this.later || globalThis.Notification?.permission !== "default";
  }

  /** Let the browser ask for the permission. Call this from a user gesture. */
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

/** Alert the user. The title shows the text until the page has the focus. */
export function alertPerson(words, { loud = true } = {}) {
  if (loud) sound();
  if (loud && document.hidden && globalThis.Notification?.permission === "granted") {
    try { new Notification(words); } catch { /* phones require a service worker for this */ }
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
