// Every holder of a gate: the buttons that free a slot.
import { askToFree } from "./free.js";

for (const button of document.querySelectorAll("[data-free]"))
  button.addEventListener("click", () => askToFree(button.dataset.free, button.dataset.token, button.dataset.name));
