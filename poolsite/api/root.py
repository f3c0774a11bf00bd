"""django-ninja's root: the routes behind Django, and the OpenAPI document of both lanes."""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as FieldsRefused
from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.renderers import BaseRenderer
from redis.exceptions import RedisError

from poolsite import access, hotpath
from poolsite.api.credentials import CredentialAuth
from poolsite.api.document import complete
from poolsite.api.idempotency import claiming, keeping
from poolsite.api.problems import (
    RefusedError,
    django_problem,
    kind_of_refusal,
    status_of,
    without_reply,
)
from poolsite.api.reading import MalformedError, TooDeepError, read_json
from poolsite.api.reference_access import accesses_of


class ProblemError(RefusedError):
    """An error that a view raises to answer with a problem."""


class StrictParser(Parser):
    """Reads JSON as the hot lane does: not too deeply nested, no repeated key, no NaN."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the body's JSON. ninja turns any error here into an HttpError with it as the
        cause.
        """
        return read_json(request.body)


class ExactRenderer(BaseRenderer):
    """Writes times with their microseconds and their zone, as every part of the API does.

    Django's encoder, which ninja uses, cuts them to milliseconds.
    """

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        return orjson.dumps(data, default=str)


class DocumentedAPI(NinjaAPI):
    """An API whose document also has the problem types and examples, which ninja doesn't know."""

    @property
    def urls(self) -> Any:
        """Return the URL configuration. The response for a wrong method is a problem, too."""
        patterns, app_name, namespace = super().urls
        for pattern in patterns:
            pattern.callback = _with_problem(pattern.callback)
        return patterns, app_name, namespace

    def get_openapi_schema(self, **options: Any) -> Any:
        """Return the document. It is made once: the routes don't change, and it takes a second."""
        return self._document

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the function's name, which is short and stays the same if the function moves."""
        return operation.view_func.__name__

    @cached_property
    def _document(self) -> Any:
        schema = super().get_openapi_schema()
        complete(schema, accesses_of(self))
        return schema


def _with_problem(view: Any) -> Callable[..., HttpResponse]:
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **values: Any) -> HttpResponse:
        response: HttpResponse = view(request, *args, **values)
        if response.status_code != status_of("method"):
            return response
        refused = django_problem("method")
        refused["Allow"] = response["Allow"]
        return refused

    return answered


api = DocumentedAPI(
    title="Poolsite",
    version="1",
    description=(
        "Number pools, the waiting line, gates, the dispatcher and billing. Errors are problem "
        "details (RFC 9457); use `type`, which is stable, to tell them apart. A write is safe to "
        "send again if it has an `Idempotency-Key`. Operations whose body has an ID of its own "
        "(events, holds, permits) ignore this header: the same ID takes effect once."
    ),
    docs_url=None,
    openapi_url=None,  # reference_views.py serves the document
    auth=CredentialAuth(),
    urls_namespace="api",
    parser=StrictParser(),
    renderer=ExactRenderer(),
)
# In ninja's terms, "operation" is an operation's function, "view" is what runs it.
api.add_decorator(claiming, mode="operation")
api.add_decorator(keeping, mode="view")


@api.exception_handler(RefusedError)
def _problem(request: HttpRequest, error: RefusedError) -> HttpResponse:
    return django_problem(error.kind, error.detail, **error.more)


@api.exception_handler(FieldsRefused)
def _bad_fields(request: HttpRequest, error: FieldsRefused) -> HttpResponse:
    is_of_state = getattr(error, "code", None) == "wrong-state"
    return django_problem("wrong-state" if is_of_state else "malformed", " ".join(error.messages))


@api.exception_handler(access.AccessRefused)
def _refused(request: HttpRequest, error: access.AccessRefused) -> HttpResponse:
    return django_problem(kind_of_refusal(error.decision))


@api.exception_handler(Http404)
def _missing(request: HttpRequest, error: Http404) -> HttpResponse:
    if isinstance(error, access.AccessRefused):
        return django_problem(kind_of_refusal(error.decision))
    return django_problem("not-found", str(error))


@api.exception_handler(PermissionDenied)
def _denied(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return django_problem("forbidden")


@api.exception_handler(ValidationError)
def _malformed(request: HttpRequest, error: ValidationError) -> HttpResponse:
    told = [
        f"{'.'.join(str(step) for step in item.get('loc', ()))}: {item.get('msg', '')}"
        for item in error.errors[:3]
    ]
    return django_problem("malformed", "; ".join(told)[:300])


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, TooDeepError):
        return django_problem("too-deep", str(error.__cause__))
    if isinstance(error.__cause__, MalformedError):
        return django_problem("malformed", str(error.__cause__))
    kinds = {401: "unauthenticated", 403: "forbidden", 404: "not-found", 429: "too-many-requests"}
    return django_problem(kinds.get(error.status_code, "malformed"), str(error))


def _unavailable(request: HttpRequest, error: Any) -> HttpResponse:
    return django_problem("unavailable", "nothing was changed")


def _unknown(request: HttpRequest, error: Any) -> HttpResponse:
    return django_problem(without_reply(request.method or ""), "sent to Redis, no reply came")


for _kind in (hotpath.Unavailable, RedisError, DatabaseError):
    api.add_exception_handler(_kind, _unavailable)
api.add_exception_handler(hotpath.UnknownOutcome, _unknown)
