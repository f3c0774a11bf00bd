// The settings of a desk's chat widget: a preview while typing, snippets to copy, and the chat itself to try out.
import { copyField } from "../shared/dom.js";
import { fill, gettext } from "../shared/words.js";

const NEEDED = 4.5; // as in queueing/line/origins.py, which decides
const form = document.querySelector("[data-widget-form]");
const look = document.querySelector("[data-look]");
const hint = document.querySelector("[data-look-contrast]");

/** The contrast of white text on #rrggbb, by WCAG 2. */
function contrast(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
}

function show() {
  const { colour, side, greeting } = form.elements;
  look.style.setProperty("--brand", colour.value);
  look.dataset.side = side.value;
  look.querySelector("[data-look-greeting]").textContent = greeting.value.trim() || gettext("The queue's welcome text");
  const found = contrast(colour.value);
  const words = found < NEEDED ? gettext("Contrast with white text is %(found)s:1, which is too low. Choose a darker color.") : gettext("Contrast with white text: %(found)s:1");
  hint.textContent = fill(words, { found: (Math.floor(found * 10) / 10).toFixed(1) });
  hint.classList.toggle("field__error", found < NEEDED);
}

const queue = document.querySelector("[data-snippet-queue]"); // null if the desk has no queue yet
const field = document.querySelector("[data-snippet]");

function showSnippet() {
  if (field) field.value = `<script src="${field.dataset.snippet}${queue.value}" async></script>`;
}

/** Open the real chat, with its saved settings, on this page. */
function tryIt() {
  document.querySelectorAll("poolsite-widget").forEach((each) => each.remove());
  const script = document.createElement("script");
  script.src = `${queue.value}?try=${Date.now()}`; // bypasses the cache: the settings may just have been saved
  document.head.append(script);
}

form.addEventListener("input", show);
queue?.addEventListener("change", showSnippet);
document.querySelector("[data-copy]")?.addEventListener("click", (event) => copyField(field, event.currentTarget, gettext("Copied")));
document.querySelector("[data-try]")?.addEventListener("click", tryIt);
show();
showSnippet();
