// The agent's text field in a room: messages and notes, saved replies, and drafts of both.
import { h, icon, setText } from "../../shared/dom.js";
import { Replies } from "./replies.js";
import { keep, kept } from "../kept.js";
import { composer, keepDraft } from "../talk.js";
import { fill, gettext } from "../../shared/words.js";

export class AgentComposer {
  /**
   * @param {{visit: string, replies: {shortcut: string, text: string}[], values: () => Record<string, string>,
   *   say: (text: string) => any, note: (text: string) => any, typing: () => any, files: import("../attachments.js").Files}} options
   */
  constructor({ visit, replies, values, say, note, typing, files }) {
    this.visit = visit;
    this.files = files;
    const id = `say-${visit}`;
    const field = h("textarea", { id, class: "input", rows: "3" });
    const box = h("input", { type: "checkbox" });
    this.replies = new Replies(field, replies, values);
    const open = h("button", { type: "button", class: "button button--small button--ghost", hidden: !replies.length, onclick: () => this.replies.open() }, icon("quickreply", "icon--small"), gettext("Replies"), h("span", { class: "key", "aria-hidden": "true" }, "/"));
    open.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.label = h("label", { class: "visually-hidden", for: id });
    this.element = h("form", { class: "talk__composer" },
      this.label,
      this.replies.element, field,
      h("div", { class: "room__send" }, open, h("label", { class: "check" }, box, gettext("Internal note")), h("span", { class: "room__enter" }, h("span", { class: "key" }, "Enter"), ` ${gettext("sends")}`), h("button", { class: "button button--primary" }, icon("send"), gettext("Send"))));
    this.box = box;
    this.field = composer(this.element, {
      files,
      post: (text) => {
        if (!box.checked) return say(text);
        box.checked = false;
        keep("note", visit, "");
        return note(text);
      },
      typing: () => (box.checked ? null : typing()),
    });
    // restore a draft as what it was: a note must not turn into a message
    const noted = kept("note", visit, "");
    if (noted) {
      box.checked = true;
      field.value = noted;
    }
    keepDraft(field, visit, () => !box.checked);
    field.addEventListener("input", () => keep("note", visit, box.checked ? field.value : ""));
    box.addEventListener("change", () => field.dispatchEvent(new Event("input")));
  }

  showWho(name) {
    setText(this.label, fill(gettext("Message to %(name)s"), { name }));
  }

  /** Accept files dropped on the room, and send them through its talk. Notes have no files. */
  takeFiles(talk) {
    this.files.attach(this.element, talk, () => !this.box.checked);
  }

  /** Put a note that wasn't saved back into the field, as a note. */
  takeBack(note) {
    this.box.checked = true;
    this.field.value = [note, this.field.value].filter(Boolean).join("\n");
    this.field.dispatchEvent(new Event("input"));
  }

  get text() {
    return this.field.value;
  }

  /** Delete the drafts after the room has ended. */
  forget() {
    keep("draft", this.visit, "");
    keep("note", this.visit, "");
  }
}
