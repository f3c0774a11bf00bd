"""The sidebar entries of money, and the labels of buttons that lead to its pages."""

from django.utils.translation import gettext_lazy as _

from poolsite.console import navigation
from poolsite.console.navigation import MenuEntry
from poolsite.console.page_words import register_page_word

CUSTOMERS = ("billing.own",)
OPERATORS = ("billing.books",)
TOP_UPS = ("recharges", "recharge", "recharge_pay", "top_up", "refund_ask")
INVOICES = ("invoices", "invoice", "tax_profile")
TARIFFS = (
    *("tariffs", "tariff_new", "tariff_change", "tariff_end"),
    *("call_rates", "call_rates_import"),
)
OF_ACCOUNT = ("account", "wallet_open", "account_close", "adjust")
ICONS = {
    "balance": "account_balance_wallet",
    "campaigns": "campaign",
    "templates": "description",
    "opt_outs": "do_not_disturb_on",
    "top_ups": "add_card",
    "statements": "receipt_long",
    "invoices": "request_quote",
    "usage": "bar_chart",
    "messages": "sms",
    "prices": "sell",
    "chatbots": "smart_toy",
    "alerts": "notifications",
}


def register() -> None:
    """Register the entries and labels. Called once, by AppConfig.ready()."""
    for name, word in (
        ("billing:portal", _("Open balance")),
        ("billing:campaign", _("Open campaign")),
        ("billing:account", _("Open account")),
        ("billing:accounts", _("Open balances")),
        ("billing:top_up", _("Top up")),
        ("billing:recharge", _("Open top-up")),
        ("billing:flagged", _("Open flagged reports")),
        ("billing:holds", _("Open holds")),
        ("billing:invoices", _("Open invoices")),
        ("billing:invoice", _("Open invoice")),
        ("billing:audit", _("Open money audit")),
        ("billing:books", _("Open books")),
        ("billing:explain", _("See breakdown")),
    ):
        register_page_word(name, word)
    for entry in (*_customers(), *_operators()):
        navigation.register(entry)


def _customers() -> list[MenuEntry]:
    """Return the customers' entries. A row: name, label, page, section, active pages and key."""
    rows = (
        ("balance", _("Balance"), "balance", "top", ("portal", "explain", "entries"), "b"),
        ("campaigns", _("Campaigns"), "own_campaigns", "top", _of("campaign", "campaign_new"), "k"),
        ("top_ups", _("Top-ups"), "own_top_ups", "top", TOP_UPS, "u"),
        ("statements", _("Statements"), "own_statements", "top", _of("statement"), "e"),
        (
            "messages",
            _("Messages"),
            "own_messages",
            "messages",
            ("messages", "message", "rules"),
            "x",
        ),
        (
            "templates",
            _("Templates"),
            "own_templates",
            "messages",
            _of("template", "template_new"),
            "",
        ),
        ("chatbots", _("Chatbots"), "own_chatbots", "messages", _of("chatbot", "chatbot_new"), ""),
        ("opt_outs", _("Opt-outs"), "own_opt_outs", "messages", ("opt_outs",), ""),
        ("usage", _("Usage"), "own_usage", "billing", ("usage",), ""),
        ("invoices", _("Invoices"), "own_invoices", "billing", INVOICES, ""),
        ("prices", _("Tariffs"), "own_prices", "billing", TARIFFS, ""),
        ("alerts", _("Alerts and limits"), "own_alerts", "billing", ("limits",), ""),
    )
    return [
        MenuEntry(
            name,
            label,
            f"billing:{page}",
            ICONS[name],
            section=section,
            order=10 + place,
            actions=("billing.paying",) if name == "alerts" else CUSTOMERS,
            key=key,
            match=tuple(f"billing:{other}" for other in match),
        )
        for place, (name, label, page, section, match, key) in enumerate(rows)
    ]


def _of(page: str, *more: str) -> tuple[str, ...]:
    """Return the names of an object's list page, its own page and its other pages."""
    return (f"{page}s", page, *more)


def _operators() -> list[MenuEntry]:
    rows = (
        ("wallets", _("Balances"), "accounts", "account_balance_wallet", 110, OF_ACCOUNT, "l"),
        ("holds", _("Holds by age"), "holds", "hourglass_top", 120, (), ""),
        ("flagged", _("Flagged reports"), "flagged", "flag", 130, (), "f"),
        ("adjustments", _("Adjustments"), "adjustments", "fact_check", 135, ("adjustment",), ""),
        (
            "all_invoices",
            _("Invoices"),
            "invoice_list",
            "request_quote",
            136,
            ("seller", "rate_end"),
            "",
        ),
        ("terminals", _("Terminals"), "terminals", "perm_device_information", 137, (), ""),
        ("books", _("Books"), "books", "menu_book", 140, (), ""),
        ("money_audit", _("Money audit"), "audit", "verified", 150, (), "m"),
    )
    incidents = {
        "wallets": ("billing.low_balance", "billing.safe_mode"),
        "books": ("billing.persist", "billing.lag"),
        "money_audit": ("billing.audit", "billing.invoice_numbers"),
        "all_invoices": ("billing.invoices",),
    }
    return [
        MenuEntry(
            name,
            label,
            f"billing:{page}",
            icon,
            section="messages" if name == "terminals" else "billing",
            order=order,
            actions=("billing.adjusting",) if name == "adjustments" else OPERATORS,
            incidents=incidents.get(name, ()),
            key=key,
            match=tuple(f"billing:{other}" for other in match),
        )
        for name, label, page, icon, order, match, key in rows
    ]
