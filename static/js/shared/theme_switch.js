// The button that switches between light and dark. theme.js sets the theme before the first paint.
const button = document.querySelector("[data-theme-switch]");

for (const choice of document.querySelectorAll("[data-theme-choice]"))
  choice.addEventListener("click", () => window.poolsiteTheme.choose(choice.dataset.themeChoice));
if (button) {
  button.addEventListener("click", () => window.poolsiteTheme.choose(window.poolsiteTheme.isDark() ? "light" : "dark"));
  document.documentElement.addEventListener("themechange", show);
  show();
}

function show() {
  const dark = window.poolsiteTheme.isDark();
  button.querySelector(".icon").textContent = dark ? "light_mode" : "dark_mode";
  const label = dark ? button.dataset.labelLight : button.dataset.labelDark;
  button.setAttribute("aria-label", label);
  button.title = label;
}
