// The button that changes between light and dark; theme.js has set the theme before paint.

export function startThemeSwitch() {
  document.querySelectorAll("[data-theme-choice]").forEach((choice) => choice.addEventListener("click", () => window.poolsiteTheme.choose(choice.dataset.themeChoice)));
  const button = document.querySelector("[data-theme-switch]");
  if (!button) return;
  const show = () => {
    const dark = window.poolsiteTheme.isDark();
    button.querySelector(".icon").textContent = dark ? "light_mode" : "dark_mode";
    const label = dark ? button.dataset.labelLight : button.dataset.labelDark;
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  button.addEventListener("click", () => window.poolsiteTheme.choose(window.poolsiteTheme.isDark() ? "light" : "dark"));
  document.documentElement.addEventListener("themechange", show);
  show();
}
