"""Automatic invoices: the sweep issues each complete month, oldest first."""

import time
from datetime import UTC, date, datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop, override

from billing.models import InvoiceCursor, JournalEntry, Seller, Wallet
from billing.services.days import Month, month_after, month_before, month_of, zone_of
from billing.services.invoices import (
    NotCompleteError,
    NothingChargedError,
    invoice_issue,
    lock_invoices,
)
from billing.services.tax_profiles import seller_of
from poolsite.operations import incidents

ACTOR = "billing.invoices"
TYPE = "billing.invoices"
SECONDS = 20.0  # of one run
AHEAD = timedelta(hours=14)  # no time zone's month ends earlier


def issue_due() -> dict[str, int]:
    """Issue the invoices of complete months, for a bounded time; the next run continues.

    A month with charges that can't be invoiced (no tax rate) opens an incident for its account and
    is tried again. A month that was credited is not invoiced again automatically.
    """
    done = {"issued": 0, "waiting": 0}
    seller = seller_of()
    if seller is None:
        return done
    end = time.monotonic() + SECONDS
    for wallet in _behind():
        if time.monotonic() > end:
            break
        _issue_of(wallet, seller, done)
    return done


def _behind() -> list[Wallet]:
    """Return the wallets with a month that may be complete, those checked longest ago first."""
    this = (timezone.now() + AHEAD).date().replace(day=1)
    last = month_before(this)
    rows = Wallet.objects.select_related("account", "invoice_cursor")
    rows = rows.filter(Q(invoice_cursor__month=None) | Q(invoice_cursor__month__lt=last))
    # PostgreSQL sorts NULL last: accounts never checked would wait behind those without charges.
    tried_at = F("invoice_cursor__tried_at").asc(nulls_first=True)
    return list(rows.order_by(tried_at, "pk")[:2_000])


def _issue_of(wallet: Wallet, seller: Seller, done: dict[str, int]) -> None:
    month = _first_month(wallet, seller)
    trouble = ""
    while month is not None and month.end_us <= timezone.now().timestamp() * 1_000_000:
        try:
            with override("en"):
                made = _issue(wallet, month)
        except NotCompleteError:
            break
        except ValidationError as error:
            trouble = " ".join(error.messages)
            break
        done["issued"] += made
        _move(wallet, month.first)
        month = _following(wallet, month)
    _move(wallet, None)
    _tell(wallet, trouble)
    done["waiting"] += bool(trouble)


def _issue(wallet: Wallet, month: Month) -> bool:
    """Issue the invoice and return True, or return False if the month has one or has no charges."""
    if wallet.invoices.filter(month=month.first).exists():
        return False
    try:
        invoice_issue(wallet, month, actor=ACTOR)
    except NothingChargedError:
        return False
    return True


def _first_month(wallet: Wallet, seller: Seller) -> Month | None:
    """Return the month to begin with, or None while the journal is empty."""
    cursor = InvoiceCursor.objects.filter(wallet=wallet).first()
    if cursor is not None and cursor.month is not None:
        return _following(wallet, month_of(wallet.account, f"{cursor.month:%Y-%m}"))
    first = JournalEntry.objects.filter(wallet=wallet).order_by("at_us").first()
    if first is None:
        return None
    began = datetime.fromtimestamp(first.at_us / 1_000_000, UTC).astimezone(zone_of(wallet.account))
    month = max(seller.first_month, began.date().replace(day=1))
    return month_of(wallet.account, f"{month:%Y-%m}")


def _following(wallet: Wallet, month: Month) -> Month:
    return month_of(wallet.account, f"{month_after(month.first):%Y-%m}")


def _move(wallet: Wallet, month: date | None) -> None:
    """Move the cursor to a processed month, or with None only record that it was checked."""
    with transaction.atomic():
        cursor = lock_invoices(wallet)
        cursor.tried_at = timezone.now()
        if month is not None and (cursor.month is None or cursor.month < month):
            cursor.month = month
        cursor.save(update_fields=["month", "tried_at"])


def _tell(wallet: Wallet, trouble: str) -> None:
    """Open the account's incident, or close it."""
    if not trouble:
        incidents.close(type=TYPE, object=wallet.slug)
        return
    incidents.open(
        type=TYPE,
        object=wallet.slug,
        severity="warning",
        title=gettext_noop("%(account)s: invoice can't be issued"),
        detail=gettext_noop("The month is complete, but its invoice is not issued. %(why)s"),
        remedy=gettext_noop("Correct the seller, the tax rates or the tax profile."),
        url=reverse("billing:invoices", args=[wallet.slug]),
        params={"account": wallet.account.name, "why": trouble},
    )
