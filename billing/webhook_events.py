"""The webhook events of money: final message states, top-ups, low balances, campaigns, invoices."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from billing import money
from billing.models import Campaign, CreditNote, Invoice, Message, Recharge, Wallet
from billing.models.messages import State
from billing.persistence.folding import MessageDelta
from poolsite.moments import iso
from poolsite.operations.webhooks import emitting
from poolsite.operations.webhooks.emitting import Happened
from poolsite.operations.webhooks.event_types import EventType, declare

MESSAGES, MONEY, CAMPAIGNS = _("Messages"), _("Balance"), _("Campaigns")
# The event of each final state.
OF_STATE: dict[str, str] = {
    State.SETTLED: "message.delivered",
    State.FAILED: "message.failed",
    State.EXPIRED: "message.expired",
    State.CANCELLED: "message.cancelled",
}
_AT = "2026-03-01T02:32:07.481920+00:00"
_MESSAGE = {
    "message": "c-1042",
    "chatbot": "bank-bot",
    "kind": "message",
    "mode": "native_text",
    "charged": "0.1000",
    "currency": "CNY",
    "held_at": _AT,
    "sent_at": _AT,
    "ended_at": _AT,
}
_RECHARGE = {
    "top_up": "R00000012",
    "amount": "500.0000",
    "currency": "CNY",
    "provider": "stripe",
    "reference": "pi_3MtwBw",
}
_BALANCE = {
    "balance": "41.2500",
    "credit_limit": "0.0000",
    "spendable": "41.2500",
    "threshold": "50.0000",
    "currency": "CNY",
}
_CREDIT_LIMIT = {"credit_limit": "500.0000", "before": "0.0000", "currency": "CNY"}
_INVOICE = {
    "invoice": "PS-2026-000017",
    "id": 17,
    "month": "2026-02",
    "currency": "CNY",
    "net": "943.3962",
    "tax": "56.6038",
    "total": "1000.0000",
    "issued_at": _AT,
}
_CAMPAIGN = {
    "campaign": 17,
    "name": "Spring offer",
    "status": "done",
    "uploaded": 2_000,
    "reason": "",
}


def register() -> None:
    """Register the event types. Called once, by AppConfig.ready()."""
    declare(
        *(
            EventType(name, MESSAGES, label, when, _MESSAGE)
            for name, label, when in (
                (
                    *("message.delivered", _("Message delivered")),
                    _("The final report came. The charge is the price of the mode it names."),
                ),
                (
                    *("message.failed", _("Message failed")),
                    _("The final report says that it failed. The whole hold was returned."),
                ),
                (
                    *("message.expired", _("Message expired")),
                    _("No final report came within 72 hours. The whole hold was returned."),
                ),
                (
                    *("message.cancelled", _("Message cancelled")),
                    _("The hold was cancelled, or the message wasn't sent in time."),
                ),
            )
        ),
        EventType(
            *("top_up.credited", MONEY, _("Top-up credited")),
            _("A payment was confirmed and added to the balance."),
            _RECHARGE,
        ),
        EventType(
            *("top_up.failed", MONEY, _("Top-up failed")),
            _("The payment provider rejected or cancelled a payment."),
            _RECHARGE,
        ),
        EventType(
            *("balance.low", MONEY, _("Balance low")),
            _("The balance fell below the alert threshold."),
            _BALANCE,
        ),
        EventType(
            *("balance.recovered", MONEY, _("Balance recovered")),
            _("The balance is 10% above the alert threshold again."),
            _BALANCE,
        ),
        EventType(
            *("credit_limit.changed", MONEY, _("Credit limit changed")),
            _("The account can spend more, or less, beyond its balance."),
            _CREDIT_LIMIT,
        ),
        EventType(
            *("invoice.issued", MONEY, _("Invoice issued")),
            _("The invoice of a month was issued."),
            _INVOICE,
        ),
        EventType(
            *("invoice.credited", MONEY, _("Invoice credited")),
            _("A credit note cancelled an invoice."),
            {**_INVOICE, "credit_note": "PS-CN-2026-000001", "reason": "Wrong address"},
        ),
        EventType(
            *("campaign.completed", CAMPAIGNS, _("Campaign completed")),
            _("Every message of the campaign has its final state."),
            _CAMPAIGN,
        ),
        EventType(
            *("campaign.paused", CAMPAIGNS, _("Campaign paused")),
            _("The platform paused the campaign, and says why."),
            _CAMPAIGN,
        ),
    )


def messages_ended(deltas: Sequence[MessageDelta]) -> None:
    """Emit the events of messages that a batch moved to their final state, in its transaction.

    Reads the messages' rows only for accounts with a listening webhook.
    """
    ended = {
        (delta.wallet_id, delta.message_id): OF_STATE[delta.state]
        for delta in deltas
        if delta.state in OF_STATE and not delta.forgotten
    }
    if not ended:
        return
    wallets = Wallet.objects.select_related("account").in_bulk({key for key, _ in ended})
    accounts = {wallet.account_id for wallet in wallets.values()}
    listening = emitting.listening(set(ended.values()), accounts)
    heard = {key for key, wallet in wallets.items() if wallet.account_id in listening}
    if not heard:
        return
    rows = Message.objects.filter(
        wallet_id__in=heard, message_id__in=[name for key, name in ended if key in heard]
    )
    emitting.emit_many(
        [
            _message(wallets[row.wallet_id], row, ended[row.wallet_id, row.message_id])
            for row in rows
            if (row.wallet_id, row.message_id) in ended
        ]
    )


def _message(wallet: Wallet, row: Message, kind: str) -> Happened:
    return Happened(
        kind,
        wallet.account_id,
        {
            "message": row.message_id,
            "chatbot": row.chatbot,
            "kind": row.kind,
            "mode": row.mode,
            "charged": money.plain(row.charged),
            "currency": wallet.account.currency,
            **{name: iso(getattr(row, name)) for name in ("held_at", "sent_at", "ended_at")},
        },
        key=row.message_id,  # a late report must not emit a second event
    )


def top_up(kind: str, recharge: Recharge) -> None:
    """Emit a top-up's event: `top_up.credited` or `top_up.failed`."""
    wallet = recharge.wallet
    emitting.emit(
        kind,
        account_id=wallet.account_id,
        data={
            "top_up": recharge.number,
            "amount": money.plain(recharge.amount),
            "currency": recharge.currency,
            "provider": recharge.variant,
            "reference": recharge.transaction_id,
        },
        page=partial(reverse, "billing:recharges", args=[wallet.slug]),
        key=recharge.number,
    )


def balance(kind: str, wallet: Wallet) -> None:
    """Emit a balance's event: `balance.low` or `balance.recovered`."""
    emitting.emit(
        kind,
        account_id=wallet.account_id,
        data={
            "balance": money.plain(wallet.spendable),
            "credit_limit": money.plain(wallet.credit_limit),
            "spendable": money.plain(wallet.can_spend),
            "threshold": money.plain(wallet.alert_below),
            "currency": wallet.account.currency,
        },
        page=partial(reverse, "billing:portal", args=[wallet.slug]),
    )


def credit_limit(wallet: Wallet, before: int) -> None:
    """Emit `credit_limit.changed` after a limit was raised or lowered."""
    emitting.emit(
        "credit_limit.changed",
        account_id=wallet.account_id,
        data={
            "credit_limit": money.plain(wallet.credit_limit),
            "before": money.plain(before),
            "currency": wallet.account.currency,
        },
        page=partial(reverse, "billing:portal", args=[wallet.slug]),
    )


def invoice_issued(found: Invoice) -> None:
    """Emit `invoice.issued`."""
    _invoice("invoice.issued", found, found.number, {})


def invoice_credited(note: CreditNote) -> None:
    """Emit `invoice.credited` for a credit note."""
    more = {"credit_note": note.number, "reason": note.reason}
    _invoice("invoice.credited", note.invoice, note.number, more)


def _invoice(kind: str, found: Invoice, key: str, more: dict[str, str]) -> None:
    emitting.emit(
        kind,
        account_id=found.wallet.account_id,
        data={
            "invoice": found.number,
            "id": found.pk,
            "month": found.month_name,
            "currency": found.currency,
            **{name: money.plain(getattr(found, name)) for name in ("net", "tax", "total")},
            "issued_at": iso(found.issued_at),
            **more,
        },
        page=partial(reverse, "billing:invoice", args=[found.wallet.slug, found.pk]),
        key=key,
    )


def campaign(kind: str, found: Campaign, **changed: Any) -> None:
    """Emit `campaign.completed` or `campaign.paused`. `changed`: values that replace the row's."""
    emitting.emit(
        kind,
        account_id=found.wallet.account_id,
        data={
            "campaign": found.pk,
            "name": found.name,
            "status": found.status,
            "uploaded": found.uploaded,
            "reason": "",
            **changed,
        },
        page=partial(reverse, "billing:campaign", args=[found.wallet.slug, found.pk]),
    )
