"""The page of a rolling upgrade: its progress, and an operator's actions."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.verbs import act, word_of
from poolsite.live.scopes import in_language
from queueing.dispatch import selectors, services
from queueing.dispatch.models import Upgrade

ID_LIMIT = 2**63


@require_GET
def upgrade_page(request: HttpRequest, slug: str, upgrade_id: int) -> HttpResponse:
    """Show the progress of an upgrade, live."""
    principal = principal_of(request)
    upgrade = _upgrade_of(principal, slug, upgrade_id)
    told = selectors.upgrade_out(upgrade)
    running = upgrade.status == Upgrade.Status.RUNNING
    may_operate = access.decide(principal, "dispatch.operate", upgrade.group).allowed
    context = {
        "group": upgrade.group,
        "upgrade": upgrade,
        "told": told,
        "running": running,
        "took_seconds": _took_seconds(upgrade),
        "may_operate": may_operate,
        "page": {
            "topic": in_language(f"dispatch.upgrade:{upgrade.pk}"),
            "status": upgrade.status,
            "told": told,
        },
    }
    return render(request, "dispatch/upgrade.html", context)


def _took_seconds(upgrade: Upgrade) -> float | None:
    ended = upgrade.ended_at
    return None if ended is None else (ended - upgrade.created_at).total_seconds()


@require_POST
def upgrade_act(request: HttpRequest, slug: str, upgrade_id: int) -> HttpResponse:
    """Force the current drain, or abort the upgrade. Show what was done, or why nothing was."""
    upgrade = _upgrade_of(principal_of(request), slug, upgrade_id, "dispatch.operate")
    act(request, {"force": _force, "abort": _abort}, upgrade)
    return redirect("dispatch:upgrade", slug=slug, upgrade_id=upgrade_id)


def _force(principal: Principal, upgrade: Upgrade, request: HttpRequest) -> str:
    reason = word_of(request, "reason")
    ended = services.upgrade_force(actor=principal, upgrade=upgrade, reason=reason)
    text: str = ngettext("%(n)s session ended.", "%(n)s sessions ended.", ended)
    return text % {"n": f"{ended:,}"}


def _abort(principal: Principal, upgrade: Upgrade, request: HttpRequest) -> str:
    services.upgrade_abort(actor=principal, upgrade=upgrade, reason=word_of(request, "reason"))
    return _("Upgrade aborted. Each instance is in the state shown below.")


def _upgrade_of(
    principal: Principal, slug: str, upgrade_id: int, action: str = "dispatch.view"
) -> Upgrade:
    group = selectors.GROUPS.get(principal, slug, action)
    if upgrade_id >= ID_LIMIT:
        raise Http404
    found = Upgrade.objects.filter(pk=upgrade_id, group=group).first()
    if found is None:
        raise Http404
    found.group = group
    return found
