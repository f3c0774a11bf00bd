"""The overview, the system page, the search and saved views."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.console import palette
from poolsite.console.goals import done_of, open_guides
from poolsite.console.pages import principal_of, user_of
from poolsite.operations import saved_views, selectors, services, system_page
from poolsite.operations.incident_views import attention_context
from poolsite.operations.models import SavedView

OVERVIEW_CAUSES = 5


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    """Show what is wrong, the headline figures, and a card per part of the platform."""
    principal = principal_of(request)
    access.require(principal, "operations.overview")
    guides = open_guides(principal)
    context = {
        **attention_context(principal, most=OVERVIEW_CAUSES),
        "stats": selectors.stats(principal),
        "cards": selectors.cards(principal),
        "guides": guides,
        "some_done": done_of(guides),
    }
    return render(request, "operations/overview.html", context)


@require_GET
def system(request: HttpRequest) -> HttpResponse:
    """Show Redis, SQL, workers, every sweep's last run, streams, jobs, and outgoing calls."""
    principal = principal_of(request)
    access.require(principal, "operations.system")
    may_change = access.decide(principal, "operations.system_change").allowed
    return render(
        request, "operations/system.html", {**system_page.system(), "may_change": may_change}
    )


@require_POST
def confirm_clock(request: HttpRequest) -> HttpResponse:
    """Accept the clock's new time for an operator. The paused sweeps run again."""
    access.require(principal_of(request), "operations.system_change")
    if services.confirm_clock(actor=user_of(request), reason=request.POST.get("reason", "")[:200]):
        messages.success(request, _("New time confirmed. Sweeps are running again."))
    return HttpResponseRedirect(reverse("operations:system"))


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Return the results for `q`, by heading, for the search palette. `in` selects one heading."""
    principal = principal_of(request)
    access.require(principal, "operations.search")
    only = request.GET.get("in", "")
    groups = palette.search(principal, request.GET.get("q", ""), only=only)
    answer = [
        {"name": group.name, "label": group.label, "more": group.more, "results": _rows(group)}
        for group in groups
    ]
    return JsonResponse({"groups": answer})


def _rows(group: palette.ResultGroup) -> list[dict[str, str | bool]]:
    return [
        {
            "title": row.name,
            "detail": row.detail,
            "url": row.url,
            "icon": row.icon,
            "chip": capfirst(row.chip),
            "look": row.look.removeprefix("chip--"),
            "all": row.more,
        }
        for row in group.rows
    ]


@login_required
@require_POST
def save_view(request: HttpRequest) -> HttpResponse:
    """Save the list's filters under a name, and return to the list."""
    path, query = request.POST.get("path", ""), request.POST.get("query", "")
    try:
        view = saved_views.save_view(
            user=user_of(request), path=path, name=request.POST.get("name", ""), query=query
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
    """Delete one of the user's own views. Another user's view is reported as not found."""
    view = get_object_or_404(SavedView, pk=view_id, user=user_of(request))
    saved_views.delete_view(view)
    messages.success(request, _("View “%s” removed.") % view.name)
    return redirect(view.path)
