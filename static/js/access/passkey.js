// Says in the page why a passkey cannot be used; the rest is allauth's script.
const words = document.querySelector("[data-passkey-words]");
const buttons = document.querySelectorAll("[data-passkey]");
const isNumber = /^[\d.]+$|:/.test(location.hostname.replace(/[[\]]/g, ""));

const show = (text) => {
  words.hidden = false;
  words.querySelector(".notice__words").textContent = text;
};

// Browsers offer passkeys to names on HTTPS, and to localhost.
if (!window.PublicKeyCredential || isNumber) {
  for (const button of buttons) {
    button.hidden = true;
    if (button.dataset.passkey === "only") show(words.dataset.impossible); // else another way is on the page
  }
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  show(words.dataset.refused);
});
