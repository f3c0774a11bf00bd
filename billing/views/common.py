"""What the pages of money share: addresses that may not exist yet, JSON refusals, reasons."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from billing.errors import PROBLEMS, BillingError
from poolsite import access, hotpath
from poolsite.access import Decision, Principal

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


def reason_of(body: dict[str, Any]) -> str:
    """The reason that a person gave. ValidationError without one."""
    given = body.get("reason", "")
    reason = " ".join(given.split())[:REASON_LENGTH] if isinstance(given, str) else ""
    if not reason:
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
        except access.FactorNeeded:
            detail = _("Load the page again: it asks for your second factor. Nothing was changed.")
            return refused(_("Your second factor is needed"), detail, 403)
        except BillingError as error:
            status = PROBLEMS.get(error.kind, (409, ""))[0]
            return refused(_("That cannot be done"), error.detail, status)
        except hotpath.UnknownOutcome:
            detail = _("Redis took it and did not answer. Look before you try again.")
            return refused(_("The outcome is not known"), detail, 504)
        except hotpath.HotPathError:
            return refused(_("Redis is down"), _("Nothing was changed."), 503)

    return answered


def refused(title: str, detail: str, status: int) -> JsonResponse:
    """A refusal as static/js/dom.js reads it."""
    return JsonResponse({"title": title, "detail": detail, "status": status}, status=status)


def link(name: str, *args: Any) -> str:
    """The address of a page; "" when no page of that name is there."""
    try:
        return reverse(f"billing:{name}", args=args)
    except NoReverseMatch:
        return ""


def address(filters: dict[str, str], **more: Any) -> str:
    """The page's own address with these filters; empty ones stay out."""
    given = {name: value for name, value in {**filters, **more}.items() if value}
    return "?" + urlencode(given)


def given(request: HttpRequest, *names: str) -> dict[str, str]:
    """The filters of a page's address, cut to what fits a field."""
    return {name: request.GET.get(name, "").strip()[:120] for name in names}


def number_of(text: str) -> int | None:
    """A small whole number of an address; None when it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def finance_of(
    principal: Principal, thing: object | None, request: HttpRequest
) -> tuple[bool, str]:
    """Whether the reader may do the work of finance, and the page that asks for a second factor
    first, which leads back here ("" = none is needed)."""
    answer = access.decide(principal, "billing.finance", thing)
    if answer is Decision.FACTOR:
        back = urlencode({"next": request.get_full_path()})
        return True, f"{reverse('access:confirm')}?{back}"
    return answer.allowed, ""
