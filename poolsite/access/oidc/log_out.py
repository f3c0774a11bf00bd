"""Log-out at the provider, too (OpenID Connect RP-Initiated Logout), if it supports that."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from poolsite.access.lookup import SESSION_METHODS
from poolsite.access.mails import site_of
from poolsite.access.oidc import discovery


def signed_on(session: Mapping[str, Any]) -> bool:
    """Whether the user logged in to this session by the provider."""
    proofs = session.get(SESSION_METHODS) or ()
    return any(each.get("method") == "socialaccount" for each in proofs)


def end_session_url(request: HttpRequest) -> str:
    """Return where the reader ends the session at the provider, or "" if that is not known.

    This sends no request: a provider that is down must not delay a log-out. The ID token is not
    stored, so the provider asks the reader to confirm.
    """
    url = discovery.kept().get("end_session_endpoint", "") if settings.OIDC_ISSUER else ""
    if not isinstance(url, str) or not url:
        return ""
    back = site_of(request) + reverse("account_login")
    query = {"client_id": settings.OIDC_CLIENT_ID, "post_logout_redirect_uri": back}
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"
