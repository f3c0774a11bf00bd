"""Refusals in front of Django: a problem for programs, a small page in the reader's language for
browsers. They use neither the session nor the database.
"""

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
    """Return a problem of this type and detail. For a browser, use the template of its status.

    context: the variables of the template, apart from `back`, the requested path.
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
    """Return whether a browser wants to show the response as a page."""
    if scope["type"] != "http" or scope["path"].startswith("/api/"):
        return False
    return not header(scope, b"authorization") and "text/html" in header(scope, b"accept")
