// The pages opened last, stored in this browser for each user. Logging out deletes them.

const KEPT = 20;
const dialog = () => document.querySelector("[data-search]");
const place = () => `poolsite:recent:${dialog()?.dataset.reader ?? ""}`;
const text = (selector) => document.querySelector(selector)?.textContent.trim() ?? "";

/** Return the recent pages, latest first: {title, detail, url, icon, at}. */
export function recents() {
  try {
    const kept = JSON.parse(localStorage.getItem(place()) ?? "[]");
    return kept.filter((each) => typeof each.url === "string" && /^\/(?!\/)/.test(each.url));
  } catch {
    return [];
  }
}

export function remember({ title, detail = "", url, icon }) {
  const others = recents().filter((each) => each.url !== url);
  try {
    localStorage.setItem(place(), JSON.stringify([{ title, detail, url, icon, at: Date.now() }, ...others].slice(0, KEPT)));
  } catch { /* private window: nothing is stored */ }
}

/** Remember the current page if it shows a single object, which has breadcrumbs back to its list. */
function visited() {
  const crumbs = [...document.querySelectorAll(".crumbs a")];
  const title = text("h1");
  if (!crumbs.length || !title || document.querySelector(`.sidebar a.nav-item[href="${CSS.escape(location.pathname)}"]`)) return;
  const named = /[?&](id|session)=/.test(location.search) ? location.search : "";
  const icon = text(".sidebar a.nav-item[aria-current] .icon") || "description";
  remember({ title, detail: crumbs.at(-1).textContent.trim(), url: location.pathname + named, icon });
}

export function startRecents() {
  visited();
  document.querySelector("form[action*='logout']")?.addEventListener("submit", () => {
    try { localStorage.removeItem(place()); } catch { /* nothing was stored */ }
  });
}
