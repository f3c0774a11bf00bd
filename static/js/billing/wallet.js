// One account as operators see it: live figures and movements, and the operators' actions.
import { subscribe } from "../../live.js";
import { applyWallet } from "../../live/wallet.js";
import { did } from "../shared/act.js";
import { ask } from "../shared/dialog.js";
import { pageData, postJSON } from "../shared/dom.js";
import { putFigures } from "../shared/figures.js";
import { putMoneys } from "./money.js";
import { drawAnew, isOutdated } from "../shared/outdated.js";
import { startLasts } from "./lasts.js";
import { toast, toastFailure } from "../shared/toast.js";
import { Lines } from "./wallet_lines.js";
import { fill, gettext } from "../shared/words.js";

const page = pageData("wallet-page");
const lines = new Lines(page);
const lasts = startLasts(document.querySelector("[data-lasts]"), page, () => {});
let state = null;
let busy = false;

subscribe(`billing.wallet:${page.slug}`, {
  snapshot(data) { state = data; show(); },
  change(data) { state = applyWallet(state, data); show(); },
});

function show() {
  if (!busy && isOutdated(state.status !== page.status || (state.credit_limit ?? page.credit_limit) !== page.credit_limit, show)) return;
  lines.show(state.lines);
  if (state.status === "missing") return;
  putMoneys(document, state, page.currency);
  putFigures(document, state);
  lasts.balance(state.spendable);
}

const on = (name, run) => document.querySelector(`[data-${name}]`)?.addEventListener("click", (event) => {
  if (page.confirm_url) location.assign(page.confirm_url);
  else run(event.currentTarget);
});
on("freeze", () => send(page.freeze_url, { title: fill(gettext("Freeze %(account)s?"), { account: page.name }), text: gettext("New messages are refused until you unfreeze the account. Open holds still settle, and top-ups are still credited."), go: gettext("Freeze account"), danger: true, reason: "required" }, gettext("Account frozen")));
on("unfreeze", () => send(page.unfreeze_url, { title: fill(gettext("Unfreeze %(account)s?"), { account: page.name }), text: gettext("New messages are accepted and charged again."), go: gettext("Unfreeze account"), reason: "required" }, gettext("Account unfrozen")));
on("rebuild", async () => {
  const answer = await ask({ title: fill(gettext("Rebuild %(account)s?"), { account: page.name }), text: gettext("Deletes the account's data in Redis and rebuilds it from the books. Holds wait for a few seconds; refunds are kept. You then see how long it took and whether anything differs."), go: gettext("Delete and rebuild"), danger: true, reason: "required" });
  if (!answer) return;
  busy = true;
  toast({ kind: "info", title: gettext("Rebuilding…"), detail: gettext("The account is in safe mode."), topic: "rebuild" });
  try {
    const done = await postJSON(page.rebuild_url, answer, 300);
    toast({ kind: done.same ? "ok" : "bad", title: done.title, detail: done.detail, topic: "rebuild" });
  } catch (error) { toastFailure(error); } finally { busy = false; }
});

async function send(url, question, title) {
  const answer = await ask(question);
  if (answer && (await did(url, answer, { title }))) drawAnew();
}
