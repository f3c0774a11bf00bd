"""The sidebar's entries of money, and what buttons that lead to its pages say."""

from django.utils.translation import gettext_lazy as _

from poolsite.operations import navigation
from poolsite.operations.navigation import Entry
from poolsite.operations.page_words import register_page_word

CUSTOMERS = ("billing.own",)
OPERATORS = ("billing.books",)


def register() -> None:
    """Called once, by AppConfig.ready()."""
    for name, word in (
        ("billing:portal", _("Open balance")),
        ("billing:campaign", _("Open campaign")),
        ("billing:account", _("Open account")),
        ("billing:accounts", _("Open accounts")),
        ("billing:flagged", _("Open reports")),
        ("billing:holds", _("Open holds")),
        ("billing:audit", _("Open the audit")),
        ("billing:books", _("Open the books")),
        ("billing:explain", _("Explain it")),
    ):
        register_page_word(name, word)
    for entry in (*_customers(), *_operators()):
        navigation.register(entry)


def _customers() -> list[Entry]:
    return [
        Entry(
            "balance",
            _("Balance"),
            "billing:balance",
            "account_balance_wallet",
            section="billing",
            order=10,
            actions=CUSTOMERS,
            key="b",
            match=("billing:portal", "billing:explain", "billing:entries"),
        ),
        Entry(
            "campaigns",
            _("Campaigns"),
            "billing:own_campaigns",
            "campaign",
            section="billing",
            order=20,
            actions=CUSTOMERS,
            match=("billing:campaigns", "billing:campaign", "billing:campaign_new"),
        ),
        Entry(
            "templates",
            _("Templates"),
            "billing:own_templates",
            "description",
            section="billing",
            order=25,
            actions=CUSTOMERS,
            match=("billing:templates", "billing:template", "billing:template_new"),
        ),
        Entry(
            "opt_outs",
            _("Opt-outs"),
            "billing:own_opt_outs",
            "do_not_disturb_on",
            section="billing",
            order=30,
            actions=CUSTOMERS,
            match=("billing:opt_outs",),
        ),
        Entry(
            "top_ups",
            _("Top-ups"),
            "billing:own_top_ups",
            "add_card",
            section="billing",
            order=40,
            actions=CUSTOMERS,
            match=("billing:recharges", "billing:recharge", "billing:top_up"),
        ),
        Entry(
            "statements",
            _("Statements"),
            "billing:own_statements",
            "receipt_long",
            section="billing",
            order=50,
            actions=CUSTOMERS,
            match=("billing:statements", "billing:statement"),
        ),
        Entry(
            "prices",
            _("Prices"),
            "billing:own_prices",
            "sell",
            section="billing",
            order=80,
            actions=CUSTOMERS,
            match=("billing:tariffs",),
        ),
        Entry(
            "chatbots",
            _("Chatbots"),
            "billing:own_chatbots",
            "smart_toy",
            section="billing",
            order=85,
            actions=CUSTOMERS,
            match=("billing:chatbots", "billing:chatbot", "billing:chatbot_new"),
        ),
        Entry(
            "alerts",
            _("Alerts and limits"),
            "billing:own_alerts",
            "notifications",
            section="billing",
            order=90,
            actions=("billing.paying",),
            match=("billing:limits",),
        ),
        Entry(
            "usage",
            _("Usage"),
            "billing:own_usage",
            "bar_chart",
            section="billing",
            order=60,
            actions=CUSTOMERS,
            match=("billing:usage",),
        ),
        Entry(
            "messages",
            _("Messages"),
            "billing:own_messages",
            "sms",
            section="billing",
            order=70,
            actions=CUSTOMERS,
            match=("billing:messages", "billing:message", "billing:rules"),
        ),
    ]


def _operators() -> list[Entry]:
    rows = (
        ("wallets", _("Accounts"), "accounts", "account_balance_wallet", 110, ("account",), "a"),
        ("holds", _("Holds by age"), "holds", "hourglass_top", 120, (), ""),
        ("flagged", _("Flagged reports"), "flagged", "flag", 130, (), "f"),
        ("adjustments", _("Adjustments"), "adjustments", "fact_check", 135, ("adjustment",), ""),
        ("books", _("Books"), "books", "menu_book", 140, (), ""),
        ("money_audit", _("Money audit"), "audit", "verified", 150, (), "m"),
    )
    incidents = {
        "wallets": ("billing.low_balance", "billing.safe_mode"),
        "books": ("billing.persist", "billing.lag"),
        "money_audit": ("billing.audit",),
    }
    return [
        Entry(
            name,
            label,
            f"billing:{page}",
            icon,
            section="billing",
            order=order,
            actions=("billing.adjusting",) if name == "adjustments" else OPERATORS,
            incidents=incidents.get(name, ()),
            key=key,
            match=tuple(f"billing:{other}" for other in match),
        )
        for name, label, page, icon, order, match, key in rows
    ]
