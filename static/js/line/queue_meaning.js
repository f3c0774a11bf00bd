// Explains a queue's settings in sentences made from the form's fields.
import { startMeaning } from "../shared/settings_meaning.js";
import { gettext } from "../shared/words.js";

function waiting({ none, chosen }) {
  if (none("max_wait_seconds")) return gettext("A visitor waits without a time limit.");
  return chosen("overflow")
    ? gettext("A visitor waits up to %(max_wait_seconds)s, then goes to %(overflow)s.")
    : gettext("A visitor waits up to %(max_wait_seconds)s, then the visit ends.");
}

function serving({ none, chosen }) {
  if (chosen("mode") === "manual") return gettext("Agents choose whom to serve.");
  if (chosen("mode") === "auto") return gettext("A free agent gets the next visitor at once.");
  return none("misses_limit")
    ? gettext("A free agent has %(offer_seconds)s to accept.")
    : gettext("A free agent has %(offer_seconds)s to accept. Missed offers before the agent is paused: %(misses_limit)s.");
}

function withoutAgents({ chosen }) {
  const words = {
    wait: gettext("When no agent is online, visitors keep waiting."),
    overflow: chosen("overflow")
      ? gettext("After %(no_agent_seconds)s without an agent online, visitors in line go to %(overflow)s.")
      : gettext("Choose an overflow queue, or visitors keep waiting when no agent is online."),
    form: gettext("After %(no_agent_seconds)s without an agent online, visitors in line can leave a message."),
    end: gettext("After %(no_agent_seconds)s without an agent online, the visits in line end."),
  };
  return words[chosen("no_agent")];
}

startMeaning((ask) => [
  waiting(ask),
  gettext("A visitor who loses the connection keeps the place for %(grace_seconds)s."),
  serving(ask),
  ask.none("wrap_up_seconds") ? "" : gettext("After a chat, the agent has %(wrap_up_seconds)s for wrap-up."),
  withoutAgents(ask),
]);
