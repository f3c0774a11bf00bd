"""Campaigns and their recipients in the API's form."""

from typing import Any

from billing.models import Campaign
from billing.money import plain
from billing.schemas_sending import CampaignDetailOut, CampaignOut, FiguresOut, RecipientOut
from billing.selectors.campaigns import Result, figures_of
from billing.services.campaigns import problems_of


def campaign_out(row: Campaign) -> CampaignOut:
    """Return a campaign for a list."""
    return CampaignOut(**_facts(row))


def detail_out(row: Campaign) -> CampaignDetailOut:
    """Return a campaign with its figures, and the problems that keep a draft from being sent."""
    found = figures_of(row)
    is_draft = row.status == Campaign.Status.DRAFT
    counts = {
        name: getattr(found, name)
        for name in ("waiting", "held", "sent", "failed", "expired", "cancelled", "refused")
    }
    figures = FiguresOut(
        **counts,
        delivered=found.delivered_count,
        held_money=plain(found.held_money),
        charged=plain(found.charged),
        returned=plain(found.returned),
    )
    problems = problems_of(row) if is_draft else []
    return CampaignDetailOut(**_facts(row), figures=figures, problems=problems)


def recipient_out(row: Result) -> RecipientOut:
    """Return a recipient of a campaign."""
    return RecipientOut(
        row=row.row,
        number=row.number,
        message_id=row.message_id,
        state=row.state,
        mode=row.mode,
        charged=plain(row.charged),
        reason=row.reason,
        at=row.at,
    )


def _facts(row: Campaign) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "state": row.status,
        "state_reason": row.status_reason,
        "template": row.template_id,
        "chatbot": row.chatbot.slug,
        "reading": row.is_reading,
        "recipients": row.accepted,
        "dropped": row.dropped,
        "scheduled_at": row.scheduled_at,
        "quiet_from": row.quiet_from and f"{row.quiet_from:%H:%M}",
        "quiet_until": row.quiet_until and f"{row.quiet_until:%H:%M}",
        "created_by": row.created_by,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
    }
