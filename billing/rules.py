"""The access rules of money."""

from django.utils.translation import gettext_lazy as _

from billing.models import Wallet
from poolsite.access import register_action
from poolsite.access.token_areas import (
    Example,
    TokenArea,
    TokenPurpose,
    TokenRight,
    register_area,
)

# What a sender's token may report. Only the platform's gateway sends status reports.
SENDER_EVENTS = ("hold", "sent", "cancel", "session")
MEMBERS = ("owner", "admin", "payer", "sender")


def register() -> None:
    """Register the actions and token rights. Called once, by AppConfig.ready()."""
    register_action("billing.view", roles=MEMBERS, operators=True, tokens=True)
    register_action("billing.pay", roles=["owner", "payer"], grants=["finance"], fresh_factor=True)
    register_action("billing.send", roles=["owner", "sender", "admin"], tokens=True)
    register_action("billing.hold", tokens=True)
    register_action("billing.finance", grants=["finance"], fresh_factor=True)
    register_action("billing.adjusting", grants=["finance"])  # sees links to billing.finance
    register_action("billing.own", roles=MEMBERS)  # a customer's own pages
    register_action("billing.paying", roles=["owner", "payer"])  # sees links to billing.pay
    register_action("billing.books", operators=True)  # pages for operators only
    _register_tokens()


def _register_tokens() -> None:
    account = "/api/v1/accounts/{slug}"
    hold = '{"message_id": "test-1", "chatbot": "CHATBOT", "text": "Hello"}'
    register_area(
        TokenArea(
            "wallet",
            _("Messages and money"),
            _("Balances"),
            _("All balances"),
            _("Choose at least one balance."),
            Wallet.objects.all,
            (
                TokenRight(
                    "billing.view",
                    _("View the balance and messages"),
                    Example("GET", f"{account}/balance"),
                ),
                TokenRight(
                    "billing.hold",
                    _("Charge messages to the balance"),
                    Example("POST", f"{account}/holds", hold),
                    events=SENDER_EVENTS,
                ),
            ),
            order=20,
            slug="account__slug",
            name="account__name",
            single=_("the balance"),
        ),
        TokenPurpose(
            "sender",
            _("Message sender"),
            _("Charges the messages of a chatbot to the balance"),
            "sms",
            ("billing.view", "billing.hold"),
            order=30,
        ),
    )
