"""An account's campaigns: found by name, filtered by state, sorted, and as a file."""

from typing import Any

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing import money
from billing.campaigns.figures import CampaignFigures
from billing.models import Campaign, Wallet
from billing.selectors.campaigns import figures_of, visible_campaigns
from billing.selectors.people import names_of
from billing.selectors.wallets import wallet_get
from billing.views.campaigns_common import chip_of, may_send
from poolsite.console import tables
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn
from poolsite.console.templatetags.console import figure
from poolsite.moments import iso


@require_GET
def campaign_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show an account's campaigns, newest first; `?format=csv` returns them as a file."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    text = tables.text_of(request, "q")
    rows = visible_campaigns(principal).filter(wallet=wallet)
    if text:
        rows = rows.filter(name__istartswith=text)
    state = tables.choice_of(request, "state", _("State"), _states(wallet, text))
    if state.value:
        rows = rows.filter(status=state.value)
    total = rows.count()  # an account has hundreds
    return tables.answer(
        request,
        "billing/campaigns/list.html",
        rows,
        _columns(),
        given={"q": text, "state": state.value},
        file=f"campaigns-{wallet.slug}",
        dress=_dressed,
        context={
            "wallet": wallet,
            "account": wallet.account,
            "may_send": may_send(principal, wallet),
            "text": text,
            "choices": [state],
            "shown": ngettext("%(n)s campaign", "%(n)s campaigns", total) % {"n": figure(total)},
        },
    )


def _states(wallet: Wallet, text: str) -> list[tuple[str, str]]:
    rows = Campaign.objects.filter(wallet=wallet, name__istartswith=text)
    counts = dict(rows.order_by().values_list("status").annotate(Count("pk")))
    return [
        ("", _("All states")),
        *(
            (value, f"{str(word).capitalize()} ({figure(counts.get(value, 0))})")
            for value, word in Campaign.Status.choices
        ),
    ]


def _dressed(campaigns: list[Campaign]) -> list[dict[str, Any]]:
    names = names_of(each.created_by for each in campaigns)
    return [_row(each) | {"by": names[each.created_by]} for each in campaigns]


def _row(campaign: Campaign) -> dict[str, Any]:
    figures = figures_of(campaign)
    tried = figures.handed_over + figures.refused
    return {
        "campaign": campaign,
        "chip": chip_of(campaign),
        "figures": figures,
        "share": tried / figures.recipients if figures.recipients else 0,
    }


def _columns() -> list[SqlColumn[Campaign]]:
    known: dict[int, CampaignFigures] = {}

    def of(campaign: Campaign) -> CampaignFigures:
        if campaign.pk not in known:
            known.clear()  # one row at a time: a file needs no more
            known[campaign.pk] = figures_of(campaign)
        return known[campaign.pk]

    return [
        SqlColumn("name", _("Campaign"), lambda row: row.name, right=False, order=("name",)),
        SqlColumn("state", _("State"), lambda row: row.status, order=("status",)),
        SqlColumn("progress", _("Progress"), lambda row: of(row).handed_over + of(row).refused),
        SqlColumn("recipients", _("Recipients"), lambda row: of(row).recipients, right=True),
        SqlColumn("delivered", _("Delivered"), lambda row: of(row).delivered_count, right=True),
        SqlColumn("not_delivered", _("Not delivered"), lambda row: of(row).undelivered, right=True),
        SqlColumn("cost", _("Cost"), lambda row: money.plain(of(row).charged), right=True),
        SqlColumn("currency", "", lambda row: row.wallet.account.currency),
        SqlColumn("template", "", lambda row: row.template.name),
        SqlColumn("chatbot", "", lambda row: row.chatbot.slug),
        SqlColumn("by", _("By"), lambda row: row.created_by, order=("created_by",)),
        SqlColumn(
            "created",
            _("Created"),
            lambda row: iso(row.created_at),
            order=("created_at",),
            falls=True,
        ),
        SqlColumn("started", "", lambda row: iso(row.started_at)),
        SqlColumn("ended", "", lambda row: iso(row.ended_at)),
    ]
