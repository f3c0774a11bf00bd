// Closing a flagged report: accept the loss, or request a manual charge that another operator approves.
import { did } from "../shared/act.js";
import { ask } from "../shared/dialog.js";
import { exact } from "./money.js";
import { fill, gettext } from "../shared/words.js";

const dialog = document.querySelector("[data-charge-dialog]");
const find = (name) => dialog.querySelector(`[data-charge-${name}]`);
let charging = null;

document.addEventListener("click", async (event) => {
  const accept = event.target.closest("[data-accept]");
  const charge = event.target.closest("[data-charge]");
  if (accept) await acceptLoss(accept);
  if (charge) openCharge(charge);
});

async function acceptLoss(button) {
  const answer = await ask({ title: gettext("Accept this loss?"), text: fill(gettext("The report on %(message)s is closed and no one is charged."), { message: button.dataset.message }), go: gettext("Accept loss"), reason: "required" });
  if (answer) await send(button.dataset.accept, answer);
}

function openCharge(button) {
  charging = { url: button.dataset.charge, token: crypto.randomUUID() };
  find("text").textContent = fill(gettext("The customer is charged for %(message)s afterwards. What the balance doesn't cover becomes an amount owed."), { message: button.dataset.message });
  find("amount").value = exact(Math.max(0, Number(button.dataset.difference))).replaceAll(",", "");
  find("reason").value = "";
  find("error").hidden = true;
  dialog.showModal();
  find("reason").focus();
}

dialog.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [amount, reason] = [find("amount").value.trim(), find("reason").value.trim()];
  const fault = !amount ? gettext("Enter an amount.") : !reason ? gettext("Enter a short reason.") : "";
  find("error").hidden = !fault;
  find("error").lastElementChild.textContent = fault;
  if (fault) return;
  if (!(await send(charging.url, { amount, reason, token: charging.token }))) return;
  dialog.close();
  document.activeElement?.blur();
  document.dispatchEvent(new Event("refresh"));
});

async function send(url, data) {
  if (!(await did(url, data))) return false;
  document.activeElement?.blur(); // otherwise the focused row would not be refreshed
  document.dispatchEvent(new Event("refresh"));
  return true;
}
