// Texts that the user typed and the server does not have yet: stored in this tab, over reloads and outages.

const keyOf = (what, visit) => `poolsite:${what}:${visit}`;

/** Store a visit's "draft" (a text), "unsent" messages (in order) and the like; an empty value is removed. */
export function keep(what, visit, value) {
  try {
    if (value.length) sessionStorage.setItem(keyOf(what, visit), JSON.stringify(value));
    else sessionStorage.removeItem(keyOf(what, visit));
  } catch { /* this page only */ }
}

/** Return what was stored for a visit, or `none`. */
export function kept(what, visit, none) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(what, visit))) ?? none;
  } catch {
    return none;
  }
}
