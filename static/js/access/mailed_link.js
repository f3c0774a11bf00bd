/* A mailed link's secret stands behind the #: it is handed over in the form, not in an address. */

const secret = window.location.hash.slice(1);
if (secret) {
  window.history.replaceState(null, "", window.location.pathname);
  document.getElementById("link").value = secret;
  document.getElementById("mailed-link").submit();
}
