"""The sidebar's entry of the dispatcher."""

from django.utils.translation import gettext_lazy as _

from poolsite import access
from poolsite.access import Principal
from poolsite.console import navigation
from poolsite.console.navigation import Entry
from poolsite.console.page_words import register_page_word
from queueing.dispatch.models import Group


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_page_word("dispatch:group", _("Open group"))
    register_page_word("dispatch:upgrade", _("Open upgrade"))
    navigation.register(
        Entry(
            "groups",
            _("Dispatcher"),
            "dispatch:groups",
            "hub",
            section="queueing",
            order=300,
            actions=("dispatch.view",),
            incidents=("dispatch.",),
            key="r",
            suits=_has_any,
            match=(
                *("dispatch:group", "dispatch:group_create", "dispatch:settings"),
                *("dispatch:sessions", "dispatch:events", "dispatch:upgrade"),
            ),
        )
    )


def _has_any(principal: Principal) -> bool:
    """Most customers have none, and no entry for it."""
    if principal.is_operator:
        return True
    return access.visible(Group.objects.all(), principal, "dispatch.view").exists()
