"""What money puts on the overview and into the metrics, and customers' first page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F
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


@dataclass(frozen=True)
class WalletRow:
    """One wallet on the card: how many hours its money lasts, None while nothing is spent."""

    wallet: Wallet
    figures: now_figures.WalletFigures
    per_hour: int

    @property
    def hours(self) -> float | None:
        """How long what can be spent lasts."""
        return self.figures.spendable / self.per_hour if self.per_hour else None

    @property
    def is_low(self) -> bool:
        """Below the mark that its owner set."""
        return 0 < self.wallet.alert_below > self.figures.spendable


_rows: TtlCache[str, list[WalletRow]] = TtlCache(FRESH_SECONDS, most=500)


def rows_for(principal: Principal) -> list[WalletRow] | None:
    """The wallets that need a look first, at most a second old; None for who sees no money."""
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
    """Those below their mark first, then those with the least money."""
    open_ones = visible_wallets(principal).exclude(status=Wallet.Status.CLOSED)
    low = list(low_balances(open_ones)[: CANDIDATES // 2])
    others = open_ones.exclude(pk__in=[row.pk for row in low])
    rest = others.order_by(F("spendable") + F("credit_limit"), "pk")
    return low + list(rest[: CANDIDATES - len(low)])


def balances_card(principal: Any) -> console.CardData | None:
    """The balances that end soonest."""
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
    """11 h, 4 d, over a year; a dash while nothing is spent."""
    if hours is None:
        return "–"
    if hours < 1:
        return _("under 1 h")
    if hours < 72:
        return _("%(h)s h") % {"h": round(hours)}
    days = round(hours / 24)
    return _("%(d)s d") % {"d": f"{days:,}"} if days <= 365 else _("over a year")


def money_held(principal: Any) -> console.Stat | None:
    """Money held for messages whose end is not known, over the reader's accounts."""
    rows = rows_for(principal)
    if not rows:
        return None
    currencies = {row.wallet.account.currency for row in rows}
    if len(currencies) > 1:
        return None  # no sum of two currencies
    held = sum(row.figures.held for row in rows)
    return console.Stat(amount(held // 100 * 100, currencies.pop()))


def audit_stat(principal: Any) -> console.Stat | None:
    """Whether the books agree; for operators."""
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
    """What stands open, for Prometheus."""
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
    """Called once, by AppConfig.ready()."""
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
