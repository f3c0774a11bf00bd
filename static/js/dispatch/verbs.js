// An operator's actions on a peer: open, drain, block or remove an instance, make it a backup, end its ejection,
// close a link. Each action asks for confirmation.
import { h, setText } from "../shared/dom.js";
import { fill, gettext, pgettext } from "../shared/words.js";

const VERBS = {
  open: { word: pgettext("state", "Open"), title: gettext("Open %(name)s?"), text: gettext("It accepts new sessions again."), go: gettext("Open instance") },
  drain: { word: gettext("Drain…"), title: gettext("Drain %(name)s?"), text: gettext("Its sessions continue, and no new ones are accepted. It stays draining, even after restarts, until someone opens it."), go: gettext("Drain instance") },
  block: { word: gettext("Block…"), title: gettext("Block %(name)s?"), text: gettext("Its sessions end now, and both ends of each are notified. No new ones are accepted."), go: gettext("Block instance"), danger: true },
  uneject: { word: gettext("End ejection…"), title: gettext("End the ejection of %(name)s?"), text: gettext("It accepts new sessions again before the time is over. Its manual state doesn't change."), go: gettext("End ejection"), untimed: true },
  backup: { word: gettext("Make backup…"), title: gettext("Make %(name)s a backup?"), text: gettext("It gets new sessions only while no primary instance can take them. Its sessions continue."), go: gettext("Make backup"), untimed: true },
  primary: { word: gettext("Make primary"), title: gettext("Make %(name)s a primary?"), text: gettext("It gets new sessions like the other primary instances."), go: gettext("Make primary"), untimed: true, unasked: true },
  forget: { word: gettext("Remove…"), title: gettext("Remove the name %(name)s?"), text: gettext("The name and its manual state are removed. An instance that registers under it later starts as a new one. Upgrades and events still show it."), go: gettext("Remove name"), danger: true, untimed: true },
};
const OFFERED = { open: ["drain", "block"], drain: ["open", "block"], blocked: ["open", "drain"] };

/** Return the buttons next to an instance, by its state. */
export const setVerbs = (row) => [...(row.ejected_until_us ? ["uneject"] : []), ...(OFFERED[row.manual] ?? []), row.backup ? "primary" : "backup", ...(row.state === "stop" && !row.upgrading ? ["forget"] : [])].map((verb) => h("button", { type: "button", class: "button button--small", "data-verb": verb, onclick: () => askFor(verb, row.name) }, VERBS[verb].word));

function askFor(verb, name) {
  const dialog = document.getElementById("set-instance");
  const { title, text, go, danger, untimed, unasked } = VERBS[verb];
  const form = dialog.querySelector("form");
  form.reset();
  form.elements.verb.value = verb;
  form.elements.name.value = name;
  form.elements.reason.required = verb !== "open" && !unasked;
  dialog.querySelector("[data-until]").hidden = verb === "open" || Boolean(untimed);
  setText(dialog.querySelector("[data-title]"), fill(title, { name }));
  setText(dialog.querySelector("[data-text]"), text);
  const button = dialog.querySelector("[data-go]");
  setText(button, go);
  button.className = `button ${danger ? "button--danger" : "button--primary"}`;
  dialog.showModal();
  form.elements.reason.focus();
}

/** Return the button next to a front-end. */
export function peerVerbs(key) {
  return h("button", { type: "button", class: "button button--small", onclick: () => askToClose(key) }, gettext("Close…"));
}

function askToClose(key) {
  const dialog = document.getElementById("disconnect-peer");
  const form = dialog.querySelector("form");
  form.elements.peer.value = key;
  form.elements.reason.value = "";
  setText(dialog.querySelector("[data-title]"), fill(gettext("Close the link of %(name)s?"), { name: key.slice(2) }));
  dialog.showModal();
  form.elements.reason.focus();
}
