// Chart.js (a static file of the admin theme) is two thirds of a page's scripts: fetched when a chart is about to be seen.
let loading = null;

/** The library from `url`, fetched once; rejects when it does not come, and can be asked again. */
export function chartLibrary(url) {
  if (globalThis.Chart) return Promise.resolve(globalThis.Chart);
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = url;
    script.addEventListener("load", () => done(globalThis.Chart));
    script.addEventListener("error", () => { loading = null; script.remove(); failed(new Error(url)); });
    document.head.append(script);
  });
  return loading;
}

/** Calls `act` once, when `element` is on the screen or almost. */
export function whenSeen(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  }, { rootMargin: "200px" });
  observer.observe(element);
}
