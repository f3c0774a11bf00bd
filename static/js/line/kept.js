// What somebody has typed and the server does not have yet: kept by this tab, over reloads and outages.

const keyOf = (what, visit) => `poolsite:${what}:${visit}`;

/** Keep "draft" (a text) or "unsent" (messages in order) of a visit; what is empty is forgotten. */
export function keep(what, visit, value) {
  try {
    if (value.length) sessionStorage.setItem(keyOf(what, visit), JSON.stringify(value));
    else sessionStorage.removeItem(keyOf(what, visit));
  } catch { /* this page only */ }
}

/** What was kept of a visit; `none` where nothing was. */
export function kept(what, visit, none) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(what, visit))) ?? none;
  } catch {
    return none;
  }
}
