"""The actions of the number list: add, change, and the actions for many numbers."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from numbers.models import Number
from numbers.selectors import NumberFilter, about_count, pool_get, visible_numbers
from numbers.selectors.lists import filtered
from numbers.services import bulk as bulk_service
from numbers.services import number_add, number_add_range, number_change
from numbers.views.common import answers_json, number_of
from numbers.views.number_filter import ROWS_AT_MOST, other_forms, read_filters, with_prefix
from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.verbs import body_of


@require_POST
@answers_json
def add_number(request: HttpRequest) -> HttpResponse:
    """Add one number."""
    principal = principal_of(request)
    access.require(principal, "numbers.operate")
    body = body_of(request)
    pool = pool_get(principal, _text(body, "pool"), "numbers.operate")
    number = number_add(
        actor=principal,
        pool=pool,
        number=_text(body, "number"),
        label=_text(body, "label")[:120],
        tags=_tags(body),
    )
    return JsonResponse({"added": 1, "number": number.value})


@require_POST
@answers_json
def add_range(request: HttpRequest) -> HttpResponse:
    """Add every number from the first to the last."""
    principal = principal_of(request)
    access.require(principal, "numbers.operate")
    body = body_of(request)
    pool = pool_get(principal, _text(body, "pool"), "numbers.operate")
    first, last = _text(body, "first"), _text(body, "last")
    _check_order(first, last)
    done = number_add_range(
        actor=principal,
        pool=pool,
        first=first,
        last=last,
        label=_text(body, "label")[:120],
        tags=_tags(body),
    )
    left = len(done.here) + len(done.elsewhere) + len(done.in_call)
    return JsonResponse({"added": len(done.added), "left": left})


def _check_order(first: str, last: str) -> None:
    digits = [text.removeprefix("+") for text in (first, last)]
    if all(text.isdigit() and text.isascii() for text in digits) and int(digits[1]) < int(
        digits[0]
    ):
        raise ValidationError(_("The last number is below the first. Nothing was added."))


@require_POST
@answers_json
def change_number(request: HttpRequest, value: str) -> HttpResponse:
    """Change label, tags, region and notes of one number."""
    principal = principal_of(request)
    number = number_of(principal, value, "numbers.operate")
    body = body_of(request)
    number_change(
        actor=principal,
        number=number,
        label=_text(body, "label"),
        notes=_text(body, "notes"),
        region=_text(body, "region"),
        tags=_tags(body),
    )
    return JsonResponse({"number": number.value})


@require_POST
@answers_json
def bulk(request: HttpRequest) -> HttpResponse:
    """Apply one action to the selected numbers or the whole filter. A job does it for many."""
    principal = principal_of(request)
    access.require(principal, "numbers.operate")
    body = body_of(request)
    verb, reason = _text(body, "verb"), " ".join(_text(body, "reason").split())[:200]
    if verb not in bulk_service.VERBS:
        raise ValidationError(_("Action not found."))
    if not reason:
        raise ValidationError(_("Enter a short reason."))
    target = None
    if verb == "move":
        target = pool_get(principal, _text(body, "target"), "numbers.operate")
    numbers, wanted, total = _chosen(principal, body)
    if numbers is None:
        job = bulk_service.bulk_start(
            principal=principal,
            verb=verb,
            wanted=wanted,
            reason=reason,
            target=target,
            total=total,
        )
        return JsonResponse({"job": job.pk, "url": reverse("jobs:job", args=[job.pk])}, status=202)
    done = bulk_service.bulk_apply(
        actor=principal, verb=verb, numbers=numbers, reason=reason, target=target
    )
    undo = bulk_service.UNDONE_BY.get(verb, "") if done.changed == len(numbers) else ""
    return JsonResponse(
        {"changed": done.changed, "stayed": dict(list(done.stayed.items())[:20]), "undo": undo}
    )


def _chosen(
    principal: Principal, body: dict[str, Any]
) -> tuple[list[Number] | None, dict[str, Any], int]:
    """Return the chosen numbers with filter and count; None instead of them if a job must do it."""
    values = body.get("numbers")
    if body.get("all") is not True:
        if not isinstance(values, list) or not values or len(values) > ROWS_AT_MOST:
            raise ValidationError(_("Select the numbers first."))
        wanted_values = [str(value) for value in values]
        rows = visible_numbers(principal).select_related("pool__account")
        return list(rows.filter(value__in=wanted_values)), {}, len(values)
    given = body.get("filter")
    filters = read_filters(given if isinstance(given, dict) else {})
    wanted = filters.wanted
    count = about_count(principal, wanted)
    for form in other_forms(principal, wanted) if wanted.prefix and not count.count else []:
        wanted = with_prefix(filters.wanted, form)
        count = about_count(principal, wanted)
        if count.count:
            break
    fields = {name: getattr(wanted, name) for name in NumberFilter.__slots__}
    by_state = wanted.state and wanted.state != "quarantined"
    if by_state or count.count > bulk_service.AT_ONCE:
        return None, fields, count.count
    return list(filtered(principal, wanted).select_related("pool__account")), fields, count.count


def _text(body: dict[str, Any], name: str) -> str:
    given = body.get(name, "")
    return given.replace("\x00", "").strip() if isinstance(given, str) else ""


def _tags(body: dict[str, Any]) -> list[str]:
    given = body.get("tags", "")
    words = given.split(",") if isinstance(given, str) else given
    return [str(tag) for tag in words][:20] if isinstance(words, list) else []
