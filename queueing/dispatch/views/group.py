"""A group, live: its page, its chart, and what an operator may do to its peers."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.aggregates.minutes import hour_values
from poolsite.console.pages import principal_of
from poolsite.console.verbs import act, carry_out, cleaned, word_of
from queueing.dispatch import selectors, services
from queueing.dispatch.forms import UntilForm, UpgradeForm
from queueing.dispatch.models import Group, Upgrade
from queueing.dispatch.selectors import GROUPS
from queueing.dispatch.selectors.peers import first_snapshots

SERIES = ("sessions", "started", "ended", "refused", "messages")

UPGRADES_SHOWN = 5


@require_GET
def group_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a group, live."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug)
    now = selectors.GROUPS.with_figures([group], patient=True)[0]
    figures = now.figures
    may_operate = access.decide(principal, "dispatch.operate", group).allowed
    hour = selectors.GROUPS.hours([group])[group.pk]
    snapshots = first_snapshots(group)
    peers = [row for snapshot in snapshots.values() for row in snapshot["rows"].values()]
    context = {
        "group": group,
        "figures": figures,
        "hour": hour,
        "status": now.status,
        "may_operate": may_operate,
        "may_configure": access.decide(principal, "dispatch.configure", group).allowed,
        "upgrade_form": UpgradeForm(),
        "until_form": UntilForm(),
        "upgrades": list(selectors.upgrades_of(group)[:UPGRADES_SHOWN]),
        "running": selectors.running_upgrade(group),
        "first_snapshots": snapshots,
        "is_linked": any(row["kind"] == "back" and row["state"] != "stop" for row in peers),
        "page": {
            "slug": group.slug,
            "status": now.status,
            "live": selectors.figures_of(figures),
            "hour": hour,
            "may_operate": may_operate,
            "heartbeat_seconds": group.heartbeat_seconds,
            "missed_limit": group.missed_limit,
            "samples_url": reverse("dispatch:samples", args=[group.slug]),
            "sessions_url": reverse("dispatch:sessions", args=[group.slug]),
        },
    }
    return render(request, "dispatch/group.html", context)


@require_GET
def group_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the last hour by the minute. Null means no sample: a gap in the data."""
    group = GROUPS.get(principal_of(request), slug)
    return JsonResponse(hour_values(partial(selectors.GROUPS.samples, group), SERIES))


# -- what an operator may do ----------------------------------------------------------------------


@require_POST
def group_act(request: HttpRequest, slug: str) -> HttpResponse:
    """Run one of the verbs below, and show what was done, or why nothing was."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug, "dispatch.operate")
    if request.POST.get("verb") == "upgrade":
        return _upgrade(request, principal, group)
    act(request, VERBS, group)
    return redirect("dispatch:group", slug=group.slug)


def _upgrade(request: HttpRequest, principal: Principal, group: Group) -> HttpResponse:
    made: list[Upgrade] = []

    def begin() -> str:
        given = cleaned(UpgradeForm(request.POST))
        made.append(services.upgrade_start(actor=principal, group=group, **given))
        return _("Upgrade started. It continues if you leave this page.")

    if carry_out(request, begin):
        return redirect("dispatch:upgrade", slug=group.slug, upgrade_id=made[0].pk)
    return redirect("dispatch:group", slug=group.slug)


def _set(state: str) -> Callable[[Principal, Group, HttpRequest], str]:
    def verb(principal: Principal, group: Group, request: HttpRequest) -> str:
        until = cleaned(UntilForm(request.POST))["until"]
        name = word_of(request, "name", 41)
        services.instance_set(
            actor=principal,
            group=group,
            name=name,
            state=state,
            reason=word_of(request, "reason"),
            until=until if state != "open" else None,
        )
        return {
            "open": _("Instance %(name)s opened."),
            "drain": _(
                "Instance %(name)s is draining. Its sessions continue, and no new ones are "
                "accepted."
            ),
            "blocked": _(
                "Instance %(name)s blocked. Its sessions end, and no new ones are accepted."
            ),
        }[state] % {"name": name}

    return verb


def _disconnect(principal: Principal, group: Group, request: HttpRequest) -> str:
    peer = word_of(request, "peer", 43)
    services.peer_disconnect(
        actor=principal, group=group, peer=peer, reason=word_of(request, "reason")
    )
    return _("Link of %(peer)s closed. The peer may reconnect.") % {"peer": peer[2:]}


def _forget(principal: Principal, group: Group, request: HttpRequest) -> str:
    name = word_of(request, "name", 41)
    services.name_forget(actor=principal, group=group, name=name, reason=word_of(request, "reason"))
    return _("Instance name %(name)s removed.") % {"name": name}


def _set_backup(on: bool) -> Callable[[Principal, Group, HttpRequest], str]:
    def verb(principal: Principal, group: Group, request: HttpRequest) -> str:
        name, reason = word_of(request, "name", 41), word_of(request, "reason")
        services.instance_backup(actor=principal, group=group, name=name, backup=on, reason=reason)
        if on:
            told = _("Instance %(name)s is a backup: it gets sessions if no primary can take them.")
        else:
            told = _("Instance %(name)s is a primary again.")
        return told % {"name": name}

    return verb


def _uneject(principal: Principal, group: Group, request: HttpRequest) -> str:
    name, reason = word_of(request, "name", 41), word_of(request, "reason")
    services.instance_uneject(actor=principal, group=group, name=name, reason=reason)
    return _("Ejection of %(name)s ended.") % {"name": name}


def _end_session(principal: Principal, group: Group, request: HttpRequest) -> str:
    session = word_of(request, "session", 81)
    services.session_end(
        actor=principal, group=group, session=session, reason=word_of(request, "reason")
    )
    return _("Session %(session)s ended. Both ends are notified.") % {"session": session}


VERBS: dict[str, Callable[[Principal, Group, HttpRequest], str]] = {
    "open": _set("open"),
    "drain": _set("drain"),
    "block": _set("blocked"),
    "backup": _set_backup(True),
    "primary": _set_backup(False),
    "uneject": _uneject,
    "forget": _forget,
    "disconnect": _disconnect,
    "end_session": _end_session,
}
