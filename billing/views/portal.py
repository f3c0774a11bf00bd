"""The customer's portal: the balance now, how long it lasts, and what it was spent on."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from billing.models import Wallet
from billing.presentation import LEDGER_WORDS, symbol
from billing.selectors import figures as now_figures
from billing.selectors import usage as usage_selectors
from billing.selectors.portal import campaign_rows, newest_under_way
from billing.selectors.recharges import method_of
from billing.selectors.wallets import own_wallet, visible_wallets, wallet_get
from billing.services.days import day_start, zone_of
from billing.views.campaigns_common import chip_of
from billing.views.campaigns_progress import progress_context
from billing.views.common import link, may_pay
from billing.views.lasting import Lasts, lasting
from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.registry import CARDS
from poolsite.console.verbs import answers_json
from poolsite.moments import moment_of
from poolsite.operations.overview import reader_of

TOP_UPS = (500, 2_000, 5_000)  # currency units
OWN_CARDS = ("numbers.pools",)  # other apps' cards of the overview that are also shown here


@require_GET
def own_portal(request: HttpRequest) -> HttpResponse:
    """Redirect to the user's own balance; operators without one choose an account."""
    principal = principal_of(request)
    access.require(principal, "billing.view")
    wallet = own_wallet(principal)
    if wallet is not None:
        return redirect("billing:portal", slug=wallet.slug)
    if principal.is_operator:
        return redirect("billing:accounts")
    return render(request, "billing/no_wallet.html")


@require_GET
def own_page(request: HttpRequest, page: str) -> HttpResponse:
    """Redirect to the page of that name of the user's own account."""
    principal = principal_of(request)
    access.require(principal, "billing.view")
    wallet = own_wallet(principal)
    if wallet is None:
        return redirect("billing:balance")
    return redirect(f"billing:{page}", slug=wallet.slug)


@require_GET
def portal(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one account's balance, live."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    figures, account = now_figures.of(wallet), wallet.account
    links = _links(principal, wallet)
    currency, now = wallet.account.currency, timezone.now()
    today = day_start(wallet.account, now)
    context = {
        "wallet": wallet,
        "account": account,
        "figures": figures,
        "promotions": [
            {"left": each.left, "ends": moment_of(each.expires_us).astimezone(zone_of(account))}
            for each in figures.grants
            if each.left
        ],
        "status": figures.status,
        "method": method_of(wallet),
        "today": f"{today:%Y-%m-%d}",
        "charged_today": usage_selectors.charged_since(wallet, today),
        "lasts": _lasts(wallet, figures, now),
        "currency_sign": symbol(currency).strip(),
        "links": links,
        "may_pay": may_pay(principal, wallet),
        "may_send": access.decide(principal, "billing.send", wallet).allowed,
        "top_ups": [(value, _whole(value, currency)) for value in TOP_UPS],
        "campaigns": [{**row, "chip": chip_of(row["campaign"])} for row in campaign_rows(wallet)],
        "running": _running(request, wallet),
        "cards": _cards(principal, wallet),
        "overview_of": f"operations.overview:{wallet.account_id}",
        "page": page_data(wallet, figures),
    }
    return render(request, "billing/portal.html", context)


def page_data(wallet: Wallet, figures: now_figures.WalletFigures) -> dict[str, Any]:
    """Return the initial data of the modules of a wallet's pages."""
    return {
        "slug": wallet.slug,
        "currency": wallet.account.currency,
        "status": figures.status,
        "spendable": figures.spendable,
        "credit_limit": figures.credit_limit,
        "daily_limit": wallet.daily_limit,
        "alert_below": wallet.alert_below,
        "kinds": {kind: [str(word) for word in words] for kind, words in LEDGER_WORDS.items()},
        "pace_url": link("pace", wallet.slug),
        "entries_url": link("entries", wallet.slug),
        "recharge_url": link("recharge", wallet.slug, 0),
        "explain_url": link("explain", wallet.slug, "revenue"),
        "message_url": f"{link('message', wallet.slug)}?id=",
        "campaign_url": link("campaign", wallet.slug, 0),
    }


def _links(principal: Principal, wallet: Wallet) -> dict[str, str]:
    slug = wallet.slug
    return {
        "receipts": link("recharges", slug),
        "statements": link("statements", slug),
        "limits": link("limits", slug) if may_pay(principal, wallet) else "",
        "top_up": link("top_up", slug),
        "campaigns": link("campaigns", slug),
        "new_campaign": link("campaign_new", slug),
        "operator": link("account", slug) if principal.is_operator else "",
    }


def _whole(value: int, currency: str) -> str:
    """¥2,000: without cents."""
    return f"{symbol(currency)}{value:,}"


def _cards(principal: Principal, wallet: Wallet) -> list[Any]:
    """Return cards of other apps about this account, for users who may see the overview's."""
    thing = access.Thing("account", wallet.slug, wallet.account_id)
    if not access.decide(principal, "operations.overview", thing):
        return []
    reader = reader_of(str(wallet.account_id))
    found = [(CARDS[name], CARDS[name].load(reader)) for name in OWN_CARDS if name in CARDS]
    return [(card, data) for card, data in found if data is not None and not data.empty]


def _lasts(wallet: Wallet, figures: now_figures.WalletFigures, now: datetime) -> Lasts | None:
    pace = usage_selectors.pace(wallet, figures.spendable, now=now)
    return lasting(figures.spendable, pace.per_hour, now=now)


def _running(request: HttpRequest, wallet: Wallet) -> dict[str, Any] | None:
    """Return the progress of the newest campaign that is under way, or None."""
    campaign = newest_under_way(wallet)
    if campaign is None:
        return None
    found = progress_context(request, campaign)
    url = link("campaign", wallet.slug, campaign.pk)
    return {**found, "progress_url": url, "campaign_page": found["page"]}


@require_GET
@answers_json
def pace(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the pace of the last 24 h, and the last days' balance; in units and ms since 1970."""
    wallet = wallet_get(principal_of(request), slug)
    now = timezone.now()
    spendable = now_figures.of(wallet).spendable
    found = usage_selectors.pace(wallet, spendable, now=now)
    lasts = found.hours or 0
    return JsonResponse(
        {
            "per_hour": found.per_hour,
            "spent": found.spent,
            "earliest_share": (found.earliest_hours or 0) / lasts if lasts else 1,
            "latest_share": (found.latest_hours or 0) / lasts if lasts else 1,
            "curve": [
                (int(at.timestamp() * 1_000), units)
                for at, units in usage_selectors.curve(wallet, spendable, now=now)
            ],
        }
    )


def first_page(principal: Principal) -> str:
    """Return the address of a customer's own portal, or ""."""
    wallet = own_wallet(principal)
    return link("portal", wallet.slug) if wallet is not None else ""


def has_portal(principal: Principal) -> bool:
    """Whether the principal is a customer with a wallet to see."""
    return not principal.is_operator and visible_wallets(principal).exists()
