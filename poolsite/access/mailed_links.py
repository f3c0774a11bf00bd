"""Mailed links have their secret behind the #, which a browser sends to no server.

So no access log, proxy or Referer ever contains it. The page that the link opens sends the secret
in a form, by its script or, without scripts, by the reader who pastes it. After that the session
stores it.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

JOIN_SECRET = "access_join_secret"  # noqa: S105  where the session stores an invitation's secret
LONGEST = 2_000  # of a pasted text: the whole link


def link_of(site: str, page: str, secret: str) -> str:
    """Return the link to mail: the address of the named page with the secret behind it."""
    return f"{site}{reverse(page)}#{secret}"


def page(request: HttpRequest) -> HttpResponse:
    """Render the page that a mailed link opens."""
    return render(request, "access/mailed_link.html")


def secret_of(request: HttpRequest) -> str:
    """Return the secret that the page's form sends, or ""."""
    given = request.POST.get("link", "")[:LONGEST].replace("\x00", "").strip()
    return given.rpartition("#")[2]
