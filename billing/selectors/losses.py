"""Losses of an account's Redis data, and the changes that may be missing from the books."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from billing.persistence.reading import LOST
from poolsite.access.models import Account, AuditEntry

SHOWN_FOR: Final = timedelta(days=30)
MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss.

    Changes after `written_at` (None: all changes) and before the loss may be missing.
    """

    account: Account
    why: str
    written_at: datetime | None
    rebuilt_at: datetime


def recent_losses(slug: str = "") -> Iterator[Loss]:
    """Yield the losses of the last 30 days, newest first, at most MOST; `slug`: of one account."""
    entries = AuditEntry.objects.filter(
        action="billing.wallet_rebuild", reason__in=LOST, at__gt=timezone.now() - SHOWN_FOR
    ).exclude(account=None)
    if slug:
        entries = entries.filter(account__slug=slug)
    for entry in entries.select_related("account").order_by("-pk")[:MOST]:
        if entry.account is not None:
            written = (entry.after or {}).get("persisted_at")
            at = parse_datetime(written) if written else None
            yield Loss(entry.account, entry.reason, at, entry.at)
