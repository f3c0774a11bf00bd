// A visit on another device: by its link, or by a short code that is typed there.
import { once } from "../../shared/act.js";
import { copyField } from "../../shared/dom.js";
import { call, linkOf } from "./store.js";
import { tellError } from "./forms.js";
import { clockOf, fill, gettext } from "../../shared/words.js";

const find = (name) => document.querySelector(`[data-${name}]`);
let ends = 0;
let ticking = 0;

/** Start the dialog "Your place is held". @param {() => any} kept the visit */
export function startHolding(kept) {
  find("hold").addEventListener("click", () => {
    find("hold-link").value = linkOf(kept());
    document.getElementById("hold").showModal();
  });
  find("copy").addEventListener("click", (event) => copyField(find("hold-link"), event.currentTarget, gettext("Copied")));
  find("code-ask").addEventListener("click", () => ask(kept()));
}

async function ask(kept) {
  try {
    const { code, seconds } = await call(`visits/${kept.visit}/code`, { kept, body: {} });
    find("code").textContent = `${code.slice(0, 4)}-${code.slice(4)}`;
    find("code").hidden = find("code-left").hidden = false;
    find("code-ask").hidden = true;
    ends = Date.now() + 1000 * seconds;
    clearInterval(ticking);
    ticking = setInterval(tick, 1000);
    tick();
  } catch (failed) {
    find("code-left").hidden = false;
    find("code-left").textContent = failed.detail || failed.title;
  }
}

function tick() {
  const left = (ends - Date.now()) / 1000;
  if (left > 0) {
    find("code-left").textContent = fill(gettext("Valid for %(time)s"), { time: clockOf(left) });
    return;
  }
  clearInterval(ticking);
  find("code").hidden = true;
  find("code-ask").hidden = false;
  find("code-left").textContent = gettext("This code has expired. Request a new one.");
}

/** Start "I have a code" next to the join form. @param {(visit: any) => void} resumed called with the visit found */
export function startCodes(slug, resumed) {
  const form = find("code-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = form.elements.code.value.trim();
    if (!code) return form.elements.code.focus();
    once(form, async () => {
      try {
        resumed(await call(`queues/${slug}/resume`, { body: { code } }));
      } catch (failed) {
        tellError(form, failed.detail || failed.title);
        form.elements.code.focus();
      }
    });
  });
}
