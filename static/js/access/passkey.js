// Shows in the page why a passkey can't be used. allauth's script does the rest.
const words = document.querySelector("[data-passkey-words]");
const buttons = document.querySelectorAll("[data-passkey]");
const isNumber = /^[\d.]+$|:/.test(location.hostname.replace(/[[\]]/g, ""));

const show = (text) => {
  words.hidden = false;
  words.querySelector(".notice__words").textContent = text;
};

// Browsers allow passkeys for domain names with HTTPS, and for localhost.
if (!window.PublicKeyCredential || isNumber) {
  for (const button of buttons) {
    button.hidden = true;
    if (button.dataset.passkey === "only") show(words.dataset.impossible); // otherwise the page offers another method
  }
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  show(words.dataset.refused);
});
