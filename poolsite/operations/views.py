"""The overview, the incidents, the system page and the search."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access.models import User
from poolsite.access.principal import Principal
from poolsite.operations import attention, incidents, saved_views, selectors, services, tables
from poolsite.operations.first_steps import first_steps
from poolsite.operations.models import Incident, SavedView
from poolsite.operations.pages import principal_of
from poolsite.operations.tables import SqlColumn

OVERVIEW_CAUSES = 5


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    """What is wrong, the figures, and a card per part of the platform."""
    principal = principal_of(request)
    access.require(principal, "operations.overview")
    context = {
        **_attention(principal, most=OVERVIEW_CAUSES),
        "can_act": access.decide(principal, "operations.acknowledge").allowed,
        "stats": selectors.stats(principal),
        "cards": selectors.cards(principal),
        "first_steps": first_steps(principal),
    }
    return render(request, "operations/overview.html", context)


@require_GET
def incidents_page(request: HttpRequest) -> HttpResponse:
    """What is open now, then the list: the ended ones, the latest first, unless asked otherwise."""
    principal = principal_of(request)
    access.require(principal, "operations.incidents")
    states = [("", _("Ended")), ("open", _("Still open")), ("all", _("Open and ended"))]
    state = tables.choice_of(request, "state", _("State"), states)
    severities = [("", _("All severities")), *Incident.Severity.choices]
    severity = tables.choice_of(request, "severity", _("Severity"), severities)
    text = tables.text_of(request, "q")
    rows = selectors.incidents(principal, state=state.value, severity=severity.value, text=text)
    context = {
        **_attention(principal),
        "can_act": access.decide(principal, "operations.acknowledge").allowed,
        "choices": [state, severity],
        "text": text,
    }
    return tables.answer(
        request,
        "operations/incidents.html",
        rows,
        _incident_columns(),
        given={"q": text, "state": state.value, "severity": severity.value},
        file="incidents",
        context=context,
    )


def _incident_columns() -> list[SqlColumn[Incident]]:
    """Sorted by what was wrong, those of one kind stand together."""
    return [
        SqlColumn("what", _("Incident"), lambda row: row.title, order=("type", "object")),
        SqlColumn("detail", "", lambda row: row.detail),
        SqlColumn("type", "", lambda row: row.type),
        SqlColumn("object", "", lambda row: row.object),
        SqlColumn("severity", "", lambda row: row.severity),
        SqlColumn("since", _("Since"), lambda row: tables.moment(row.since), order=("since",)),
        SqlColumn(
            "until",
            _("Until"),
            lambda row: tables.moment(row.until),
            order=("until",),
            nullable=True,
        ),
        SqlColumn(
            "known",
            _("Acknowledged by"),
            lambda row: row.acknowledged_name,
            order=("acknowledged_name",),
        ),
        SqlColumn("known_since", "", lambda row: tables.moment(row.acknowledged_at)),
    ]


@require_POST
def acknowledge(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Note who knows of it, and of the open ones of its type: they are one row on the overview.

    A second click changes nothing.
    """
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    access.require(principal, "operations.acknowledge", found)
    noted = incidents.acknowledge(found, actor=_user(request))
    for like in selectors.open_incidents(principal).filter(type=found.type).exclude(pk=found.pk):
        if access.decide(principal, "operations.acknowledge", like).allowed:
            incidents.acknowledge(like, actor=_user(request))
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
        messages.success(request, _("New time confirmed. Sweeps are running again."))
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


def _attention(principal: Principal, *, most: int = 0) -> dict[str, Any]:
    """What templates/operations/attention.html shows; most: of so many causes, 0 = of all."""
    found = selectors.causes(principal)
    return {
        "causes": found,
        "shown_causes": found[:most] if most else found,
        "most": most,
        "checked_at": timezone.now(),
        **attention.counts(found),
    }


def _user(request: HttpRequest) -> User:
    user = request.user
    if not isinstance(user, User):
        raise access.Forbidden
    return user


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


@login_required
@require_POST
def save_view(request: HttpRequest) -> HttpResponse:
    """Keep the list's filters under a name, and go back to the list."""
    path, query = request.POST.get("path", ""), request.POST.get("query", "")
    try:
        view = saved_views.save_view(
            user=_user(request), path=path, name=request.POST.get("name", ""), query=query
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        known = SavedView(path=path, query=query) if path.startswith("/") else None
        ours = known and url_has_allowed_host_and_scheme(known.address, allowed_hosts=None)
        return redirect(known.address if known and ours else "access:home")
    messages.success(request, _("View “%s” saved.") % view.name)
    return redirect(view.address)


@login_required
@require_POST
def delete_view(request: HttpRequest, view_id: int) -> HttpResponse:
    """Forget one of the reader's own views; another person's looks like a missing one."""
    view = get_object_or_404(SavedView, pk=view_id, user=_user(request))
    saved_views.delete_view(view)
    messages.success(request, _("View “%s” removed.") % view.name)
    return redirect(view.path)
