"""A wallet's latest campaigns, as the portal lists them."""

from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from billing.models import Campaign, Recipient, Wallet

LATEST = 5


def newest_under_way(wallet: Wallet) -> Campaign | None:
    """Return the campaign whose progress matters now: a sending one, else one awaiting reports."""
    rows = Campaign.objects.filter(wallet=wallet, status__in=Campaign.UNDER_WAY)
    order = {"sending": 0, "low": 1, "paused": 2, "sent": 3}
    found = rows.select_related("wallet__account", "template", "chatbot", "job").order_by("-pk")
    return min(found[:20], key=lambda row: (order[row.status], -row.pk), default=None)


def campaign_rows(wallet: Wallet) -> list[dict[str, Any]]:
    """Return the latest campaigns: name, state, the share of recipients that were handed over."""
    rows = list(Campaign.objects.filter(wallet=wallet).order_by("-pk")[:LATEST])
    found = (
        Recipient.objects.filter(campaign__in=rows)
        .order_by()
        .values_list("campaign")
        .annotate(every=Count("pk"), left=Count("pk", Q(state=Recipient.State.WAITING)))
    )
    counts = {pk: (every, every - left) for pk, every, left in found}
    return [_row(row, *counts.get(row.pk, (0, 0))) for row in rows]


def _row(row: Campaign, every: int, gone: int) -> dict[str, Any]:
    note = _("%(gone)s of %(all)s processed") % {"gone": f"{gone:,}", "all": f"{every:,}"}
    return {
        "campaign": row,
        "note": note if every else _("no recipients yet"),
        "at": row.started_at or row.created_at,
        "share": gone / every if every else None,
    }
