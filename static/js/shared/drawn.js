// Parts that a page's modules fill ([data-undrawn]) stay hidden until the modules have run. Filled in view, they would
// shift the rest of the page.
function reveal() {
  for (const part of document.querySelectorAll("[data-undrawn]")) part.removeAttribute("data-undrawn");
}

// Wait two frames: what moves in the frame in which it appears counts as a layout shift, too.
addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => requestAnimationFrame(reveal)));
