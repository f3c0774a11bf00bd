// Sets the theme before the first paint, so it is small and blocking on purpose. The admin shares the choice: it stores
// it under the same name, JSON-encoded. `data-js` shows that scripts run (js/shared/drawn.js).
(function () {
  "use strict";
  var root = document.documentElement;
  var key = "adminTheme";

  function chosen() {
    try {
      var value = JSON.parse(localStorage.getItem(key));
      return value === "light" || value === "dark" ? value : "auto";
    } catch (error) {
      return "auto";
    }
  }

  function apply() {
    var value = chosen();
    var fixed = root.getAttribute("data-theme-default");
    if (value !== "auto") root.setAttribute("data-theme", value);
    else if (fixed) root.setAttribute("data-theme", fixed);
    else root.removeAttribute("data-theme");
  }

  root.setAttribute("data-js", "");
  apply();
  window.poolsiteTheme = {
    choice: chosen,
    isDark: function () {
      var set = root.getAttribute("data-theme");
      return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    },
    choose: function (value) {
      try { localStorage.setItem(key, JSON.stringify(value)); } catch (error) { /* private window: this page only */ }
      if (value === "auto") apply(); else root.setAttribute("data-theme", value);
      root.dispatchEvent(new CustomEvent("themechange"));
    },
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
    root.dispatchEvent(new CustomEvent("themechange"));
  });
  addEventListener("storage", function (event) {
    if (event.key === key) { apply(); root.dispatchEvent(new CustomEvent("themechange")); }
  });
})();
