// What a visitor wrote for an agent who never came can be left as a message.
import { keep, kept as keptOf } from "../kept.js";
import { call } from "./store.js";

const UNSERVED = new Set(["no agent", "max wait", "form", "lost"]);
const LIMIT = 4000; // characters of a message

/** Store the name over reloads, for the form to leave a message. */
export const keepName = (visit, name) => keep("name", visit, name);

/**
 * After the visit has ended: offer to leave a message, if no agent served the visitor.
 * @param {{word: string, kept: any, texts: string[], show: () => void}} ended `show`: opens the form to leave a message
 */
export function offerToLeave(main, { word, kept, texts, show }) {
  const button = main.querySelector("[data-leave-words]");
  button.hidden = !UNSERVED.has(word);
  button.onclick = async () => {
    const { name, text } = main.querySelector("form[data-leave-message]").elements;
    name.value ||= keptOf("name", kept.visit, "");
    const written = texts.filter((each) => each.trim());
    const whole = (written.length ? written : await said(kept)).join("\n\n");
    text.value ||= [...whole].slice(0, LIMIT).join("");
    text.dispatchEvent(new Event("input"));
    show();
    (name.value ? main.querySelector("#left-contact") : name).focus();
  };
}

/** After a reload, fetch from the server what the visitor wrote. */
async function said(kept) {
  const found = await call(`visits/${kept.visit}/messages`, { kept }).catch(() => ({ messages: [] }));
  return found.messages.filter((each) => each.author === "visitor").map((each) => each.text);
}
