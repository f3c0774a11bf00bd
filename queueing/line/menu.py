"""The sidebar's entries of the waiting line, and the first pages of agents and supervisors."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite import access
from poolsite.access import Principal, register_first_page
from poolsite.console import navigation
from poolsite.console.navigation import MenuEntry
from poolsite.console.page_words import register_page_word
from queueing.line.models import Desk


def register() -> None:
    """Register entries and pages. Called once, by AppConfig.ready()."""
    for page, word in (
        ("line:agent", _("Open console")),
        ("line:wallboard", _("Open wallboard")),
        ("line:floor", _("Open floor")),
        ("line:settings", _("Open settings")),
        ("line:story", _("Open visit")),
        ("line:messages", _("Open messages")),
    ):
        register_page_word(page, word)
    navigation.register(
        MenuEntry(
            *("desks", _("Desks"), "line:desks", "support_agent"),
            section="queueing",
            order=100,
            actions=("line.view",),
            incidents=("line.",),
            key="d",
            match=(
                *("line:wallboard", "line:floor", "line:desk_create", "line:reports"),
                "line:forecast",
                *("line:messages", "line:visitors", "line:story", "line:settings"),
                *("line:queue_create", "line:queue", "line:agent_create", "line:agent_settings"),
                *("line:routing", "line:routing_act", "line:topics"),
            ),
        )
    )
    navigation.register(
        MenuEntry(
            *("agent", _("Agent console"), "line:agent", "headset_mic"),
            section="queueing",
            order=90,
            actions=("line.serve",),
            key="c",
        )
    )
    navigation.register(
        MenuEntry(
            *("agent-history", _("My history"), "line:history", "history"),
            section="queueing",
            order=91,
            actions=("line.serve",),
            match=("line:history_visit",),
        )
    )
    register_first_page("line.agent", suits=_serves, url="/agent/", order=70)
    register_first_page("line.wallboard", suits=_supervises, url=_wallboard, order=45)


def _supervises(principal: Principal) -> bool:
    """Whether the user is a supervisor by role, or by a grant for a desk.

    An operator counts only if "supervise" is their only grant.
    """
    granted = principal.grants | {name for name, _thing, _account in principal.thing_grants}
    if principal.is_operator:
        return granted == {"supervise"}
    roles = set().union(*principal.memberships.values())
    return "supervisor" in roles or "supervise" in granted


def _wallboard(principal: Principal) -> str:
    """Return the wallboard if the user can view one desk only, else the list of desks."""
    desks = access.visible(Desk.objects.all(), principal, "line.view").order_by("slug")[:2]
    only = list(desks) if len(desks) == 1 else []
    return reverse("line:wallboard", args=[only[0].slug]) if only else reverse("line:desks")


def _serves(principal: Principal) -> bool:
    return any("agent" in roles for roles in principal.memberships.values())
