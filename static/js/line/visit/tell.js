// "Notify me when I'm third": by sound and notification while the page is open, and by one email otherwise.
import { setText } from "../../shared/dom.js";
import { alertPerson, askForNotifications, readySound } from "../alert.js";
import { keep, kept as keptOf } from "../kept.js";
import { call } from "./store.js";
import { startEmail, tellError } from "./forms.js";
import { gettext } from "../../shared/words.js";

const AHEAD = { third: 2, next: 0, turn: -1 };
const NEAR = { third: gettext("You're third in line or closer"), next: gettext("You're next") };
const LABELS = {
  third: gettext("Notify me when I'm third"),
  next: gettext("Notify me when I'm next"),
  turn: gettext("Notify me when it's my turn"),
};
const WORDS = {
  third: gettext("We'll email you when you're third in line. You can close this page."),
  next: gettext("We'll email you when you're next. You can close this page."),
  turn: gettext("We'll email you when it's your turn. You can close this page."),
};
const ENDS = {
  due: gettext("We're emailing you now."),
  sent: gettext("We've emailed you. Stay on this page, or come back through the link in the email."),
  failed: gettext("We couldn't send the email. Stay on this page."),
};

export class Tell {
  /** @param {HTMLElement} main the page */
  constructor(main) {
    const find = (name) => main.querySelector(`[data-tell${name}]`);
    Object.assign(this, { find, visit: null, told: false });
    find("").addEventListener("change", () => this.choose(true));
    find("-when").addEventListener("change", () => this.choose(false));
    startEmail(find("-form"), (email) => this.send(email));
    find("-off").addEventListener("click", () => this.cancel());
  }

  get isOn() {
    return this.find("").checked;
  }

  get when() {
    return this.find("-when").value;
  }

  /** Show the earlier choices after the visit has begun, perhaps on another device or before a reload. */
  async open(visit) {
    this.visit = visit;
    const chosen = keptOf("tell", visit.visit, "");
    if (chosen) {
      this.find("").checked = chosen.startsWith("on ");
      this.find("-when").value = chosen.split(" ")[1];
    }
    setText(this.find("-label"), LABELS[this.when]);
    this.told = keptOf("told", visit.visit, "") === this.when;
    const joinedHere = keptOf("name", visit.visit, ""); // an email, if any, was then requested in this tab
    if (!joinedHere || keptOf("mailed", visit.visit, "")) await this.look();
  }

  choose(switched) {
    this.told = false;
    setText(this.find("-label"), LABELS[this.when]);
    keep("tell", this.visit.visit, `${this.isOn ? "on" : "off"} ${this.when}`);
    if (!switched || !this.isOn) return;
    readySound();
    askForNotifications();
  }

  /** Update the place. Alerts the visitor once, when the place is as near as they chose. */
  moved(ahead) {
    if (!this.isOn || this.told || ahead === null || ahead > AHEAD[this.when]) return;
    this.told = true;
    keep("told", this.visit.visit, this.when);
    alertPerson(NEAR[this.when]);
  }

  async look() {
    const mail = await call(`visits/${this.visit.visit}/tell`, { kept: this.visit }).catch(() => null);
    if (mail) this.show(mail);
  }

  show({ when, state }) {
    const waits = state === "waiting";
    this.find("-form").hidden = state !== "off";
    this.find("-told").hidden = state === "off" || state === "over";
    this.find("-words").textContent = waits ? WORDS[when] : ENDS[state] ?? "";
    this.find("-off").hidden = !waits;
    if (["waiting", "due"].includes(state)) setTimeout(() => this.look(), 30_000);
  }

  async send(email) {
    const body = { when: this.when, email, zone: document.documentElement.dataset.zone };
    this.show(await call(`visits/${this.visit.visit}/tell`, { kept: this.visit, body }));
    keep("mailed", this.visit.visit, "yes");
    tellError(this.find("-form"), "");
    this.find("-off").focus();
  }

  async cancel() {
    try {
      this.show(await call(`visits/${this.visit.visit}/tell`, { kept: this.visit, body: { when: "off" } }));
      this.find("-form").elements.email.focus();
    } catch (failed) {
      this.find("-words").textContent = `${failed.title}. ${failed.detail}`;
    }
  }
}
