"""The sidebar's entries of the waiting line, and who sees which page first."""

from django.utils.translation import gettext_lazy as _

from poolsite.access.first_pages import register_first_page
from poolsite.access.principal import Principal
from poolsite.operations import navigation
from poolsite.operations.navigation import Entry
from poolsite.operations.page_words import register_page_word


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_page_word("line:agent", _("Open console"))
    register_page_word("line:wallboard", _("Open wallboard"))
    register_page_word("line:floor", _("Open floor"))
    navigation.register(
        Entry(
            "desks",
            _("Desks"),
            "line:desks",
            "support_agent",
            section="queueing",
            order=100,
            actions=("line.view",),
            incidents=("line.",),
            key="d",
            match=("line:wallboard", "line:floor"),
        )
    )
    navigation.register(
        Entry(
            "agent",
            _("Agent console"),
            "line:agent",
            "headset_mic",
            section="queueing",
            order=90,
            actions=("line.serve",),
            key="c",
        )
    )
    register_first_page("line.agent", suits=_serves, url="/agent/", order=70)
    register_first_page("line.wallboard", suits=_supervises, url="/desks/", order=60)


def _supervises(principal: Principal) -> bool:
    return any("supervisor" in roles for roles in principal.memberships.values())


def _serves(principal: Principal) -> bool:
    return any("agent" in roles for roles in principal.memberships.values())
