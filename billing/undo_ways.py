"""The changes of prices, senders and wallets that the history can undo, and those it never can."""

from django.utils.translation import gettext as _

from billing.models import Adjustment, Chatbot, Tariff, Template, Wallet
from billing.recharging.reports import PaymentEvent
from billing.services import tariffs, templates
from billing.services.chatbots import chatbot_change
from billing.services.wallets import wallet_configure
from poolsite import console
from poolsite.access.models import AuditEntry
from poolsite.console import kept_values
from poolsite.console.kept_values import Values

MOVED_MONEY = (
    PaymentEvent.PAID,
    PaymentEvent.REFUNDED,
    PaymentEvent.WITHDRAWN,
    PaymentEvent.REINSTATED,
)


def register() -> None:
    """Register the changes. Called once, by AppConfig.ready()."""
    for action, why in {
        "billing.adjustment_ask": _why_adjusted,
        "billing.adjustment_approve": _why_adjusted,
        "billing.promotion_revoke": lambda _entry: _moved(),
        "billing.recharge_report": _why_report,
        "billing.wallet_open": lambda _entry: _("The books already start with this balance."),
        "billing.tariff_end": _why_ended,
        "billing.invoice_issue": _why_issued,
        "billing.credit_issue": _why_issued,
    }.items():
        console.register_final(console.NotUndoable(action, "billing.finance", why))
    console.register_way(
        console.UndoHandler(
            console.Undo(
                "billing.wallet_configure",
                console.through(wallet_configure, "wallet"),
                why_not=_why_closed,
            ),
            "wallet",
            Wallet.objects.select_related("account").all,
            _right_of_settings,
            lambda wallets, entry: wallets.filter(account__slug=entry.thing_id),
        )
    )
    console.register_way(
        console.UndoHandler(
            console.Undo(
                "billing.tariff_change",
                console.through(tariffs.tariff_change, "tariff"),
                why_not=tariffs.why_fixed,
                lock=tariffs.lock_account,
                values=_tariff_values,
            ),
            "tariff",
            Tariff.objects.select_related("account").all,
            lambda _entry: "billing.finance",
        )
    )
    console.register_way(
        console.UndoHandler(
            console.Undo(
                "billing.template_change",
                console.through(templates.template_change, "template"),
                why_not=templates.why_fixed,
            ),
            "template",
            Template.objects.select_related("chatbot").all,
            lambda _entry: "billing.send",
        )
    )
    console.register_way(
        console.UndoHandler(
            console.Undo(
                "billing.chatbot_change",
                console.through(chatbot_change, "chatbot"),
            ),
            "chatbot",
            Chatbot.objects.all,
            lambda _entry: "billing.send",
            lambda bots, entry: bots.filter(slug=entry.thing_id, account=entry.account_id),
        )
    )


def _tariff_values(tariff: Tariff, values: Values) -> Values | None:
    """Return a tariff's fields, or None if its call rates changed, which the history lacks."""
    digest = values.get("rates_digest", tariff.rates_digest)
    if digest != tariff.rates_digest:
        return None
    rates = ("rates_count", "rates_digest")
    return kept_values.of_fields(tariff, {k: v for k, v in values.items() if k not in rates})


def _why_adjusted(entry: AuditEntry) -> str:
    """Return why an adjustment can't be undone; "" until it is applied, as no money has moved."""
    asked = Adjustment.objects.filter(pk=(entry.after or {}).get("adjustment", 0))
    return _moved() if asked.filter(status=Adjustment.Status.APPLIED).exists() else ""


def _why_report(entry: AuditEntry) -> str:
    """Return why a report can't be undone. A report of a failed payment has moved no money: ""."""
    return _moved() if (entry.after or {}).get("said") in MOVED_MONEY else ""


def _moved() -> str:
    return _("Money has moved. Correct it with an opposite adjustment.")


def _why_ended(_entry: AuditEntry) -> str:
    return _("A version's end can only be moved earlier. Create a new version instead.")


def _why_issued(_entry: AuditEntry) -> str:
    return _("An issued document never changes. Cancel an invoice with a credit note.")


def _right_of_settings(entry: AuditEntry) -> str:
    """Return the action needed to undo a change of settings: log_limit is the operators' alone."""
    return "billing.finance" if "log_limit" in (entry.after or {}) else "billing.pay"


def _why_closed(wallet: Wallet) -> str:
    if wallet.status != Wallet.Status.CLOSED:
        return ""
    return _("This account is %s.") % wallet.get_status_display()
