// Why an agent pauses, in words; a reason of the desk's own list is shown as it was written.
import { gettext } from "./words.js";

const WORDS = new Map([
  ["Break", gettext("Break")], ["Lunch", gettext("Lunch")], ["Meeting", gettext("Meeting")], ["Training", gettext("Training")],
  ["missed offers", gettext("Missed offers")], ["supervisor", gettext("Supervisor")],
]);

/** A pause's reason as the reader sees it; "" = none was given. */
export const pauseWords = (reason) => WORDS.get(reason) ?? reason;
