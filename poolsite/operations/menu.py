"""Operations' entries of the sidebar, and the labels of links to its pages."""

from django.utils.translation import gettext_lazy as _

from poolsite.access import Principal
from poolsite.console import navigation
from poolsite.console.page_words import register_page_word
from poolsite.operations import selectors


def register() -> None:
    """Register the entries. AppConfig.ready() calls this once."""
    navigation.count_badges_by(selectors.badge_counter)
    register_page_word("operations:system", _("Open system"))
    navigation.register(
        navigation.MenuEntry(
            "overview",
            _("Overview"),
            "operations:overview",
            "dashboard",
            order=10,
            actions=("operations.overview",),
            key="o",
            own_section="account",
        )
    )
    navigation.register(
        navigation.MenuEntry(
            "incidents",
            _("Incidents"),
            "operations:incidents",
            "notification_important",
            order=20,
            actions=("operations.incidents",),
            key="i",
            match=("operations:incident",),
            own_section="account",
        )
    )
    navigation.register(
        navigation.MenuEntry(
            "webhooks",
            _("Webhooks"),
            "operations:webhooks",
            "webhook",
            section="account",
            order=42,
            actions=("operations.webhooks",),
            incidents=("operations.webhook",),
            match=(
                "operations:webhook",
                "operations:webhook_add",
                "operations:webhook_edit",
                "operations:webhook_delivery",
            ),
            suits=_is_operator,  # other users, who have nine entries, open it from their tokens
        )
    )
    navigation.register(
        navigation.MenuEntry(
            "system",
            _("System"),
            "operations:system",
            "monitor_heart",
            section="system",
            order=20,
            actions=("operations.system",),
            incidents=("health.", "history.", "clock."),
            key="s",
        )
    )


def _is_operator(principal: Principal) -> bool:
    return principal.is_operator
