"""A wallet's latest campaigns, as the portal lists them."""

from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from billing.models import Campaign, Wallet

LATEST = 5
CHIPS = {
    "sending": "chip--info",
    "scheduled": "chip--line",
    "paused": "chip--warn",
    "low": "chip--warn",
    "sent": "chip--info",
    "done": "chip--ok",
    "cancelled": "",
}


def campaign_rows(wallet: Wallet) -> list[dict[str, Any]]:
    """The latest campaigns: name, state, how many of its recipients are sent."""
    rows = list(wallet.campaigns.order_by("-created_at")[:LATEST])
    counts = {
        pk: (every, gone)
        for pk, every, gone in Campaign.objects.filter(pk__in=[row.pk for row in rows])
        .annotate(every=Count("recipients"), gone=Count("recipients", ~Q(recipients__state="")))
        .values_list("pk", "every", "gone")
    }
    return [_row(row, *counts.get(row.pk, (0, 0))) for row in rows]


def _row(row: Campaign, every: int, gone: int) -> dict[str, Any]:
    at: datetime = row.started_at or row.created_at
    note = _("%(gone)s of %(all)s sent") % {"gone": f"{gone:,}", "all": f"{every:,}"}
    return {
        "pk": row.pk,
        "name": row.name,
        "word": row.get_status_display(),
        "chip": CHIPS.get(row.status, ""),
        "note": row.status_reason or note,
        "at": at,
        "share": gone / every if every else None,
    }
