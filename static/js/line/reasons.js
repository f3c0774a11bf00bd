// Texts for reasons: why an agent pauses, and why agents don't serve a visitor.
import { fill, gettext, ngettext } from "../shared/words.js";

const WORDS = new Map([
  ["Break", gettext("Break")], ["Lunch", gettext("Lunch")], ["Meeting", gettext("Meeting")], ["Training", gettext("Training")],
  ["missed offers", gettext("Missed offers")], ["supervisor", gettext("Supervisor")],
]);

/** Return a pause's reason in the reader's language; "" if none was given. */
export const pauseWords = (reason) => WORDS.get(reason) ?? reason;

const SHOWN = 12;
const FAR = ["queue", "offline"]; // agents who could not serve the visitor anyway: one row for each of these reasons

/** Return a reason box's rows, [{name, reason, words, agent}]: possible agents one by one, the others by reason. */
export function foldReasons(rows) {
  const near = rows.filter((row) => !FAR.includes(row.reason));
  const far = FAR.map((reason) => rows.filter((row) => row.reason === reason)).filter((all) => all.length);
  const more = near.slice(SHOWN);
  const one = (all) => (all.length === 1 ? all[0] : { name: fill(ngettext("%(n)s agent", "%(n)s agents", all.length), { n: all.length }), reason: all[0].reason, words: all[0].words, agent: 0 });
  return [...near.slice(0, SHOWN), ...(more.length ? [{ name: fill(gettext("and %(n)s more"), { n: more.length }), reason: "", words: "", agent: 0 }] : []), ...far.map(one)];
}
