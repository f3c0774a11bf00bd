"""The overview, the incidents, the system page and the search."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access.models import User
from poolsite.operations import incidents, selectors, services
from poolsite.operations.first_steps import first_steps
from poolsite.operations.models import Incident
from poolsite.operations.pages import principal_of

PAGE_ROWS = 50


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    """What is wrong, the figures, and a card per part of the platform."""
    principal = principal_of(request)
    access.require(principal, "operations.overview")
    rows = list(selectors.open_incidents(principal)[:PAGE_ROWS])
    context = {
        **_attention(rows),
        "can_act": access.decide(principal, "operations.acknowledge").allowed,
        "stats": selectors.stats(principal),
        "cards": selectors.cards(principal),
        "first_steps": first_steps(principal),
    }
    return render(request, "operations/overview.html", context)


@require_GET
def incidents_page(request: HttpRequest) -> HttpResponse:
    """Open incidents, then the ended ones, the latest first, by pages."""
    principal = principal_of(request)
    access.require(principal, "operations.incidents")
    before = request.GET.get("before", "")
    ended = selectors.ended_incidents(
        principal, int(before) if before.isdecimal() and len(before) < 19 else None, PAGE_ROWS + 1
    )
    context = {
        **_attention(list(selectors.open_incidents(principal)[:PAGE_ROWS])),
        "can_act": access.decide(principal, "operations.acknowledge").allowed,
        "ended": ended[:PAGE_ROWS],
        "next_before": ended[PAGE_ROWS - 1].pk if len(ended) > PAGE_ROWS else None,
    }
    return render(request, "operations/incidents.html", context)


@require_POST
def acknowledge(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Note who knows of it; a second click changes nothing."""
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    access.require(principal, "operations.acknowledge", found)
    noted = incidents.acknowledge(found, actor=_user(request))
    if _wants_json(request):
        return JsonResponse({"acknowledged_by": noted.acknowledged_name})
    return HttpResponseRedirect(reverse("operations:incidents"))


@require_GET
def system(request: HttpRequest) -> HttpResponse:
    """Redis, SQL, workers, every sweep's last run, streams, jobs, and outgoing calls."""
    principal = principal_of(request)
    access.require(principal, "operations.system")
    may_change = access.decide(principal, "operations.system_change").allowed
    return render(
        request, "operations/system.html", {**selectors.system(), "may_change": may_change}
    )


@require_POST
def confirm_clock(request: HttpRequest) -> HttpResponse:
    """An operator takes the clock's new time as right: the paused sweeps run again."""
    access.require(principal_of(request), "operations.system_change")
    if services.confirm_clock(actor=_user(request), reason=request.POST.get("reason", "")[:200]):
        messages.success(request, _("The new time is confirmed. Sweeps run again."))
    return HttpResponseRedirect(reverse("operations:system"))


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Things found by name or its beginning, grouped by kind, for the search palette."""
    principal = principal_of(request)
    access.require(principal, "operations.search")
    groups: dict[str, list[dict[str, str]]] = {}
    for found in selectors.search(principal, request.GET.get("q", "")):
        row = {"title": found.name, "detail": found.detail, "url": found.url}
        groups.setdefault(str(found.kind), []).append(row)
    return JsonResponse(
        {"groups": [{"label": kind, "results": rows} for kind, rows in groups.items()]}
    )


def _attention(rows: list[Incident]) -> dict[str, Any]:
    severities = [row.severity for row in rows]
    return {
        "incidents": rows,
        "critical_count": severities.count(Incident.Severity.CRITICAL),
        "warning_count": severities.count(Incident.Severity.WARNING),
        "checked_at": timezone.now(),
    }


def _user(request: HttpRequest) -> User:
    user = request.user
    if not isinstance(user, User):
        raise access.Forbidden
    return user


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
