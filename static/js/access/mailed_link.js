/* The secret of an emailed link is in the URL's fragment. The form sends it, so no request's URL contains it. */

const secret = window.location.hash.slice(1);
if (secret) {
  window.history.replaceState(null, "", window.location.pathname);
  document.getElementById("link").value = secret;
  document.getElementById("mailed-link").submit();
}
