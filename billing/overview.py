"""Money on the overview page and in the metrics, and the first page of customers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from prometheus_client.core import GaugeMetricFamily, Metric

from billing.models import FlaggedReport, Wallet
from billing.presentation import amount
from billing.selectors import figures as now_figures
from billing.selectors import lag
from billing.selectors.flagged import open_totals
from billing.selectors.usage import last_day
from billing.selectors.wallets import low_balances, visible_wallets
from billing.views import portal
from poolsite import access, console, operations
from poolsite.access import Principal, register_first_page
from poolsite.access.principal import reach_of
from poolsite.kept import TtlCache

SHOWN = 5
CANDIDATES = 50  # wallets whose live figures are read for the card
FRESH_SECONDS = 1.0
SUM_SECONDS = 30.0  # a sum over wallets that are not on the card


@dataclass(frozen=True)
class WalletRow:
    """A wallet on the card, with what it spends per hour."""

    wallet: Wallet
    figures: now_figures.WalletFigures
    per_hour: int

    @property
    def hours(self) -> float | None:
        """How many hours the available money lasts, or None while nothing is spent."""
        return self.figures.spendable / self.per_hour if self.per_hour else None

    @property
    def is_low(self) -> bool:
        """Whether the available money is below the customer's alert threshold."""
        return 0 < self.wallet.alert_below > self.figures.spendable


_rows: TtlCache[str, list[WalletRow]] = TtlCache(FRESH_SECONDS, most=500)
_held: TtlCache[str, dict[str, int]] = TtlCache(SUM_SECONDS, most=500)


def forget() -> None:
    """Forget the cached figures. For tests."""
    _rows.clear()
    _held.clear()


def rows_for(principal: Principal) -> list[WalletRow] | None:
    """Return the wallets in most need of attention, cached for a second, or None without access."""
    if not access.decide(principal, "billing.view").allowed:
        return None
    return _rows.get(reach_of(principal), lambda: _read_rows(principal))


def _read_rows(principal: Principal) -> list[WalletRow]:
    wallets = _candidates(principal)
    figures = now_figures.of_all(wallets)
    spent = last_day(wallets, now=timezone.now())
    rows = [
        WalletRow(wallet, figures[wallet.slug], spent.get(wallet.pk, 0) // 24) for wallet in wallets
    ]
    rows.sort(key=lambda row: (not row.is_low, row.hours if row.hours is not None else 1e12))
    return rows


def _candidates(principal: Principal) -> list[Wallet]:
    """Return the wallets below their alert threshold, then those with the least money."""
    open_ones = _open_ones(principal)
    low = list(low_balances(open_ones)[: CANDIDATES // 2])
    others = open_ones.exclude(pk__in=[row.pk for row in low])
    rest = others.order_by(F("spendable") + F("credit_limit"), "pk")
    return low + list(rest[: CANDIDATES - len(low)])


def _open_ones(principal: Principal) -> QuerySet[Wallet]:
    return visible_wallets(principal).exclude(status=Wallet.Status.CLOSED)


def balances_card(principal: Any) -> console.CardData | None:
    """Return the card with the balances that run out first."""
    rows = rows_for(principal)
    if rows is None:
        return None
    url = reverse("billing:accounts") if principal.is_operator else reverse("billing:balance")
    if not rows:
        empty = _("No balances yet. Open a balance for an account and top it up before it sends.")
        return console.CardData([], empty=empty, url=url)
    count = visible_wallets(principal).count()
    return console.CardData(
        [],
        columns=[_("Account"), _("Available"), _("Runs out in")],
        rows=[_card_row(row, principal) for row in rows[:SHOWN]],
        hint=ngettext("%(n)s account", "%(n)s accounts", count) % {"n": f"{count:,}"},
        severity="warning" if any(row.is_low for row in rows) else "",
        url=url,
    )


def _card_row(row: WalletRow, principal: Any) -> dict[str, Any]:
    currency = row.wallet.account.currency
    page = "billing:account" if principal.is_operator else "billing:portal"
    status = {"frozen": _("Frozen"), "recovering": _("Safe mode"), "missing": _("No data")}
    lasts = {"text": lasts_word(row.hours), "severity": "warning" if row.is_low else ""}
    if row.figures.status in status:
        lasts = {"text": status[row.figures.status], "severity": "warning"}
    return {
        "name": row.wallet.account.name,
        "url": reverse(page, args=[row.wallet.slug]),
        "cells": [{"text": amount(row.figures.spendable // 100 * 100, currency)}, lasts],
    }


def lasts_word(hours: float | None) -> str:
    """Return how long money lasts: "11 h", "4 d", "over a year"; a dash while nothing is spent."""
    if hours is None:
        return "–"
    if hours < 1:
        return _("under 1 h")
    if hours < 72:
        return _("%(h)s h") % {"h": round(hours)}
    days = round(hours / 24)
    return _("%(d)s d") % {"d": f"{days:,}"} if days <= 365 else _("over a year")


def money_held(principal: Any) -> console.Stat | None:
    """Return the money held for unfinished messages, or None if there is more than one currency."""
    rows = rows_for(principal)
    if not rows:
        return None
    held = Counter(_others_held(principal, rows))
    for row in rows:
        held[row.wallet.account.currency] += row.figures.held
    if len(held) > 1:
        return None  # no sum of two currencies
    ((currency, units),) = held.items()
    return console.Stat(amount(units // 100 * 100, currency))


def _others_held(principal: Any, rows: list[WalletRow]) -> dict[str, int]:
    """Return what the wallets that are not on the card hold, by currency, from SQL."""
    if len(rows) < CANDIDATES:
        return {}

    def read() -> dict[str, int]:
        others = _open_ones(principal).exclude(pk__in=[row.wallet.pk for row in rows])
        return dict(others.order_by().values_list("account__currency").annotate(Sum("held")))

    return _held.get(reach_of(principal), read)


def audit_stat(principal: Any) -> console.Stat | None:
    """Return the state of the books for operators, or None for other users."""
    if not principal.is_operator or not Wallet.objects.exists():
        return None
    state = lag.audit_state()
    if state.differences:
        return console.Stat(
            _("Out of balance"),
            severity="critical",
            mark=_("%(n)s accounts") % {"n": len(state.differences)},
        )
    return console.Stat(_("Balanced") if state.is_green else _("Not run yet"))


# -- metrics --------------------------------------------------------------------------------------


def collect() -> Iterable[Metric]:
    """Return the number of open flagged reports and of wallets by status, for Prometheus."""
    operator = Principal(kind="user", id="0", is_operator=True)
    flagged = GaugeMetricFamily(
        "poolsite_billing_flagged_open", "Flagged reports that nobody closed.", labels=["flag"]
    )
    counts = dict.fromkeys(FlaggedReport.Flag.values, 0) | open_totals(operator).counts
    for flag, count in counts.items():
        flagged.add_metric([flag], count)
    wallets = GaugeMetricFamily("poolsite_billing_accounts", "Wallets.", labels=["status"])
    for status in Wallet.Status.values:
        wallets.add_metric([status], Wallet.objects.filter(status=status).count())
    return [flagged, wallets]


def register() -> None:
    """Register the card, the figures and the metrics. Called once, by AppConfig.ready()."""
    console.register_card(
        console.Card(
            "billing.balances",
            gettext_lazy("Balances"),
            balances_card,
            order=40,
            icon="account_balance_wallet",
        )
    )
    for order, (name, label, load) in enumerate(
        (
            ("billing.held", gettext_lazy("Held for messages"), money_held),
            ("billing.audit", gettext_lazy("Money audit"), audit_stat),
        )
    ):
        entry = console.StatEntry(name, label, load, order=40 + order)
        console.register_stat(entry)
    operations.register_metrics("billing.lists", collect)
    register_first_page("portal", suits=portal.has_portal, url=portal.first_page, order=40)
