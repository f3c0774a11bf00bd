"""`Idempotency-Key`: a write that is sent again with the same key runs once.

ninja runs an operation in three steps: it authenticates the request, reads the input, and calls the
view. `claiming` wraps the view, so nothing is stored for a request that was refused before.
`keeping` wraps all three steps: only there is the response made.

See docs/decisions/0055-idempotency-keys.md.
"""

import hashlib
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.http.response import HttpResponseBase

from poolsite import access, changes
from poolsite.access.models import IdempotentRequest
from poolsite.access.services import key_answered, key_claim, key_release
from poolsite.api.credentials import SAFE_METHODS
from poolsite.api.problems import RefusedError, django_problem, status_of

logger = logging.getLogger(__name__)
V = TypeVar("V", bound=Callable[..., Any])

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
KEY: Final = re.compile(r"[\x20-\x7e]{1,255}")
ANSWER_LIMIT_BYTES: Final = 64 * 1024
UNKNOWN: Final = (
    "The first request with this key may have changed something. Check its result before you "
    "use a new key."
)
_RUNNING: Final = "_idempotent_request"  # in the request's __dict__
_MARK: Final = "answer_is_secret"  # an attribute of a view


@dataclass
class _Running:
    """A request that holds its key, and what its view has changed so far."""

    row: IdempotentRequest
    is_secret: bool
    seen: changes.Seen = field(default_factory=changes.Seen)


def shows_secret(view: V) -> V:
    """Mark a view whose response shows a secret once, such as a new token: it is never stored."""
    setattr(view, _MARK, True)
    return view


def is_secret(view: Callable[..., Any]) -> bool:
    """Return whether a view is marked with `shows_secret`."""
    return getattr(view, _MARK, False)


def claiming(view: Callable[..., Any]) -> Callable[..., Any]:
    """Make a view run once for each key. A decorator for the functions of all operations."""

    @wraps(view)
    def run(request: HttpRequest, *args: Any, **values: Any) -> Any:
        key = request.headers.get(HEADER)
        principal = access.principal_of_request(request)
        if key is None or request.method in SAFE_METHODS or not principal.is_authenticated:
            return view(request, *args, **values)
        if not KEY.fullmatch(key):
            raise RefusedError("malformed", f"{HEADER}: use 1 to 255 printable ASCII characters")
        fingerprint = _fingerprint(request)
        credential = f"{principal.kind}:{principal.id}"
        row, is_first = key_claim(credential=credential, key=key, fingerprint=fingerprint)
        if not is_first:
            return _repeated(row, fingerprint)
        running = request.__dict__[_RUNNING] = _Running(row, is_secret(view))
        with changes.watching() as running.seen:
            return view(request, *args, **values)

    return run


def keeping(run: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Store an operation's response with its key. A decorator for ninja's way to run operations."""

    @wraps(run)
    def answered(request: HttpRequest, **values: Any) -> HttpResponseBase:
        try:
            response = run(request, **values)
        except Exception:  # Django answers it with 500, outside ninja
            _settle(request, django_problem("fault", UNKNOWN))
            raise
        return _settle(request, response)

    return answered


def _repeated(row: IdempotentRequest, fingerprint: str) -> HttpResponse:
    """Return the response to the first request. Raise RefusedError if there is none to return."""
    if row.fingerprint != fingerprint:
        raise RefusedError("idempotency-mismatch")
    if row.is_abandoned:
        raise RefusedError("unknown-outcome", UNKNOWN)
    if row.status is None:
        raise RefusedError("idempotency-running")
    if row.answer is None:
        raise RefusedError("idempotency-done")
    return HttpResponse(
        bytes(row.answer),
        status=row.status,
        content_type=row.content_type,
        headers={REPLAYED: "true"},
    )


def _settle(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Store the response of a request that holds a key, or release the key. Return the response.

    If it can't be stored, the key stays in use, and a repeat learns that the outcome is unknown.
    """
    running: _Running | None = request.__dict__.pop(_RUNNING, None)
    if running is None:
        return response
    refused = 400 <= response.status_code < 500
    unavailable = response.status_code == status_of("unavailable")
    try:
        if (refused or unavailable) and not running.seen.changed:
            key_release(request=running.row)
            return response
        if unavailable:  # it means that nothing was changed
            response = django_problem("unknown-outcome", UNKNOWN)
        key_answered(
            request=running.row,
            status=response.status_code,
            content_type=response.get("Content-Type", ""),
            answer=_kept(response, running),
        )
    except DatabaseError:
        logger.exception("An answer could not be kept with its %s", HEADER)
    return response


def _kept(response: HttpResponseBase, running: _Running) -> bytes | None:
    """Return the body, or None if it may not be stored."""
    if not isinstance(response, HttpResponse):
        return None
    shows = running.is_secret and response.status_code < 400
    if shows or "no-store" in response.get("Cache-Control", ""):
        return None
    return response.content if len(response.content) <= ANSWER_LIMIT_BYTES else None


def _fingerprint(request: HttpRequest) -> str:
    """Return the SHA-256 of the method, URL and body. For a form with files, use its contents."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    try:
        digest.update(request.body)
    except RequestDataTooBig:
        raise RefusedError("too-large") from None
    except RawPostDataException:  # it was read as a form
        for name, values in sorted(request.POST.lists()):
            digest.update(repr((name, values)).encode())
        for name, files in sorted(request.FILES.lists()):
            for file in files:
                digest.update(repr((name, file.name, file.size)).encode())
                for chunk in file.chunks():
                    digest.update(chunk)
                file.seek(0)
    return digest.hexdigest()
