// What a visitor's page keeps of its visit, over reloads, tabs and devices; and the calls that it makes.
import { RequestFailed } from "../../shared/dom.js";
import { newId } from "../ids.js";
import { gettext } from "../../shared/words.js";

/** @typedef {{visit: string, token: string, place: string, joined: number}} Kept */

export class Store {
  constructor(slug) {
    this.key = `poolsite:visit:${slug}`;
    this.memory = null; // where the browser keeps nothing
    this.refused = () => {}; // told what the browser would not keep; null = forget it
  }

  /** What somebody else has kept for this page, unless the browser has it. */
  offer(kept) {
    this.memory ??= valid(kept);
  }

  /** The visit of this browser, or of the link that led here; null = none. */
  load() {
    const carried = read(location.hash.slice(1));
    if (carried) {
      history.replaceState(null, "", location.pathname + location.search); // the token leaves the address
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

/** The link that continues a visit elsewhere: what stands after # is never sent to a server. */
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

/** This browser's own key, by which desks know a visitor again; "" where the browser keeps nothing. */
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

/** Call the interface as this visitor, without cookies. Throws RequestFailed, with `kind`. */
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
