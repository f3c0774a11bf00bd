"""What the pages here share: who asks, what a form in JSON says, and what a refusal looks like."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from numbers import selectors
from numbers.errors import PROBLEMS, NumbersError
from numbers.models import Number, Pool
from poolsite import access, hotpath, number_format

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
BODY_LIMIT_BYTES = 10_000
REASON_LENGTH = 200


def body_of(request: HttpRequest) -> dict[str, Any]:
    """The small JSON object that a page's module sent. ValidationError when it is none."""
    raw = request.body
    if len(raw) > BODY_LIMIT_BYTES:
        raise ValidationError(_("That is too long."))
    try:
        found = json.loads(raw or b"{}")
    except ValueError:
        raise ValidationError(_("The request cannot be read.")) from None
    if not isinstance(found, dict):
        raise ValidationError(_("The request cannot be read."))
    return found


def reason_of(request: HttpRequest, *, required: bool) -> str:
    """The reason that a person gave. ValidationError without one where it is needed."""
    given = body_of(request).get("reason", "")
    reason = " ".join(given.split())[:REASON_LENGTH] if isinstance(given, str) else ""
    if required and not reason:
        raise ValidationError(_("Say why, in a few words."))
    return reason


def answers_json(view: View[P]) -> View[P]:
    """Say in JSON what went wrong, so that the page can show what happened and what was kept."""

    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ValidationError as error:
            return refused(_("That cannot be done"), " ".join(error.messages), 422)
        except NumbersError as error:
            status = PROBLEMS.get(error.kind, (409, ""))[0]
            return refused(_("That cannot be done"), error.detail, status)
        except hotpath.UnknownOutcome:
            detail = _("Redis took it and did not answer. Look before you try again.")
            return refused(_("The outcome is not known"), detail, 504)
        except hotpath.Unavailable:
            return refused(_("Redis is down"), _("Nothing was changed."), 503)

    return answered


def refused(title: str, detail: str, status: int) -> JsonResponse:
    """A refusal as static/js/dom.js reads it."""
    return JsonResponse({"title": title, "detail": detail, "status": status}, status=status)


def number_of(principal: access.Principal, value: str, action: str = "numbers.view") -> Number:
    """A number, however it is written; a foreign or missing one is hidden."""
    result = number_format.normalise(value)
    known = result.value if isinstance(result, number_format.Normalised) else value
    return selectors.number_get(principal, known, action).number


def pool_of(principal: access.Principal, slug: str, action: str = "numbers.view") -> Pool:
    """A pool that the principal may do `action` to; a foreign or missing one is hidden."""
    return selectors.pool_get(principal, slug, action)


def visible_pools(principal: access.Principal) -> QuerySet[Pool]:
    """The pools that the principal may see, by their names."""
    return selectors.visible_pools(principal).order_by("name", "slug")
