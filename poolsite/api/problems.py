"""Errors as RFC 9457 problems: one place for their types, titles and statuses."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from pydantic import BaseModel
from starlette.responses import Response

from poolsite.access.actions import Decision

MEDIA_TYPE: Final = "application/problem+json"

# type → (status, title). The types are part of the interface.
_PROBLEMS: dict[str, tuple[int, str]] = {
    "malformed": (422, "The request is malformed"),
    "too-large": (413, "The request is too large"),
    "media-type": (415, "The body is not JSON"),
    "not-found": (404, "Not found"),
    "method": (405, "The method is not allowed"),
    "unauthenticated": (401, "A valid token is required"),
    "forbidden": (403, "The token does not allow this"),
    "second-factor": (403, "Two-factor authentication is required"),
    "network": (403, "The token may not be used from this address"),
    "too-many-requests": (429, "Too many requests"),
    "rate-limited": (429, "The rate limit is reached"),
    "too-deep": (400, "The JSON is nested too deeply"),
    "unavailable": (503, "The service is unavailable"),
    "unknown-outcome": (504, "The outcome is unknown"),
    "fault": (500, "Internal server error"),
}


class Problem(BaseModel):
    """Problem details (RFC 9457). `reason`: the reason code, if a script refused the request."""

    type: str
    title: str
    status: int
    detail: str = ""
    reason: str | None = None


# What routes may answer beside what they were asked for, by status, for the OpenAPI document.
READ_ERRORS: dict[int, Any] = dict.fromkeys((401, 403, 404, 422, 503), Problem)
WRITE_ERRORS: dict[int, Any] = {**READ_ERRORS, **dict.fromkeys((409, 413, 415, 504), Problem)}


def declare(kind: str, status: int, title: str) -> None:
    """Add a type of an app's own; ValueError when it means something else already."""
    if _PROBLEMS.setdefault(kind, (status, title)) != (status, title):
        raise ValueError(f"problem type {kind!r} is declared otherwise")


def declare_all(types: Mapping[str, tuple[int, str]]) -> None:
    """Add an app's types, type → (status, title); called by its AppConfig.ready()."""
    for kind, (status, title) in types.items():
        declare(kind, status, title)


class RefusedError(Exception):
    """What was asked is refused and nothing was changed: base of each app's own error.

    `kind` is a problem type, `detail` one sentence for a person; `more` joins the problem's body.
    """

    def __init__(self, kind: str, detail: str = "", **more: Any) -> None:
        super().__init__(detail or kind)
        self.kind = kind
        self.detail = detail
        self.more = more


def problem_types() -> list[tuple[int, str, str]]:
    """All types as (status, type, title), by status."""
    return sorted((status, kind, title) for kind, (status, title) in _PROBLEMS.items())


def certain_types(status: int) -> tuple[str, ...]:
    """The type of a status that has only one."""
    found = [kind for kind, (at, _title) in _PROBLEMS.items() if at == status]
    return tuple(found) if len(found) == 1 else ()


def status_of(kind: str) -> int:
    """The HTTP status of a type."""
    return _PROBLEMS[kind][0]


def problem(kind: str, detail: str = "", **more: Any) -> dict[str, Any]:
    """The body of a problem."""
    status, title = _PROBLEMS[kind]
    body: dict[str, Any] = {"type": kind, "title": title, "status": status}
    if detail:
        body["detail"] = detail
    body.update(more)
    return body


def problem_headers(kind: str) -> dict[str, str]:
    """What HTTP wants beside the body."""
    if kind == "unauthenticated":
        return {"WWW-Authenticate": 'Bearer realm="poolsite"'}
    if kind in ("unavailable", "too-many-requests"):
        return {"Retry-After": "1"}
    return {}


def problem_response(
    kind: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """The same as the hot lane's answer."""
    body = problem(kind, detail, **more)
    return Response(
        orjson.dumps(body), body["status"], {**problem_headers(kind), **(headers or {})}, MEDIA_TYPE
    )


def kind_of_refusal(decision: Decision, hidden: str = "not-found") -> str:
    """The problem type of a refusal; `hidden` is how a missing thing of that kind is called."""
    return {
        Decision.LOGIN: "unauthenticated",
        Decision.FACTOR: "second-factor",
        Decision.HIDDEN: hidden,
    }.get(decision, "forbidden")
