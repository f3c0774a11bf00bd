"""For operators: all accounts with money, live, and the page of one with its actions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_GET, require_POST

from billing.models import Adjustment, Wallet
from billing.money import plain
from billing.presentation import amount, symbol
from billing.selectors import figures as now_figures
from billing.selectors.adjustments import adjustment_counts
from billing.selectors.holds import holds_by_age
from billing.selectors.tariffs import tariff_at
from billing.selectors.usage import charged_since, last_day
from billing.selectors.wallets import SHOWS, SORTS, WalletQuery, wallet_get
from billing.services.days import day_start
from billing.services.rebuilding import NotRebuiltError
from billing.services.rebuilding_drill import wallet_rebuild
from billing.services.wallets import wallet_freeze, wallet_unfreeze
from billing.views.account_facts import details, internals
from billing.views.common import finance_of, given, link
from billing.views.holds import named
from billing.views.lasting import lasting
from billing.views.portal import page_data
from poolsite import access
from poolsite.access import Principal
from poolsite.console.chips import chips_of
from poolsite.console.goals import guide_url
from poolsite.console.lists import address, head
from poolsite.console.pages import principal_of
from poolsite.console.verbs import answers_json, body_of, reason_of
from poolsite.csv_text import csv_file

LINKS = (("open", "wallet_open"), ("adjustments", "adjustments"))  # pages for finance


@require_GET
def account_list(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Show every wallet: available, held, pace, status, lag; each row updates live."""
    principal = principal_of(request)
    access.require(principal, "billing.books")
    filters = given(request, "q", "show", "sort")
    query = WalletQuery(
        filters["q"],
        filters["show"] if filters["show"] in SHOWS else "",
        filters["sort"] if filters["sort"] in SORTS else SORTS[0],
        request.GET.get("after", "")[:40],
    )
    if request.GET.get("format") == "csv":
        return _csv(principal, query)
    page = query.page(principal)
    rows = _rows(page.rows)
    may = access.decide(principal, "billing.adjusting").allowed
    context = {
        "rows": rows,
        "empty": not rows and not any((query.search, query.show, query.after)),
        "guide_url": "" if rows else guide_url(principal, "top-up"),
        "sums": _sums(rows),
        "filters": filters,
        "shows": _shows(),
        "heads": _heads(query.sort),
        "chips": _chips(filters),
        "shown": ngettext("%(n)s account", "%(n)s accounts", len(rows)) % {"n": len(rows)},
        "next_url": address(filters, after=page.following) if page.following else "",
        "back_url": address(filters) if query.after else "",
        "links": {name: link(page) if may else "" for name, page in LINKS},
        "waiting": adjustment_counts().get(Adjustment.Status.WAITING, 0) if may else 0,
    }
    return render(request, "billing/accounts.html", context)


def _rows(wallets: Sequence[Wallet]) -> list[dict[str, Any]]:
    figures, now = now_figures.of_all(wallets), timezone.now()
    spent = last_day(wallets, now=now)
    per_hour = {wallet.pk: spent.get(wallet.pk, 0) // 24 for wallet in wallets}
    return [
        {
            "wallet": wallet,
            "figures": figures[wallet.slug],
            "per_hour": per_hour[wallet.pk],
            "lasts": lasting(figures[wallet.slug].spendable, per_hour[wallet.pk], now=now),
            "url": link("account", wallet.slug),
            "low": 0 < wallet.alert_below > figures[wallet.slug].spendable,
        }
        for wallet in wallets
    ]


def _sums(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the sums of a page's rows by currency; nothing for a single row."""
    sums: dict[str, dict[str, Any]] = {}
    for row in rows if len(rows) > 1 else ():
        currency = row["wallet"].account.currency
        found = sums.setdefault(currency, defaultdict(int, currency=currency))
        found["per_hour"] += row["per_hour"]
        for name in ("spendable", "held", "receivable"):
            found[name] += getattr(row["figures"], name)
    return list(sums.values())


def _shows() -> list[tuple[str, str]]:
    return [
        ("", _("All accounts")),
        ("open", pgettext("state", "Open")),
        ("frozen", _("Frozen")),
        ("closed", _("Closed")),
        ("recovering", _("In safe mode")),
        ("owing", _("With amount owed")),
        ("low", _("Low balance")),
    ]


def _heads(sort: str) -> list[dict[str, Any]]:
    names = [
        (_("Available"), "spendable", True),
        (_("Lasts until"), "lasts", False),
        (_("Spent/h, last 24 h"), "", True),
        (_("Held"), "held", True),
        (_("Owed"), "", True),
    ]
    figures = [head(label, name, sort, right=right, falls=True) for label, name, right in names]
    account = head(_("Account"), "slug", sort, right=False)
    return [account, head(_("State"), "", sort, right=False), *figures]


def _chips(filters: dict[str, str]) -> list[dict[str, str]]:
    show = dict(_shows()).get(filters["show"], filters["show"])
    labels = {"q": _("Name"), "show": _("Filter")}
    return chips_of(filters, labels, {"show": show})


def _csv(principal: Principal, query: WalletQuery) -> StreamingHttpResponse:
    head = ["account", "name", "currency", "status", "spendable", "balance", "credit limit"]
    head += ["held", "owed", "as of"]
    return csv_file("accounts.csv", head, _csv_rows(principal, query))


def _csv_rows(principal: Principal, query: WalletQuery) -> Iterator[list[Any]]:
    """Yield every wallet that matches, as Redis has it at the moment its page is read."""
    after = ""
    while True:
        page = WalletQuery(query.search, query.show, query.sort, after).page(principal)
        figures = now_figures.of_all(page.rows)
        for wallet in page.rows:
            now = figures[wallet.slug]
            yield [
                *(wallet.slug, wallet.account.name, wallet.account.currency, now.status),
                *(plain(now.spendable), plain(now.balance), plain(now.credit_limit)),
                *(plain(now.held), plain(now.receivable)),
                timezone.localtime().isoformat(timespec="seconds"),
            ]
        if not page.following:
            return
        after = page.following


# -- one account ----------------------------------------------------------------------------------


@require_GET
def account_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one account to operators: the live balance, the state of its books, the actions."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.books")
    figures = now_figures.of(wallet)
    may_finance, confirm_url = finance_of(principal, wallet, request)
    tariff = tariff_at(wallet.account_id)
    buckets = named(holds_by_age(Wallet.objects.filter(pk=wallet.pk), now=timezone.now()))
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "figures": figures,
        "status": figures.status,
        "currency_sign": symbol(wallet.account.currency).strip(),
        "may_finance": may_finance,
        "confirm_url": confirm_url,
        "no_price": figures.status != "closed" and tariff is None,
        "links": _links(wallet),
        "facts": details(wallet, tariff),
        "internals": internals(wallet, figures),
        "old_holds": any(bucket["count"] for bucket in buckets[1:]),
        "charged_today": charged_since(wallet, day_start(wallet.account)),
        "today": f"{day_start(wallet.account):%Y-%m-%d}",
        "buckets": buckets,
        "page": {
            **page_data(wallet, figures),
            "freeze_url": link("account_freeze", slug),
            "unfreeze_url": link("account_unfreeze", slug),
            "rebuild_url": link("account_rebuild", slug),
            "confirm_url": confirm_url,
            "name": wallet.account.name,
        },
    }
    return render(request, "billing/account.html", context)


def _links(wallet: Wallet) -> dict[str, str]:
    return {
        "portal": link("portal", wallet.slug),
        "adjust": link("adjust", wallet.slug),
        "recharges": link("recharges", wallet.slug),
        "statements": link("statements", wallet.slug),
        "invoices": link("invoices", wallet.slug),
        "tariffs": link("tariffs", wallet.slug),
        "limits": link("limits", wallet.slug),
        "messages": link("messages", wallet.slug),
        "flagged": f"{link('flagged')}?account={wallet.slug}",
        "holds": f"{link('holds')}?account={wallet.slug}",
        "close": link("account_close", wallet.slug),
        "credit_limit": link("credit_limit", wallet.slug),
        "promotions": link("promotions", wallet.slug),
    }


@require_POST
@answers_json
def account_freeze(request: HttpRequest, slug: str) -> HttpResponse:
    """Refuse new holds, with a reason; open ones settle."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    wallet_freeze(wallet, actor=principal, reason=reason_of(body_of(request)))
    return JsonResponse({"title": _("Account frozen")})


@require_POST
@answers_json
def account_unfreeze(request: HttpRequest, slug: str) -> HttpResponse:
    """Allow holds again."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    body = body_of(request)
    wallet_unfreeze(wallet, actor=principal, reason=str(body.get("reason", ""))[:200])
    return JsonResponse({"title": _("Account unfrozen")})


@require_POST
@answers_json
def account_rebuild(request: HttpRequest, slug: str) -> HttpResponse:
    """Run the rebuild drill: wipe and rebuild the Redis data; report the time and differences."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    reason = reason_of(body_of(request))
    try:
        done = wallet_rebuild(wallet, reason=reason, actor=principal)
    except NotRebuiltError as error:
        raise ValidationError(str(error)) from None
    currency = wallet.account.currency
    words = {
        "seconds": f"{done.seconds:.2f}",
        "messages": f"{done.loaded.messages:,}",
        "difference": amount(done.difference or 0, currency),
        "held": amount(done.held_difference or 0, currency),
    }
    title = _("Rebuilt in %(seconds)s s") % words
    detail = _("%(messages)s messages loaded. Difference: %(difference)s available, %(held)s held.")
    same = not done.difference and not done.held_difference
    return JsonResponse({"title": title, "detail": detail % words, "same": same})
