"""Duplicates: one line stored in two formats, which an operator merges or removes."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from numbers.models import Number
from numbers.reason_words import sentence_of
from numbers.selectors import visible_numbers
from numbers.selectors.twins import TwinGroup, groups_of, keepers
from numbers.services import twins as service
from numbers.views.number_rows import rows_of
from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.templatetags.console import figure
from poolsite.console.verbs import carry_out, word_of

GROUPS = 25
AT_ONCE = 50  # groups that are merged while the user waits


@require_GET
def twin_list(request: HttpRequest) -> HttpResponse:
    """List every group that the user may see, page by page."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    found = keepers(principal)
    after = key_of(request, "after") or 0
    rows = list(found.filter(pk__gt=after)[: GROUPS + 1])
    page, more = rows[:GROUPS], len(rows) > GROUPS
    groups = groups_of(principal, page)
    total = found.count()
    live = {
        row.number.pk: row for row in rows_of([each for group in groups for each in group.rows])
    }
    shown = [_shown(principal, group, live) for group in groups]
    context = {
        "groups": shown,
        "total": total,
        "hint": ngettext("%(n)s duplicate", "%(n)s duplicates", total) % {"n": figure(total)},
        "may_merge_all": total > 0 and access.decide(principal, "numbers.operate").allowed,
        "next_url": f"?after={page[-1].pk}" if more else "",
        "back_url": "?" if after else "",
    }
    return render(request, "numbers/twins.html", context)


def _shown(principal: Principal, group: TwinGroup, live: dict[int, Any]) -> dict[str, Any]:
    """A group as the template expects it."""
    may = not group.hidden and all(
        access.decide(principal, "numbers.operate", row).allowed for row in group.rows
    )
    return {
        "number": group.keeper.canonical or group.keeper.value,
        "hidden": group.hidden,
        "may": may,
        "rows": [
            {
                "number": row,
                "keeps": row.pk == group.keeper.pk,
                "live": live[row.pk],
                "tags": [tag.tag for tag in row.tags.all()],
            }
            for row in group.rows
        ],
    }


@require_POST
def twin_merge(request: HttpRequest, value: str) -> HttpResponse:
    """Keep this format, and merge the others into it."""
    principal = principal_of(request)
    number = _number(principal, value)
    reason = word_of(request, "reason")

    def verb() -> str:
        kept = service.twins_merge(actor=principal, number=number, reason=reason)
        return _("Duplicates merged into %(number)s.") % {"number": kept.value}

    carry_out(request, verb)
    return HttpResponseRedirect(reverse("numbers:twins"))


@require_POST
def twin_remove(request: HttpRequest, value: str) -> HttpResponse:
    """Remove this format."""
    principal = principal_of(request)
    number = _number(principal, value)
    reason = word_of(request, "reason")

    def verb() -> str:
        service.twin_remove(actor=principal, number=number, reason=reason)
        return _("%(number)s removed.") % {"number": value}

    carry_out(request, verb)
    return HttpResponseRedirect(reverse("numbers:twins"))


@require_POST
def twins_merge_all(request: HttpRequest) -> HttpResponse:
    """Merge every group into the row in international format. Many groups are merged by a job."""
    principal = principal_of(request)
    access.require(principal, "numbers.operate")
    reason = word_of(request, "reason")
    found = list(keepers(principal)[: AT_ONCE + 1])
    if len(found) > AT_ONCE:
        job = service.merge_all_start(
            principal=principal, reason=reason, total=keepers(principal).count()
        )
        return HttpResponseRedirect(reverse("jobs:job", args=[job.pk]))

    def verb() -> str:
        done = service.twins_merge_all(actor=principal, keepers=found, reason=reason)
        for number, why in list(done.stayed.items())[:5]:
            messages.warning(request, f"{number}: {sentence_of(why)}")
        words = ngettext("%(n)s number merged.", "%(n)s numbers merged.", done.merged)
        return words % {"n": figure(done.merged)}

    carry_out(request, verb)
    return HttpResponseRedirect(reverse("numbers:twins"))


def _number(principal: Principal, value: str) -> Number:
    """Return the row with exactly this format.

    Raise Hidden if it is missing or belongs to another account.
    """
    rows = Number.objects.select_related("pool__account", "twin_of").filter(value=value)
    return access.require_one(rows, principal, "numbers.operate")


def twin_count(principal: Principal) -> int:
    """How many duplicates the user may see, for the number list."""
    return visible_numbers(principal).filter(twin_of__isnull=False).count()
