"""Links that are mailed carry their secret behind the #, which a browser sends to no server.

So no access log, proxy or Referer ever holds it. The page that the link opens hands it over in
a form, by its script or, without scripts, by the reader who pastes it; from then on the session
keeps it.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

JOIN_SECRET = "access_join_secret"  # noqa: S105  where the session keeps an invitation's secret
LONGEST = 2_000  # of what may be pasted: the whole link


def link_of(site: str, page: str, secret: str) -> str:
    """The address to mail: of the page by its name, with the secret behind it."""
    return f"{site}{reverse(page)}#{secret}"


def page(request: HttpRequest) -> HttpResponse:
    """The page that a mailed link opens."""
    return render(request, "access/mailed_link.html")


def secret_of(request: HttpRequest) -> str:
    """The secret that the page's form hands over; "" when it does not."""
    given = request.POST.get("link", "")[:LONGEST].replace("\x00", "").strip()
    return given.rpartition("#")[2]
