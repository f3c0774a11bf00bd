"""The actions of operations, and the rights of tokens to them."""

from django.utils.translation import gettext_lazy as _

from poolsite.access import register_action
from poolsite.access.token_areas import Example, TokenArea, TokenRight, register_area
from poolsite.operations.models import WebhookEndpoint

MANAGERS = ("owner", "admin")


def register() -> None:
    """Register the actions. AppConfig.ready() calls this once."""
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
    _register_tokens()


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
