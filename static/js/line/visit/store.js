// What a visitor's page stores of its visit, over reloads, tabs and devices; and the page's API calls.
import { RequestFailed } from "../../shared/dom.js";
import { newId } from "../ids.js";
import { gettext } from "../../shared/words.js";

/** @typedef {{visit: string, token: string, place: string, joined: number}} Kept */

export class Store {
  constructor(slug) {
    this.key = `poolsite:visit:${slug}`;
    this.memory = null; // for browsers that store nothing
    this.refused = () => {}; // called with what the browser would not store; null = forget it
  }

  /** Use the visit that the host stored for this page, unless the browser has one. */
  offer(kept) {
    this.memory ??= valid(kept);
  }

  /** Return the visit of the link that led here, or of this browser; null if there is none. */
  load() {
    const carried = read(location.hash.slice(1));
    if (carried) {
      history.replaceState(null, "", location.pathname + location.search); // remove the token from the URL
      this.save(carried);
      return carried;
    }
    try {
      return valid(JSON.parse(localStorage.getItem(this.key))) ?? this.memory;
    } catch {
      return this.memory;
    }
  }

  save(kept) {
    this.memory = kept;
    try { localStorage.setItem(this.key, JSON.stringify(kept)); } catch { this.refused(kept); }
  }

  clear() {
    this.memory = null;
    try { localStorage.removeItem(this.key); } catch { this.refused(null); }
  }
}

/** Return the link that continues a visit elsewhere. Its fragment is never sent to a server. */
export const linkOf = (kept) =>
  `${location.origin}${location.pathname}#${new URLSearchParams({ v: kept.visit, t: kept.token, p: kept.place, j: String(kept.joined) })}`;

function read(fragment) {
  const words = new URLSearchParams(fragment);
  return valid({ visit: words.get("v"), token: words.get("t"), place: words.get("p") ?? "", joined: Number(words.get("j")) || Date.now() });
}

function valid(kept) {
  const fits = kept && /^[A-Za-z0-9_-]{8,32}$/.test(kept.visit) && /^psv_[\w:.-]{8,1000}$/.test(kept.token);
  return fits ? { visit: kept.visit, token: kept.token, place: String(kept.place).slice(0, 600), joined: Number(kept.joined) } : null;
}

const VISITOR_KEY = "poolsite:visitor";

/** Return this browser's own key, by which desks recognise a visitor; "" if the browser stores nothing. */
export function visitorKey() {
  try {
    const known = localStorage.getItem(VISITOR_KEY);
    if (/^[0-9a-f]{32}$/.test(known ?? "")) return known;
    const made = newId(16);
    localStorage.setItem(VISITOR_KEY, made);
    return made;
  } catch {
    return "";
  }
}

/** Call the API as this visitor, without cookies. Throws RequestFailed, with `kind`. */
export async function call(path, { kept = null, body = undefined, text = false } = {}) {
  const headers = { Accept: text ? "text/plain" : "application/json", "Accept-Language": document.documentElement.lang };
  if (kept) headers.Authorization = `Bearer ${kept.token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      credentials: "omit",
      signal: AbortSignal.timeout(15_000),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new RequestFailed(gettext("Can't reach the server"), gettext("Try again in a moment."), 0);
  }
  if (answer.ok) return text ? answer.text() : answer.json();
  const problem = await answer.json().catch(() => ({}));
  const failed = new RequestFailed(problem.title ?? gettext("Something went wrong"), problem.detail ?? gettext("Try again in a moment."), answer.status);
  failed.kind = problem.type ?? "";
  failed.problem = problem;
  throw failed;
}
