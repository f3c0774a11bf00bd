// What a page's modules fill ([data-undrawn]) is hidden until they have run: filled before one's eyes, it would push the rest of the page about.
function reveal() {
  for (const part of document.querySelectorAll("[data-undrawn]")) part.removeAttribute("data-undrawn");
}

// Two frames later: what moves in the frame in which it appears counts as a shift of the layout, too.
addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => requestAnimationFrame(reveal)));
