// Where a visitor is routed: a token of the customer's own system, a topic of another queue, hours in both time zones.
import { keep, kept } from "../kept.js";
import { fill, gettext, timeOf, weekdayOf, zone as myZone } from "../../shared/words.js";

const LONGEST = 2048;
const root = document.documentElement;
const ownerKey = (slug) => `poolsite:visit-of:${slug}`;

/** Take the token from the link, and remove it from the URL. The token outlives a reload of this tab. */
export function takeIdentity(slug) {
  const words = new URLSearchParams(location.hash.slice(1));
  const token = words.get("identity");
  if (token === null) return remembered(slug);
  words.delete("identity");
  history.replaceState(null, "", location.pathname + location.search + (words.size ? `#${words}` : ""));
  const fits = token.length <= LONGEST && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
  remember(slug, fits ? token : "");
  return fits ? token : "";
}

const remembered = (slug) => kept("identity", slug, "");
const remember = (slug, token) => keep("identity", slug, token);

/** Whether the token names another person than the owner of the visit stored in this browser. */
export function isSomebodyElse(slug, token) {
  const subject = claimsOf(token).sub;
  try {
    const before = localStorage.getItem(ownerKey(slug));
    return Boolean(subject && before && subject !== before);
  } catch {
    return false;
  }
}

function keepOwner(slug, subject) {
  try {
    if (subject) localStorage.setItem(ownerKey(slug), subject);
    else localStorage.removeItem(ownerKey(slug));
  } catch { /* this page only */ }
}

/** Show the name in the token. The server decides whether the token is valid. */
export function showIdentity(main, token) {
  const { name: said } = claimsOf(token);
  const name = typeof said === "string" ? said : "";
  const line = main.querySelector("[data-signed]");
  line.hidden = !token;
  line.querySelector("[data-signed-words]").textContent = name ? fill(gettext("Logged in as %(name)s"), { name }) : gettext("You're logged in");
  const field = main.querySelector("#visit-name");
  if (name && !field.value) field.value = name.slice(0, 80);
}

function claimsOf(token) {
  try {
    const bytes = Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) ?? {};
  } catch {
    return {};
  }
}

/** Join with the token, or without it if the server refuses it. Returns [joined, whether it was refused]. */
export async function joinAs(slug, send, body) {
  const identity = remembered(slug);
  if (!identity) return asGuest(slug, send, body, false);
  try {
    const joined = await send({ ...body, identity });
    keepOwner(slug, claimsOf(identity).sub);
    return [joined, false];
  } catch (error) {
    if (error.kind !== "bad-token") throw error;
    remember(slug, "");
    return asGuest(slug, send, body, true);
  }
}

async function asGuest(slug, send, body, isRefused) {
  const joined = await send(body);
  keepOwner(slug, "");
  return [joined, isRefused];
}

/** Show the refusal of the queue that a topic leads to: its hours, and where a message would go. */
export function showRefusingQueue(main, slug, error) {
  const { queue, queue_name: name, opens_at: opensAt, zone } = error.problem ?? {};
  const isOther = Boolean(queue) && queue !== slug;
  main.dataset.messagesTo = isOther ? queue : slug;
  const opens = main.querySelector("[data-opens]");
  if (opensAt) showOpens(opens.querySelector("[data-opens-at]"), opensAt, zone);
  if (isOther) {
    opens.hidden = !opensAt;
    if (error.kind === "queue-closed") main.querySelector("[data-closed-title]").textContent = fill(gettext("%(name)s is closed right now"), { name });
    for (const part of main.querySelectorAll(".visit__hours, [data-hours-zone]")) part.hidden = true;
    main.querySelector("[data-back]").hidden = false;
  }
}

/** Show the time zone of the opening hours, if the visitor's clock shows another time. */
export function showHoursZone(main, zone) {
  const now = new Date();
  const line = main.querySelector("[data-hours-zone]");
  if (!line || !zone || partsIn(now, zone).join() === partsIn(now, myZone).join()) return;
  line.textContent = zoneName(now, zone);
  line.hidden = false;
}

/** Show when a queue opens: in the visitor's time, and in the queue's if it differs. */
export function showOpens(element, opensAt, zone) {
  const at = new Date(opensAt);
  element.dateTime = opensAt;
  element.textContent = opensWords(at, zone, new Date());
}

function opensWords(at, zone, now) {
  const days = (Date.parse(dateIn(at, myZone)) - Date.parse(dateIn(now, myZone))) / 86_400_000;
  const time = timeOf(at);
  const mine = days < 1 ? fill(gettext("today at %(time)s"), { time })
    : days < 2 ? fill(gettext("tomorrow at %(time)s"), { time })
      : fill(gettext("%(day)s at %(time)s"), { day: weekdayOf(at), time });
  if (!zone || partsIn(at, zone).join() === partsIn(at, myZone).join()) return mine;
  const [day, theirs] = partsIn(at, zone);
  const there = day === partsIn(at, myZone)[0] ? theirs : `${day} ${theirs}`;
  return fill(gettext("%(mine)s (%(there)s, %(zone)s)"), { mine, there, zone: zoneName(at, zone) });
}

const locale = root.lang === "zh-hans" ? "zh-Hans" : root.lang || "en";
const partsIn = (at, zone) => [
  new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: "short" }).format(at),
  new Intl.DateTimeFormat(locale, { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at),
];
const dateIn = (at, zone) => new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);

/** Return a zone's name by its city, which people recognise: "Shanghai time". */
function zoneName(at, zone) {
  const city = zone.split("/").pop().replaceAll("_", " ");
  if (locale === "en") return fill(gettext("%(city)s time"), { city });
  return new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "longGeneric" }).formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? city;
}
