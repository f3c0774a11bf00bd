"""Errors as RFC 9457 problems: one place for their types, titles and statuses."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from django.http import HttpResponse
from pydantic import BaseModel
from starlette.responses import Response

from poolsite.access import Decision

MEDIA_TYPE: Final = "application/problem+json"

# type → (status, title, when it is returned). The types are part of the interface.
_PROBLEMS: dict[str, tuple[int, str, str]] = {
    "malformed": (422, "The request is malformed", "A parameter or field is missing or invalid."),
    "too-large": (413, "The request is too large", "The body is over the operation's limit."),
    "media-type": (415, "The body is not JSON", "`Content-Type` is something other than JSON."),
    "not-found": (404, "Not found", "The object doesn't exist, or the token has no access to it."),
    "method": (405, "The method is not allowed", "The path doesn't have this method."),
    "unauthenticated": (
        *(401, "A valid token is required"),
        "The token is missing, invalid, expired or revoked.",
    ),
    "forbidden": (403, "The token does not allow this", "The token lacks a permission."),
    "second-factor": (
        *(403, "Two-factor authentication is required"),
        "The login needs a recent second factor.",
    ),
    "network": (
        *(403, "The token may not be used from this address"),
        "The token is limited to other networks.",
    ),
    "wrong-state": (
        *(409, "The state does not allow this"),
        "The object's state doesn't allow this. Nothing was changed.",
    ),
    "idempotency-running": (
        *(409, "The first request is still running"),
        "A request with this `Idempotency-Key` is still running. Repeat it in a moment.",
    ),
    "idempotency-done": (
        *(409, "The request was already carried out"),
        "A request with this `Idempotency-Key` succeeded. Its response isn't stored, because it "
        "contains a secret that is shown only once, or is too long.",
    ),
    "idempotency-mismatch": (
        *(422, "The key belongs to another request"),
        "This `Idempotency-Key` was used with another method, path, query or body.",
    ),
    "too-many-requests": (
        *(429, "Too many requests"),
        "The operation's own limit was reached. Wait before the next request.",
    ),
    "rate-limited": (
        *(429, "The rate limit is reached"),
        "Too many requests. Wait for the seconds in `Retry-After`.",
    ),
    "too-deep": (400, "The JSON is nested too deeply", "The JSON has more than 32 levels."),
    "unavailable": (
        *(503, "The service is unavailable"),
        "A database doesn't respond, or data is being rebuilt. Try again in a moment.",
    ),
    "unknown-outcome": (
        *(504, "The outcome is unknown"),
        "The change was sent, but no reply came. Send the same request again. With an "
        "`Idempotency-Key`, check the result first, then use a new key.",
    ),
    "fault": (500, "Internal server error", "An unexpected error, which was logged."),
}
# The types that an operation returns because of its form: always, with a credential, with input,
# for a change, with an Idempotency-Key.
ALWAYS: Final = ("unauthenticated", "network", "rate-limited", "unavailable", "fault")
CREDENTIAL: Final = ("forbidden",)
INPUT: Final = ("malformed",)
BODY: Final = ("malformed", "too-large")
JSON_BODY: Final = (*BODY, "too-deep")
CHANGE: Final = ("unknown-outcome",)
KEYED: Final = ("idempotency-running", "idempotency-done", "idempotency-mismatch")
COMMON: Final = frozenset((*ALWAYS, *CREDENTIAL, *JSON_BODY, *CHANGE, *KEYED, "media-type"))
# "POST pools/{slug}/events" → its additional types.
_OWN: dict[str, tuple[str, ...]] = {}


class Problem(BaseModel):
    """Problem details (RFC 9457). `reason`: the reason code, if a script refused the request."""

    type: str
    title: str
    status: int
    detail: str = ""
    reason: str | None = None


def without_reply(method: str) -> str:
    """Return the type for a request whose command was sent to Redis and got no reply.

    A read changes nothing in any case, so only the outcome of a change is unknown.
    """
    return "unavailable" if method in ("GET", "HEAD") else "unknown-outcome"


def declare(kind: str, *meaning: *tuple[int, str, str]) -> None:
    """Add a type of an app. Raise ValueError if the type has another meaning already."""
    if _PROBLEMS.setdefault(kind, meaning) != meaning:
        raise ValueError(f"problem type {kind!r} is declared otherwise")


def declare_all(
    types: Mapping[str, tuple[int, str, str]], operations: Mapping[str, str] | None = None
) -> None:
    """Add an app's types: type → (status, title, when). Call this in its AppConfig.ready().

    operations: method and path → the types that the operation returns in addition to those of its
    form.
    """
    for kind, meaning in types.items():
        declare(kind, *meaning)
    _OWN.update({name: tuple(kinds.split()) for name, kinds in (operations or {}).items()})


class RefusedError(Exception):
    """A refused request that changed nothing. Base of each app's own error.

    `kind` is a problem type, `detail` one sentence for a person. `more` is added to the problem's
    body.
    """

    def __init__(self, kind: str, detail: str = "", **more: Any) -> None:
        super().__init__(detail or kind)
        self.kind = kind
        self.detail = detail
        self.more = more


def problem_types() -> list[tuple[int, str, str]]:
    """Return all types as (status, type, when), by status."""
    return sorted((status, kind, when) for kind, (status, _title, when) in _PROBLEMS.items())


def own_types(operation: str) -> tuple[str, ...]:
    """Return the types of an operation (`GET pools/{slug}`) in addition to those of its form."""
    return _OWN.get(operation, ())


def operations_with_types() -> frozenset[str]:
    """Return all operations for which an app has declared types."""
    return frozenset(_OWN)


def status_of(kind: str) -> int:
    """Return the HTTP status of a type."""
    return _PROBLEMS[kind][0]


def problem(kind: str, detail: str = "", **more: Any) -> dict[str, Any]:
    """Return the body of a problem."""
    status, title, _when = _PROBLEMS[kind]
    body: dict[str, Any] = {"type": kind, "title": title, "status": status}
    if detail:
        body["detail"] = detail
    body.update(more)
    return body


def problem_headers(kind: str) -> dict[str, str]:
    """Return the HTTP headers that belong to a problem."""
    if kind == "unauthenticated":
        return {"WWW-Authenticate": 'Bearer realm="poolsite"'}
    if kind in ("unavailable", "too-many-requests", "idempotency-running"):
        return {"Retry-After": "1"}
    return {}


def django_problem(kind: str, detail: str = "", **more: Any) -> HttpResponse:
    """Return a problem as Django's response."""
    body = problem(kind, detail, **more)
    return HttpResponse(
        orjson.dumps(body),
        status=body["status"],
        content_type=MEDIA_TYPE,
        headers=problem_headers(kind),
    )


def problem_response(
    kind: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """Return a problem as the hot lane's response."""
    body = problem(kind, detail, **more)
    return Response(
        orjson.dumps(body), body["status"], {**problem_headers(kind), **(headers or {})}, MEDIA_TYPE
    )


def kind_of_refusal(decision: Decision, hidden: str = "not-found") -> str:
    """Return the problem type of a refusal. `hidden` is the type for a missing object."""
    return {
        Decision.LOGIN: "unauthenticated",
        Decision.FACTOR: "second-factor",
        Decision.HIDDEN: hidden,
    }.get(decision, "forbidden")
