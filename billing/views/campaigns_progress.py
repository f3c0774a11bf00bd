"""The progress of one campaign, for its own page and the portal (campaigns/progress.html)."""

from typing import Any

from django.http import HttpRequest

from billing.models import Campaign
from billing.presentation import MODE_LOOKS, mode_word
from billing.pricing.modes import ends_of
from billing.selectors.campaigns import figures_of
from billing.views.campaigns_common import chip_of, may_send
from poolsite.console.pages import principal_of

Status = Campaign.Status


def progress_context(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """Return the context of the card; `page` is the data of its module js/billing/campaign.js."""
    figures = figures_of(campaign)
    native = campaign.template.native_kind
    ends = [*ends_of(native, "yuexin"), *ends_of(native, "video")[1:]]
    ends += [mode for mode in figures.delivered if mode not in ends]
    can_end = (Status.SENDING, Status.SCHEDULED, Status.PAUSED, Status.LOW_BALANCE)
    return {
        "campaign": campaign,
        "chip": chip_of(campaign),
        "may": may_send(principal_of(request), campaign),
        "figures": figures,
        "modes": [
            {
                "mode": mode,
                "word": mode_word(mode),
                "look": MODE_LOOKS.get(mode, "other"),
                "count": figures.delivered.get(mode, 0),
            }
            for mode in ends
        ],
        "may_pause": campaign.status in (Status.SENDING, Status.SCHEDULED),
        "may_resume": campaign.status in (Status.PAUSED, Status.LOW_BALANCE),
        "may_cancel": campaign.status in can_end,
        "left": figures.waiting,
        "page": {
            "topic": campaign.topic,
            "wallet": campaign.wallet.slug,
            "currency": campaign.wallet.account.currency,
            "status": campaign.status,
            "reading": campaign.is_reading,
            "figures": figures.as_data(),
            "looks": MODE_LOOKS,
        },
    }
