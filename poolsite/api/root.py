"""django-ninja's root: the routes behind Django, and the OpenAPI document of both lanes."""

from functools import cached_property
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as FieldsRefused
from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser
from redis.exceptions import RedisError

from poolsite import access, hotpath
from poolsite.api.credentials import CredentialAuth
from poolsite.api.document import complete
from poolsite.api.problems import (
    MEDIA_TYPE,
    RefusedError,
    kind_of_refusal,
    problem,
    problem_headers,
    without_reply,
)
from poolsite.api.reading import TOO_DEEP, TooDeepError, check_depth
from poolsite.api.reference_access import accesses_of
from poolsite.operations.error_pages import not_found


class ProblemError(RefusedError):
    """Raised by a view to answer with a problem."""


def django_problem(kind: str, detail: str = "", **more: Any) -> HttpResponse:
    """A problem as Django's answer."""
    body = problem(kind, detail, **more)
    return HttpResponse(
        orjson.dumps(body),
        status=body["status"],
        content_type=MEDIA_TYPE,
        headers=problem_headers(kind),
    )


def nothing_there(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Django's 404: a problem below /api/, also where no route fits; a page elsewhere."""
    if request.path.startswith("/api/"):
        return django_problem("not-found")
    return not_found(request, exception)


class BoundedParser(Parser):
    """ninja's parser, which refuses JSON that is nested too deep."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The body's JSON. ninja makes an HttpError of whatever this raises, with it as cause."""
        try:
            raw = super().parse_body(request)
        except RecursionError:
            raise TooDeepError(TOO_DEEP) from None
        check_depth(raw)
        return raw


class DocumentedAPI(NinjaAPI):
    """Its document has the problem types and examples, too, of which ninja knows nothing."""

    def get_openapi_schema(self, **options: Any) -> Any:
        """The document, made once: the routes stay what they are, and making it takes a second."""
        return self._document

    @cached_property
    def _document(self) -> Any:
        schema = super().get_openapi_schema()
        complete(schema, accesses_of(self))
        return schema


api = DocumentedAPI(
    title="Poolsite",
    version="1",
    description=(
        "Number pools, the waiting line, gates, the dispatcher and billing. Errors are problem "
        "details (RFC 9457); use `type`, which is stable, to tell them apart."
    ),
    docs_url=None,
    auth=CredentialAuth(),
    urls_namespace="api",
    parser=BoundedParser(),
)


@api.exception_handler(RefusedError)
def _problem(request: HttpRequest, error: RefusedError) -> HttpResponse:
    return django_problem(error.kind, error.detail, **error.more)


@api.exception_handler(FieldsRefused)
def _bad_fields(request: HttpRequest, error: FieldsRefused) -> HttpResponse:
    return django_problem("malformed", " ".join(error.messages))


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
    kinds = {401: "unauthenticated", 403: "forbidden", 404: "not-found", 429: "too-many-requests"}
    return django_problem(kinds.get(error.status_code, "malformed"), str(error))


def _unavailable(request: HttpRequest, error: Any) -> HttpResponse:
    return django_problem("unavailable", "nothing was changed")


def _unknown(request: HttpRequest, error: Any) -> HttpResponse:
    return django_problem(without_reply(request.method or ""), "sent to Redis, no reply came")


for _kind in (hotpath.Unavailable, RedisError, DatabaseError):
    api.add_exception_handler(_kind, _unavailable)
api.add_exception_handler(hotpath.UnknownOutcome, _unknown)
