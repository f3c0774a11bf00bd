"""A pool's health: heat map, worst numbers, actions of rules, spam labels."""

import itertools
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from numbers.errors import NumbersError
from numbers.health_forms import SpamLabelsForm
from numbers.models import HealthAction, Pool, Window
from numbers.selectors import health, pool_get
from numbers.selectors.health import HealthFilter
from numbers.services.health_acting import health_undo
from numbers.services.spam_labels import Labelled, read_rows, spam_labels_add
from poolsite import access, dates
from poolsite.console.pages import principal_of

REFUSED_SHOWN = 100
NOT_TOLD_MARK = 0.9  # below this share of reported calls, the page shows a warning


@require_GET
def health_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pool's health. Window, region, switch and page are in the URL."""
    principal = principal_of(request)
    pool = pool_get(principal, slug)
    return render(request, "numbers/health.html", _context(request, pool))


def _context(request: HttpRequest, pool: Pool) -> dict[str, Any]:
    principal = principal_of(request)
    wanted = _filter(request)
    whole = health.pool_health(pool, wanted.window, timezone.now())
    page = health.worst_numbers(pool, wanted, request.GET.get("after", "")[:40])
    counts = health.heat_counts(pool, wanted)
    told = whole.figures.told_share
    cells = health.heat_cells(pool, wanted)
    ranked = sum(count for name, count in counts.items() if name)
    return {
        "pool": pool,
        "may_operate": access.decide(principal, "numbers.operate", pool).allowed,
        "may_label": access.decide(principal, "numbers.label", pool).allowed,
        "wanted": wanted,
        "windows": [(window.value, window.label) for window in Window],
        "whole": whole,
        "regions": sorted({group.key for group in whole.regions if group.key}),
        "switches": sorted({group.key for group in whole.switches if group.key}),
        "empty": told is None,
        "not_told": told is not None and not whole.figures.calls,
        "partly_told": bool(whole.figures.calls) and told is not None and told < NOT_TOLD_MARK,
        "legend": _legend(counts),
        "cells": cells,
        "cells_words": _cells_words(len(cells), ranked),
        "few": counts[""],
        "rows": page.rows,
        "next_url": _next(request, page.next),
        "shown": ngettext("%(n)s number", "%(n)s numbers", len(page.rows)) % {"n": len(page.rows)},
        "actions": health.health_actions(pool),
        "rules": health.health_rules(pool),
        "short_seconds": pool.short_call_seconds,
    }


def _filter(request: HttpRequest) -> HealthFilter:
    given = request.GET.get("window", Window.DAY.value)
    window = Window(given) if given in Window.values else Window.DAY
    region, switch = (
        request.GET.get(name, "").replace("\x00", "")[:80] for name in ("region", "switch")
    )
    return HealthFilter(window, region, switch)


def _legend(counts: dict[str, int]) -> list[dict[str, Any]]:
    """The map's classes: the meaning of each, and its count of numbers."""
    bounds = [*health.CLASSES, None]
    found = []
    for place, (low, high) in enumerate(itertools.pairwise(bounds)):
        if high is None:
            words = f"≥ {low} %"
        elif not low:
            words = f"< {high} %"
        else:
            words = f"{low}–{high} %"
        found.append({"heat": str(place), "words": words, "count": counts[str(place)]})
    return found


def _cells_words(shown: int, ranked: int) -> str:
    if shown < ranked:
        return _("%(shown)s worst of %(all)s") % {"shown": f"{shown:,}", "all": f"{ranked:,}"}
    return ngettext("%(n)s number", "%(n)s numbers", ranked) % {"n": f"{ranked:,}"}


def _next(request: HttpRequest, after: str) -> str:
    if not after:
        return ""
    given = request.GET.copy()
    given["after"] = after
    return f"?{given.urlencode()}#worst"


@require_POST
def health_undo_action(request: HttpRequest, slug: str, action_id: int) -> HttpResponse:
    """Put a number back that a rule took out."""
    principal = principal_of(request)
    pool = pool_get(principal, slug, "numbers.operate")
    action = HealthAction.objects.filter(pool=pool, pk=action_id).select_related("pool").first()
    if action is None:
        raise Http404
    try:
        reason = request.POST.get("reason", "")
        health_undo(actor=principal, action=action, reason=reason)
    except NumbersError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            _("%(number)s is back in use. The rule won't act on it until %(until)s.")
            % {
                "number": action.number,
                "until": dates.moment(action.exempt_until),
            },
        )
    return redirect(reverse("numbers:pool_health", args=[pool.slug]) + "#actions")


@require_http_methods(["GET", "HEAD", "POST"])
def spam_labels_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a file of spam labels. Wrong rows are listed, the others are stored."""
    principal = principal_of(request)
    pool = pool_get(principal, slug, "numbers.label")
    form = SpamLabelsForm(request.POST or None, request.FILES or None)
    done: Labelled | None = None
    if request.method == "POST" and form.is_valid():
        try:
            file = form.cleaned_data["file"]
            rows = read_rows(file.chunks(), file.name)
            done = spam_labels_add(actor=principal, pool=pool, rows=rows)
        except ValidationError as error:
            form.add_error("file", error)
    context = {
        "pool": pool,
        "form": form,
        "done": done,
        "refused": done.refused[:REFUSED_SHOWN] if done else [],
        "more_refused": max(0, len(done.refused) - REFUSED_SHOWN) if done else 0,
    }
    status = 422 if request.method == "POST" and form.errors else 200
    return render(request, "numbers/spam_labels.html", context, status=status)
