"""Refusals in front of Django: a problem for programs, a small page in the reader's language for
browsers. Neither session nor database is asked."""

import io
from collections.abc import Mapping
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.template.loader import render_to_string
from django.utils import translation
from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from poolsite.access.headers import header
from poolsite.api.problems import problem_response, status_of


def refusal(
    scope: Scope,
    kind: str,
    detail: str,
    *,
    headers: Mapping[str, str],
    context: Mapping[str, Any],
) -> Response:
    """A problem of this type and detail; for a browser the template named after its status.

    context: what the template shows, beside `back`, the address that was asked for.
    """
    kept = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **headers}
    if not _is_page(scope):
        return problem_response(kind, detail, headers=kept)
    status = status_of(kind)
    request = ASGIRequest(scope, io.BytesIO())
    with translation.override(translation.get_language_from_request(request)):
        shown = {"back": request.path, **context}
        return HTMLResponse(render_to_string(f"{status}.html", shown), status, kept)


def _is_page(scope: Scope) -> bool:
    """Whether somebody's browser wants to show the answer."""
    if scope["type"] != "http" or scope["path"].startswith("/api/"):
        return False
    return not header(scope, b"authorization") and "text/html" in header(scope, b"accept")
