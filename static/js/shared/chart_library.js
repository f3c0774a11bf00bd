// Chart.js (from the admin theme) is two thirds of a page's scripts, so it loads when a chart is about to be seen.
let loading = null;

/** Load the library from `url` once. Rejects if loading fails; then another call tries again. */
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

/** Call `act` once, when `element` is on the screen or close to it. */
export function whenSeen(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  }, { rootMargin: "200px" });
  observer.observe(element);
}
