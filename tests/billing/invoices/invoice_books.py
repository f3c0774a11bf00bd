"""The books of the invoices' tests: a seller, rates, and the charges of a past month."""

from datetime import UTC, date, datetime
from typing import Any

from billing.models import Invoice, JournalEntry, Wallet
from billing.services.days import Month, month_of
from billing.services.invoices import invoice_issue
from billing.services.tax_profiles import rate_create, seller_of, seller_set
from tests.billing.recharge.statement_books import at_us, charge, put, top_up

MONTH = "2026-01"
BEGIN = date(2020, 1, 1)
SELLER: dict[str, Any] = {
    "name": "Poolsite Ltd",
    "address": "Harbour Street 8\nShanghai",
    "country": "CN",
    "tax_id": "91310000MA1",
    "prefix": "PS",
    "zone": "Asia/Shanghai",
    "first_month": date(2026, 1, 1),
}


def set_up() -> None:
    """Set up the seller, and 6 % on messages and 9 % on calls in CN, once."""
    if seller_of() is not None:
        return
    seller_set(actor="test", **SELLER)
    for kind, rate in (("messages", 600), ("calls", 900)):
        rate_create(actor="test", country="CN", kind=kind, name="VAT", rate=rate, valid_from=BEGIN)


def month(wallet: Wallet, name: str = MONTH) -> Month:
    return month_of(wallet.account, name)


def charges(wallet: Wallet, year: int = 2026, number: int = 1) -> int:
    """Write a month's charges of two chatbots, messages and a call. Return their total."""
    rows = (
        *(("native_text", 4_201, "shop"), ("native_text", 4_200, "shop")),
        *(("native_text", 999, "news"), ("video", 14_507, "shop"), ("call", 9_001, "")),
    )
    for place, (mode, units, chatbot) in enumerate(rows):
        charge(wallet, at_us(wallet, year, number, 3 + place, 12), mode, units, chatbot=chatbot)
    return sum(units for _mode, units, _chatbot in rows)


def later(wallet: Wallet) -> JournalEntry:
    """Write an entry of the present, so that the books have everything before it."""
    return put(wallet, int(datetime.now(UTC).timestamp() * 1_000_000), "sent")


def issued(wallet: Wallet, name: str = MONTH) -> Invoice:
    """Return the invoice of a month with charges. Repeated calls return the same invoice."""
    set_up()
    found = Invoice.objects.filter(wallet=wallet).order_by("-pk").first()
    if found is None:
        year, number = map(int, name.split("-"))
        top_up(wallet, at_us(wallet, year, number, 2), charges(wallet, year, number))
        later(wallet)
        found = invoice_issue(wallet, month(wallet, name), actor="test")
    return Invoice.objects.select_related("wallet__account").get(pk=found.pk)
