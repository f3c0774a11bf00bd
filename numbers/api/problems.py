"""Errors as RFC 9457 problems: one place for their types, titles and statuses."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from starlette.responses import Response

MEDIA_TYPE: Final = "application/problem+json"

# type → (status, title). The types are part of the interface: docs/numbers-api.md.
PROBLEMS: Final[Mapping[str, tuple[int, str]]] = {
    "malformed": (422, "The request is malformed"),
    "too-large": (413, "The request is too large"),
    "media-type": (415, "The body is not JSON"),
    "not-found": (404, "There is nothing at this address"),
    "method": (405, "The method is not allowed here"),
    "unauthenticated": (401, "A live token is needed"),
    "forbidden": (403, "The token does not allow this"),
    "unknown-pool": (404, "There is no such pool"),
    "unknown-number": (404, "There is no such number"),
    "unknown-call": (404, "There is no such call"),
    "exhausted": (409, "No number is free"),
    "paused": (409, "The pool is paused"),
    "recovering": (409, "The pool is recovering"),
    "stale-incarnation": (409, "The switch has restarted since"),
    "conflict": (409, "The call id is used for another number"),
    "not-allowed": (409, "The number's state does not allow this"),
    "payment-required": (402, "The call is not paid"),
    "too-many-requests": (429, "Too many requests"),
    "unavailable": (503, "The pool cannot be reached"),
    "unknown-outcome": (504, "The outcome is unknown"),
}


def problem(kind: str, detail: str = "", **more: Any) -> dict[str, Any]:
    """The body of a problem."""
    status, title = PROBLEMS[kind]
    body: dict[str, Any] = {"type": kind, "title": title, "status": status}
    if detail:
        body["detail"] = detail
    body.update(more)
    return body


def problem_response(
    kind: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """The same as an answer, with what HTTP wants beside it."""
    body = problem(kind, detail, **more)
    all_headers = dict(headers or {})
    if kind == "unauthenticated":
        all_headers.setdefault("WWW-Authenticate", 'Bearer realm="poolsite"')
    if kind in ("unavailable", "too-many-requests"):
        all_headers.setdefault("Retry-After", "1")
    return Response(orjson.dumps(body), body["status"], all_headers, MEDIA_TYPE)
