"""The dispatcher's entry of the sidebar."""

from django.utils.translation import gettext_lazy as _

from poolsite.console import navigation
from poolsite.console.navigation import MenuEntry
from poolsite.console.page_words import register_page_word
from queueing.dispatch import selectors


def register() -> None:
    """Register the entry. AppConfig.ready() calls this once."""
    for page, word in (
        ("dispatch:group", _("Open group")),
        ("dispatch:upgrade", _("Open upgrade")),
    ):
        register_page_word(page, word)
    navigation.register(
        MenuEntry(
            *("groups", _("Dispatcher"), "dispatch:groups", "hub"),
            section="queueing",
            order=300,
            actions=("dispatch.view",),
            incidents=("dispatch.",),
            key="r",
            suits=selectors.GROUPS.has_any,
            match=(
                *("dispatch:group", "dispatch:group_create", "dispatch:settings"),
                *("dispatch:sessions", "dispatch:events", "dispatch:upgrade"),
            ),
        )
    )
