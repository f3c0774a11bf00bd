"""When Redis lost an account's data, and which changes can be missing from the books since."""

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
    """One loss. What was changed after `written_at` (None: ever) and before it can be missing."""

    account: Account
    why: str
    written_at: datetime | None
    rebuilt_at: datetime


def recent_losses(slug: str = "") -> Iterator[Loss]:
    """The losses of the last 30 days, newest first, MOST of them; of one account with `slug`."""
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
