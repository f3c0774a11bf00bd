"""The actions of operations, and the places of its pages in the sidebar."""

from django.utils.translation import gettext_lazy as _

from poolsite.access import Principal, register_action
from poolsite.access.token_areas import Example, TokenArea, TokenRight, register_area
from poolsite.operations import navigation
from poolsite.operations.models import WebhookEndpoint
from poolsite.operations.page_words import register_page_word

MANAGERS = ("owner", "admin")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("operations.overview", roles=MANAGERS, operators=True)
    register_action("operations.incidents", roles=MANAGERS, operators=True)
    register_action("operations.acknowledge", roles=MANAGERS, grants=["operate"])
    register_action("operations.resolve", grants=["operate", "finance"])
    register_action("operations.targets_change", roles=MANAGERS, grants=["operate"])
    register_action("operations.webhooks", roles=MANAGERS, operators=True, tokens=True)
    register_action("operations.webhooks_change", roles=MANAGERS, grants=["operate"], tokens=True)
    register_action("operations.search", members=True, operators=True)
    register_action("operations.system", operators=True)
    register_action("operations.system_change", grants=["operate"], everywhere=True)
    register_page_word("operations:system", _("Open system"))
    register_page_word("access:tokens", _("Open tokens"))
    register_page_word("access:operators", _("Open operators"))
    register_page_word("access:accounts", _("Open accounts"))
    register_page_word("access:finance_request", _("Open request"))
    navigation.register(
        navigation.Entry(
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
        navigation.Entry(
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
        navigation.Entry(
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
            suits=_is_operator,  # others, who have nine entries, open it from their tokens
        )
    )
    _register_tokens()
    navigation.register(
        navigation.Entry(
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


def _register_tokens() -> None:
    webhooks = "/api/v1/webhooks"
    register_area(
        TokenArea(
            "webhook",
            _("Webhooks"),
            _("Webhook endpoints"),
            _("All webhook endpoints"),
            _("Choose at least one webhook endpoint."),
            WebhookEndpoint.objects.all,
            (
                TokenRight(
                    "operations.webhooks",
                    _("View webhook endpoints and deliveries"),
                    Example("GET", webhooks),
                ),
                TokenRight(
                    "operations.webhooks_change",
                    _("Create and change webhook endpoints"),
                    Example("POST", f"{webhooks}/{{slug}}/test"),
                ),
            ),
            order=70,
        )
    )
