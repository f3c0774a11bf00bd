"""Open holds by age, of all accounts or of one; for operators."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing.selectors import holds
from billing.selectors.wallets import visible_wallets
from billing.views.common import given
from poolsite import access
from poolsite.access import Principal
from poolsite.console.pages import principal_of


@require_GET
def holds_page(request: HttpRequest) -> HttpResponse:
    """Show how much money is held for how long, and the oldest holds."""
    principal = principal_of(request)
    access.require(principal, "billing.books")
    filters = given(request, "account")
    wallets = visible_wallets(principal, "billing.books")
    if filters["account"]:
        wallets = wallets.filter(account__slug=filters["account"])
    buckets = holds.holds_by_age(wallets, now=timezone.now())
    accounts = holds.holds_by_account(wallets)
    currencies = {row.wallet.account.currency for row in accounts}
    choices = _choices(principal, accounts if not filters["account"] else None)
    context = {
        "choices": choices,
        "known": any(row["slug"] == filters["account"] for row in choices),
        "currency": currencies.pop() if len(currencies) == 1 else "",
        "filters": filters,
        "buckets": named(buckets),
        "count": sum(bucket.count for bucket in buckets),
        "amount": sum(bucket.amount for bucket in buckets),
        "accounts": accounts,
        "oldest": holds.oldest_holds(wallets),
        "as_of": timezone.now(),
    }
    return render(request, "billing/holds.html", context)


def _choices(principal: Principal, rows: list[holds.AccountHolds] | None) -> list[dict[str, str]]:
    """Return the accounts with open holds, to choose from; `rows` has all of them, if known."""
    if rows is None:
        rows = holds.holds_by_account(visible_wallets(principal, "billing.books"))
    found = [{"slug": row.wallet.slug, "name": row.wallet.account.name} for row in rows]
    return sorted(found, key=lambda row: row["name"])


def named(buckets: list[holds.Bucket]) -> list[dict[str, Any]]:
    """Return buckets with their labels, and the share of the money of each."""
    words = {
        "minute": _("Under a minute"),
        "ten_minutes": _("1 to 10 minutes"),
        "hour": _("10 minutes to 1 hour"),
        "day": _("1 to 24 hours"),
        "three_days": _("24 to 72 hours"),
        "overdue": _("Over 72 hours"),
    }
    whole = sum(bucket.amount for bucket in buckets)
    return [
        {
            "word": words[bucket.name],
            "count": bucket.count,
            "amount": bucket.amount,
            "share": bucket.amount / whole if whole else 0,
            "late": bucket.name == "overdue" and bucket.count > 0,
        }
        for bucket in buckets
    ]
