"""What the search finds of the dispatcher: groups, instances, and a session by its exact ID."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import access, console, hotpath
from poolsite.access import Principal
from poolsite.console import Found
from poolsite.console.matching import named
from poolsite.console.palette import Offer, register_offer
from poolsite.console.registry import Follow
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group, Instance

SESSION_GROUPS = 50  # in which a session is looked up, at most


def register() -> None:
    """Register the search and the offer of a new group. AppConfig.ready() calls this once."""
    console.register_search("dispatch", find)
    label = gettext_lazy("New group…")
    register_offer(Offer("dispatch.new", label, "dispatch:group_create", "add", "dispatch.create"))


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Return groups and instances by name, and a session by its exact ID."""
    if not access.decide(principal, "dispatch.view"):
        return []
    groups = access.visible(Group.objects.all(), principal, "dispatch.view").order_by("slug")
    found = [
        _group(principal, place, row) for place, row in named(groups, text, ("name", "slug"), limit)
    ]
    rows = Instance.objects.filter(group__in=groups.order_by()).select_related("group")
    found += [
        Found(
            _("Instance"),
            row.name,
            _("Instance of %(group)s") % {"group": row.group.name},
            _instance_url(row),
            exact=place == 0,
            group="groups",
            icon="dns",
            rank=place,
            chip=row.get_link_state_display(),
        )
        for place, row in named(rows.order_by("name"), text, ("name",), limit)
    ]
    return found + (_sessions(list(groups[:SESSION_GROUPS]), text) if "/" in text else [])


def _group(principal: Principal, place: int, row: Group) -> Found:
    def page(name: str) -> str:
        return reverse(f"dispatch:{name}", args=[row.slug])

    follow = [
        Follow("pages", _("Sessions"), page("sessions"), "forum"),
        Follow("pages", _("Events"), page("events"), "history"),
    ]
    if access.decide(principal, "dispatch.configure", row):
        follow.append(Follow("pages", _("Settings"), page("settings"), "settings"))
    return Found(
        _("Group"),
        row.name,
        row.slug,
        page("group"),
        exact=place == 0,
        group="groups",
        icon="hub",
        key=f"group:{row.slug}",
        rank=place,
        follow=follow,
    )


def _instance_url(row: Instance) -> str:
    """Return the URL of the instance's sessions, or the group's page if it never registered."""
    if not row.back_id:
        return reverse("dispatch:group", args=[row.group.slug])
    return _sessions_url(row.group, peer=f"b:{row.back_id}")


def _sessions_url(group: Group, **query: str) -> str:
    return f"{reverse('dispatch:sessions', args=[group.slug])}?{urlencode(query)}"


def _sessions(groups: list[Group], text: str) -> list[Found]:
    asked = hotpath.run_batch([commands.route(group.slug, text[:81]) for group in groups])
    return [
        Found(
            _("Session"),
            route.session,
            f"{group.name} · {route.back_name}",
            _sessions_url(group, session=route.session),
            exact=True,
            group="groups",
            icon="forum",
        )
        for group, route in zip(groups, asked, strict=True)
        if isinstance(route, commands.Route)
    ]
