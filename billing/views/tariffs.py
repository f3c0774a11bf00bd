"""An account's price list: the versions, and when each is valid."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing.models import Tariff, Wallet
from billing.pricing.book import gaps
from billing.pricing.tariff import read_prices
from billing.selectors.tariffs import call_intervals, tariff_list
from billing.selectors.wallets import wallet_get
from billing.services import tariffs as services
from billing.views.call_rates_rows import few_rates
from billing.views.common import number_of
from billing.views.tariffs_forms import EndTariffForm
from billing.views.tariffs_table import difference, rows_of
from poolsite import access
from poolsite.access import Principal
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out

NEWEST, MOST = 6, 500  # versions shown at first, and in all


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """A version in the list of versions."""

    tariff: Tariff
    before: Tariff | None
    state: str  # "to come", "valid", "over"
    chip: tuple[str, str, str]  # word, class, icon
    difference: str


@require_GET
def tariffs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one version as a table, next to the list of versions.

    It is the version of `?version=`, else the valid one.
    """
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    entries = entries_of(wallet, list(tariff_list(principal, wallet)[:MOST]), timezone.now())
    shown = _shown(entries, request.GET.get("version", ""))
    newest = entries if "all" in request.GET else entries[:NEWEST]
    context = {
        "wallet": wallet,
        "shown": shown,
        "rows": _rows(shown, wallet) if shown else [],
        "rates": few_rates(shown.tariff) if shown else [],
        "versions": [*newest, shown] if shown and shown not in newest else newest,
        "older": len(entries) - len(newest),
        "gaps": gaps_ahead(entries, timezone.now()),
        "may_change": may_change(principal, wallet),
    }
    return render(request, "billing/tariffs/tariffs.html", context)


def may_change(principal: Principal, wallet: Wallet) -> bool:
    """Whether the user may write tariffs, after proving a second factor where one is required."""
    return access.decide(principal, "billing.finance", wallet).possible


def entries_of(wallet: Wallet, rows: list[Tariff], now: datetime) -> list[VersionEntry]:
    """Return the versions, newest first, each with the one before it."""
    currency = wallet.account.currency
    pairs = zip(rows, [*rows[1:], None], strict=False)  # the oldest has no version before it
    return [
        VersionEntry(row, before, *_state(row, now), difference(row, before, currency))
        for row, before in pairs
    ]


def gaps_ahead(
    entries: list[VersionEntry], now: datetime
) -> list[tuple[datetime | None, datetime | None]]:
    """Return the times when no version is valid; a start of None is now."""
    spans = [(entry.tariff.valid_from, entry.tariff.valid_until) for entry in entries]
    return [(None if start == now else start, end) for start, end in gaps(spans, now)]


def _state(tariff: Tariff, now: datetime) -> tuple[str, tuple[str, str, str]]:
    if tariff.valid_from > now:
        return "to come", (_("Scheduled"), "chip--info", "schedule")
    if tariff.valid_until is not None and tariff.valid_until <= now:
        return "over", (_("Ended"), "", "history")
    return "valid", (_("Current"), "chip--ok", "check")


def _shown(entries: list[VersionEntry], wanted: str) -> VersionEntry | None:
    """Return the version to show. Raise Hidden if the account has no version with that number."""
    if wanted:
        found = next((each for each in entries if each.tariff.pk == number_of(wanted)), None)
        if found is None:
            raise access.Hidden("billing.view")
        return found
    for state in ("valid", "to come", "over"):
        of_state = [entry for entry in entries if entry.state == state]
        if of_state:
            return of_state[-1] if state == "to come" else of_state[0]
    return None


def _rows(shown: VersionEntry, wallet: Wallet) -> Any:
    before = read_prices(shown.before.prices) if shown.before else None
    prices, intervals = read_prices(shown.tariff.prices), call_intervals(wallet.account_id)
    rated = bool(shown.tariff.rates_count)
    return rows_of(prices, before, wallet.account.currency, None, intervals, rated=rated)


@require_http_methods(["GET", "POST"])
def tariff_end(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Set when a version ends; holds made with it keep their prices."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    tariff = own_tariff(wallet, pk)
    form = EndTariffForm(request.POST or None)
    save = partial(services.tariff_end, actor=principal, tariff=tariff)
    done = redirect_with(request, _("Saved."), "billing:tariffs", slug=slug)
    context = {"wallet": wallet, "form": form, "tariff": tariff, "zone": wallet.account.zone}
    return saved(form, save, done) or form_page(request, "billing/tariffs/tariff_end.html", context)


@require_POST
def tariff_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a version that has not begun."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    tariff = own_tariff(wallet, pk)
    carry_out(
        request,
        lambda: services.tariff_delete(actor=principal, tariff=tariff),
        _("Tariff version removed."),
    )
    return redirect("billing:tariffs", slug=slug)


def own_tariff(wallet: Wallet, pk: int) -> Tariff:
    """Return a version of this wallet's account. Raise Hidden if it has none with that number."""
    found = Tariff.objects.filter(account=wallet.account_id, pk=pk).first()
    if found is None:
        raise access.Hidden("billing.finance")
    return found


def address_of(tariff: Tariff) -> str:
    """Return the address of a version's page."""
    return f"{reverse('billing:tariffs', args=(tariff.account.slug,))}?version={tariff.pk}"
