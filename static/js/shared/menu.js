// Menus (data-menu="ID of the menu"), and the drawer that contains the sidebar on a phone.
import { closed, opened } from "./popup.js";

export function startMenus() {
  let open = null;
  const close = (focus) => {
    if (!open) return;
    open.menu.hidden = true;
    open.button.setAttribute("aria-expanded", "false");
    if (focus) open.button.focus();
    open = null;
    closed(shut);
  };
  const shut = () => close(false);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-menu]");
    if (button) {
      const menu = document.getElementById(button.dataset.menu);
      const again = open?.menu === menu;
      close(false);
      if (again || !menu) return;
      menu.hidden = false;
      button.setAttribute("aria-expanded", "true");
      open = { menu, button };
      opened(shut);
      menu.querySelector("a, button")?.focus();
      return;
    }
    if (open && (!open.menu.contains(event.target) || event.target.closest(".menu__item"))) close(false);
  });
  document.addEventListener("keydown", (event) => {
    if (!open) return;
    if (event.key === "Escape") { event.stopPropagation(); close(true); }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...open.menu.querySelectorAll("a, button")];
    const step = event.key === "ArrowDown" ? 1 : -1;
    items.at((items.indexOf(document.activeElement) + step) % items.length)?.focus();
    event.preventDefault();
  });
}

export function startDrawer() {
  const drawer = document.querySelector("[data-drawer]");
  const veil = document.querySelector("[data-drawer-close]");
  const burger = document.querySelector("[data-drawer-open]");
  if (!drawer || !burger) return;
  const set = (open) => {
    drawer.toggleAttribute("data-open", open);
    veil.hidden = !open;
    burger.setAttribute("aria-expanded", String(open));
    if (open) drawer.querySelector("a")?.focus();
    else if (drawer.contains(document.activeElement)) burger.focus();
  };
  burger.addEventListener("click", () => set(true));
  veil.addEventListener("click", () => set(false));
  drawer.addEventListener("keydown", (event) => {
    if (event.key === "Escape") set(false);
  });
}

/** Scroll a long sidebar to the current page's entry. Sections stay open or folded as the user left them. */
export function startNavigation() {
  document.querySelectorAll("[data-nav-group]").forEach((group) => group.addEventListener("toggle", () => keep(group)));
  document.querySelector(".sidebar__nav [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Store the open sections in a cookie. The server renders them open, so that nothing moves after the first paint. */
function keep(group) {
  const kept = new Set((/(?:^|; )nav=([\w.]*)/.exec(document.cookie)?.[1] ?? "").split(".").filter(Boolean));
  const name = group.dataset.navGroup;
  if (!group.open) kept.delete(name);
  else if (!("here" in group.dataset)) kept.add(name);
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `nav=${[...kept].join(".")}; path=/; max-age=31536000; samesite=lax${secure}`;
}

/** Show only icons in the sidebar: on medium widths, and always on pages that ask for it. */
export function startRail() {
  const shell = document.querySelector("[data-shell]");
  if (!shell || shell.classList.contains("shell--rail")) return;
  const middle = matchMedia("(min-width: 768px) and (max-width: 1439.98px)");
  const set = () => shell.classList.toggle("shell--rail", middle.matches);
  middle.addEventListener("change", set);
  set();
}
