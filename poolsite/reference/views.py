"""The API reference: an introduction with a list of all operations, and a page for each group.

The OpenAPI document is public, so the reference is public, too.
"""

from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import etag, require_safe

from poolsite.access.mails import site_of
from poolsite.api.problems import problem_types
from poolsite.api.reference_access import accesses_of
from poolsite.api.root import api
from poolsite.console.error_pages import not_found
from poolsite.console.pages import principal_of
from poolsite.console.palette import Offer, register_offer
from poolsite.reference.document import BASE, OperationGroup, groups_of

KEPT_PIECES = 64  # pages × languages × hosts


@cache
def groups() -> tuple[OperationGroup, ...]:
    """Return the reference of this process, built at its first use."""
    return groups_of(api.get_openapi_schema(), accesses_of(api))


@cache
def _document() -> tuple[bytes, str]:
    """Return the OpenAPI document as it is sent, and its ETag, built at its first use."""
    text = orjson.dumps(api.get_openapi_schema(), default=str)
    return text, f'"{sha256(text).hexdigest()[:32]}"'


@require_safe
@etag(lambda request: _document()[1])
def document(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI document, or 304 if the client already has this version."""
    return HttpResponse(_document()[0], content_type="application/json")


@require_safe
def introduction(request: HttpRequest) -> HttpResponse:
    """Show how the API is used, all operations, and all problem types."""
    return _page(request, "", {"group": None})


@require_safe
def group_page(request: HttpRequest, tag: str) -> HttpResponseBase:
    """Show the operations of one tag, or the page for missing pages."""
    group = next((each for each in groups() if each.tag == tag), None)
    if group is None:
        return not_found(request, Http404(tag))
    return _page(request, tag, {"group": group})


@require_safe
def without_slash(request: HttpRequest, tag: str = "") -> HttpResponseBase:
    """Redirect to the same address without a slash."""
    return HttpResponsePermanentRedirect(_address(tag))


def _page(request: HttpRequest, tag: str, shown: dict[str, Any]) -> HttpResponse:
    reader = principal_of(request)
    logged_in = reader.kind == "user" and reader.is_authenticated
    body = _body(tag, str(get_language()), site_of(request))
    layout = "base.html" if logged_in else "bare.html"
    return render(request, "api/reference.html", {**shown, "layout": layout, "body": body})


@lru_cache(maxsize=KEPT_PIECES)
def _body(tag: str, language: str, base: str) -> str:
    """Return the body of the page, the same for every reader of a language."""
    group = next((each for each in groups() if each.tag == tag), None)
    shown = {
        "group": group,
        "groups": groups(),
        "base": base,
        "problems": problem_types(),
        "language": language,
    }
    name = "api/reference_group.html" if group else "api/reference_introduction.html"
    return render_to_string(name, shown).replace(BASE, escape(base))


def _address(tag: str) -> str:
    return reverse("api_reference_group", args=[tag]) if tag else reverse("api_reference")


register_offer(
    Offer(
        "api.reference",
        _("API reference"),
        "api_reference",
        "api",
        group="pages",
        words=_("API documentation"),
    )
)

urlpatterns = [
    path("api/v1/openapi.json", document, name="api_document"),
    path("api/v1/docs", introduction, name="api_reference"),
    path("api/v1/docs/", without_slash),
    path("api/v1/docs/<slug:tag>", group_page, name="api_reference_group"),
    path("api/v1/docs/<slug:tag>/", without_slash),
]
