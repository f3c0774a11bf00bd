// The connection badge: Live (changes are pushed, so the page is current), Reconnecting with attempt and seconds,
// Not live with the time of the data, Offline. After 10 s without a connection, the page's figures turn muted and keep
// their values.
import { connection, people, topics } from "../../live.js";
import { announce } from "./dom.js";
import { incidentsTopic } from "./problems.js";
import { fill, gettext, timeExactOf } from "./words.js";

const PATIENCE_SECONDS = 10;

const until = (moment) => Math.max(0, (moment - Date.now()) / 1000);
const since = (moment) => (moment ? Math.max(0, (Date.now() - moment) / 1000) : 0);

function look() {
  const { state, attempt, retryAt, dataAt } = connection;
  const age = since(dataAt);
  if (state === "live") return ["live", gettext("Live"), ""];
  if (state === "offline") return ["offline", gettext("Offline"), ""];
  if (state === "signed-out") return ["stale", gettext("Logged out"), ""];
  if (state === "idle") return ["idle", "", ""];
  if (state === "connecting" && !dataAt) return ["connecting", gettext("Connecting"), ""];
  if (dataAt && (state === "stale" || age > PATIENCE_SECONDS)) return ["stale", gettext("Not live"), fill(gettext("data from %(time)s"), { time: timeExactOf(dataAt) })];
  const seconds = Math.ceil(until(retryAt));
  return ["reconnecting", gettext("Reconnecting"), seconds ? fill(gettext("attempt %(n)s in %(s)s s"), { n: Math.max(1, attempt), s: seconds }) : fill(gettext("attempt %(n)s"), { n: Math.max(1, attempt) })];
}

// Every page has live counts in its sidebar. They alone don't make a page live.
const watchesMore = () => people.size > 0 || [...topics.keys()].some((topic) => topic !== incidentsTopic());

export function startBadge() {
  const badge = document.querySelector("[data-live-badge]");
  if (!badge) return;
  const word = badge.querySelector("[data-badge-word]");
  const detail = badge.querySelector("[data-badge-detail]");
  let before = "";
  const show = () => {
    const [state, name, more] = look();
    badge.hidden = state === "idle" || (!watchesMore() && !["offline", "signed-out"].includes(state));
    badge.dataset.state = state;
    document.documentElement.dataset.connection = state;
    if (word.textContent !== name) word.textContent = name;
    if (detail.textContent !== more) detail.textContent = more;
    if (state === before) return;
    if (state === "stale" || state === "offline") announce(gettext("Connection lost. Data is out of date."));
    if (state === "live" && (before === "stale" || before === "offline" || before === "reconnecting")) announce(gettext("Connection restored."));
    before = state;
  };
  connection.addEventListener("state", show);
  badge.addEventListener("click", () => connection.retry());
  show();
}
