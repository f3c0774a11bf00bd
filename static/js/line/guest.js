// A supervisor in a room: whispers to its agent, joins as a third person, takes the room over.
import { ask } from "../shared/dialog.js";
import { pageData, postJSON, setText } from "../shared/dom.js";
import { newId } from "./ids.js";
import { limitText } from "./text_limit.js";
import { toast, toastFailure } from "../shared/toast.js";
import { fill, gettext } from "../shared/words.js";

const page = pageData("guest-page");
const card = document.querySelector("[data-guest]");
const find = (name) => card.querySelector(`[data-guest-${name}]`);
const form = find("form");
const field = form.elements.text;
const fits = limitText(field);
const agent = page.agent || gettext("the agent");
let { joined } = page;
let to = "whisper";
let sending = null; // {id, text, verb} on its way: with the same ID, the server counts a second try as the same message

const post = (verb, body = {}) => postJSON(`/api/v1/desks/${page.desk}/visits/${page.visit}/${verb}`, body);

function show() {
  if (!joined) to = "whisper";
  for (const button of card.querySelectorAll("[data-guest-to]")) button.setAttribute("aria-pressed", String(button.dataset.guestTo === to));
  card.querySelector("[data-guest-to=whisper]").textContent = fill(gettext("Only to %(name)s"), { name: agent });
  card.querySelector("[data-guest-to=messages]").disabled = !joined;
  find("join").hidden = joined;
  find("leave").hidden = !joined;
  setText(find("send"), to === "whisper" ? fill(gettext("Whisper to %(name)s"), { name: agent }) : gettext("Send to both"));
  setText(find("hint"), joined ? gettext("You are in the room. The visitor and the agent see your name.") : gettext("The visitor and the agent can't see that you're listening."));
}

async function does(verb, body) {
  try {
    return await post(verb, body);
  } catch (error) {
    toastFailure(error);
    return null;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (!text || !fits()) return;
  const [verb, words] = [to, field.value];
  if (sending?.verb !== verb || sending.text !== text) sending = { id: newId(), text, verb };
  if (!(await does(verb, { id: sending.id, text }))) return; // keep the text in the field
  sending = null;
  if (field.value === words) field.value = "";
  field.focus();
});
for (const button of card.querySelectorAll("[data-guest-to]")) button.addEventListener("click", () => { to = button.dataset.guestTo; show(); field.focus(); });
for (const verb of ["join", "leave"]) find(verb).addEventListener("click", async () => {
  const answer = await does(verb);
  if (!answer) return;
  ({ joined } = answer);
  if (joined) to = "messages";
  show();
});
find("take")?.addEventListener("click", async () => {
  const visitor = page.visitor || gettext("the visitor");
  const answer = await ask({ title: fill(gettext("Take over the room with %(name)s?"), { name: visitor }), text: fill(gettext("%(agent)s leaves the room, and you continue the conversation."), { agent }), go: gettext("Take over"), reason: "required" });
  if (!answer || !(await does("take-over", answer))) return;
  toast({ title: fill(gettext("You took over the room with %(name)s"), { name: visitor }) });
  location.href = "/agent/";
});
show();
