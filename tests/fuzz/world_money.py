"""The money of a tenant of the fuzz test: campaigns in each state, flagged reports, and more."""

from datetime import UTC, datetime
from typing import Any

from billing.models import (
    Adjustment,
    Campaign,
    FlaggedReport,
    JournalEntry,
    MoneyOrder,
    Recipient,
    Wallet,
)
from billing.persistence.running import persist_one
from billing.services.templates import template_create
from poolsite.access.services import user_create
from tests.billing.api.shop import Shop
from tests.billing.invoices.invoice_books import set_up

EACH, REPORTS = 30, 120
LATER = datetime(2090, 1, 1, tzinfo=UTC)
COMPLETE = {
    "native_text": "Our list",
    "yuexin_text": "Our list https://example.com/s",
    "yuexin_link": "https://example.com/s",
    "link_registered": True,
    "video_subject": "List",
    "video_kilobytes": 150,
}
STATES = ("draft", "scheduled", "paused", "low")


def make_money(shop: Shop, mark: str) -> None:
    """Create balances in the books, a template, campaigns, and open reports."""
    persist_one(Wallet.objects.select_related("account").get(pk=shop.wallet.pk))
    template = template_create(actor="fuzz", chatbot=shop.chatbot, name=f"{mark} text", **COMPLETE)
    for state in STATES:
        for number in range(EACH):
            campaign = Campaign.objects.create(
                wallet=shop.wallet,
                chatbot=shop.chatbot,
                template=template,
                name=f"{mark} {state} {number}",
                status=state,
                scheduled_at=LATER,
                uploaded=1,
                created_by="fuzz",
            )
            Recipient.objects.create(
                campaign=campaign,
                row=1,
                number="+8613900000001",
                message_id=f"c{campaign.pk}-1",
            )
    asker = user_create(username=f"{shop.slug}-finance", actor="fuzz", is_operator=True)
    for number in range(EACH):
        operation = f"adjust:stuck-{shop.slug}-{number}"
        facts: dict[str, Any] = {"kind": "cash_refund", "amount": 2 * 10**15}
        Adjustment.objects.create(
            wallet=shop.wallet,
            reason="stuck",
            status="applied",
            asked_by=asker,
            operation_id=operation,
            **facts,
        )
        MoneyOrder.objects.create(wallet=shop.wallet, operation_id=operation, **facts)
    _invoiced(shop.wallet)
    for number in range(REPORTS):
        FlaggedReport.objects.create(
            wallet=shop.wallet,
            generation=9,
            seq=number + 1,
            message_id=f"{mark}-{number}",
            flag="late",
            state="expired",
            difference=900,
            at=datetime(2026, 1, 1, tzinfo=UTC),
        )


def _invoiced(wallet: Wallet) -> None:
    """Create a past month with a charge that a top-up paid, and the seller."""
    set_up()
    at_us = int(datetime(2026, 1, 15, tzinfo=UTC).timestamp() * 1_000_000)
    for seq, (kind, units) in enumerate((("recharge", 1_200), ("session", -1_200)), start=1):
        charged = max(0, -units)
        JournalEntry.objects.create(
            wallet=wallet,
            generation=0,
            seq=seq,
            at_us=at_us + seq,
            kind=kind,
            operation_id=f"past-{seq}",
            spendable=units,
            revenue=charged,
            cash=-units - charged,
            mode="native_session" if charged else "",
        )
