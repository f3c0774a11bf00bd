"""Editing a price list: enter it, review it, and publish it."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from billing.models import Tariff, Wallet
from billing.presentation import symbol
from billing.pricing.tariff import read_prices
from billing.selectors.tariffs import (
    call_intervals,
    tariff_at,
    tariff_before,
    tariff_list,
    tariff_to_copy,
    tariffs_to_copy,
)
from billing.selectors.wallets import wallet_get
from billing.services import tariffs as services
from billing.services.call_rates import rates_of
from billing.services.days import zone_of
from billing.views.common import number_of
from billing.views.tariffs import NEWEST, address_of, entries_of, own_tariff
from billing.views.tariffs_forms import TariffForm, cells_of
from billing.views.tariffs_table import prices_or_none, rows_of
from billing.views.tariffs_traffic import difference_words, traffic
from poolsite import access
from poolsite.access import Principal
from poolsite.console.form_pages import add_errors
from poolsite.console.pages import principal_of

OWN_SOURCES, OTHER_SOURCES = 20, 100


@require_http_methods(["GET", "POST"])
def tariff_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a version from the present prices; `?from=` copies those of another version."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    now = timezone.now()
    present = tariff_at(wallet.account_id, now) or tariff_before(wallet.account_id, now)
    source = _source(principal, request.GET.get("from", "")) or present
    initial = _initial(wallet, present, source, now)
    form = TariffForm(request.POST or None, initial=initial)
    return _edit(request, wallet, form, present, None, source)


@require_http_methods(["GET", "POST"])
def tariff_change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a version that has not begun; one that has begun can only be ended."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    tariff = own_tariff(wallet, pk)
    if services.is_in_use(tariff):
        return redirect("billing:tariff_end", slug=slug, pk=pk)
    copied = _source(principal, request.GET.get("from", ""))
    source = copied or tariff
    zone = zone_of(wallet.account)
    initial = {
        "seen": mark_of(tariff),
        "name": tariff.name,
        "valid_from": tariff.valid_from.astimezone(zone).date(),
        **cells_of(source.prices),
    }
    if tariff.valid_until is not None:
        initial["valid_until"] = tariff.valid_until.astimezone(zone).date()
    before = tariff_before(wallet.account_id, tariff.valid_from)
    form = TariffForm(request.POST or None, initial=initial)
    return _edit(request, wallet, form, before, tariff, copied)


def _edit(
    request: HttpRequest,
    wallet: Wallet,
    form: TariffForm,
    before: Tariff | None,
    tariff: Tariff | None,
    source: Tariff | None,
) -> HttpResponse:
    """Show the form; if it was sent, show the effect of publishing, and with `publish` do it.

    `source` is the version whose call rates are copied; None keeps those of `tariff`.
    """
    preview, now = None, timezone.now()
    if request.method == "POST" and "edit" not in request.POST and form.is_valid():
        try:
            check_seen(form.cleaned_data["seen"], tariff)
            if "publish" in request.POST:
                return _publish(request, wallet, form, tariff, source)
            preview = _preview(principal_of(request), wallet, form, tariff, source)
        except ValidationError as error:
            add_errors(form, error)
    context: dict[str, Any] = {
        "wallet": wallet,
        "form": form,
        "tariff": tariff,
        "before": before,
        "rows": _rows(wallet, form, before),
        "preview": preview,
        "now": timezone.now(),  # after the start of a version that the preview begins at once
        **_versions(principal_of(request), wallet, now),
    }
    new = {row.mode: row.price for row in context["rows"] if row.price is not None}
    rated = any(each is not None and each.rates_count for each in (before, tariff, source))
    old = read_prices(before.prices) if before else None
    found = traffic(wallet, old, new, now=now, rated=rated)
    context["traffic"] = found
    context["traffic_words"] = difference_words(found, wallet.account.currency) if found else ""
    if preview is None:
        context["symbol"] = symbol(wallet.account.currency).strip()
        context["facts"] = {
            "currency": wallet.account.currency,
            "compared": before is not None,
            "rows": {row.mode: row.facts for row in context["rows"]},
            "traffic": found.by_mode if found else {},
        }
        chosen = number_of(request.GET.get("from", ""))
        context |= _sources(principal_of(request), wallet)
        context["source"] = chosen or getattr(tariff or before, "pk", None)
    name = "tariff_review" if preview else "tariff_form"
    status = 422 if form.is_bound and "edit" not in request.POST and form.errors else 200
    return render(request, f"billing/tariffs/{name}.html", context, status=status)


def _versions(principal: Principal, wallet: Wallet, now: datetime) -> dict[str, Any]:
    """Return the newest versions, to show next to the form."""
    rows = list(tariff_list(principal, wallet)[: NEWEST + 1])
    entries = entries_of(wallet, rows, now)[:NEWEST]
    return {"versions": entries}


def mark_of(tariff: Tariff) -> str:
    """Return a digest of a version, to detect changes since a form was opened."""
    facts = [tariff.name, str(tariff.valid_from), str(tariff.valid_until), tariff.prices]
    facts.append(tariff.rates_digest)
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def check_seen(seen: str, tariff: Tariff | None) -> None:
    """Raise ValidationError if the version was changed since the form was opened."""
    if tariff is not None and seen and seen != mark_of(tariff):
        raise ValidationError(
            _("This version was changed after you opened it. Open it again to see the change.")
        )


def _preview(
    principal: Principal,
    wallet: Wallet,
    form: TariffForm,
    tariff: Tariff | None,
    source: Tariff | None,
) -> services.Preview:
    return services.tariff_preview(
        actor=principal, account=wallet.account, tariff=tariff, **_given(form, tariff, source)
    )


def _publish(
    request: HttpRequest,
    wallet: Wallet,
    form: TariffForm,
    tariff: Tariff | None,
    source: Tariff | None,
) -> HttpResponse:
    principal = principal_of(request)
    given = _given(form, tariff, source)
    if tariff is None:
        made = services.tariff_create(actor=principal, account=wallet.account, **given)
    else:
        made = services.tariff_change(actor=principal, tariff=tariff, **given)
    words = {
        "name": made.name,
        "when": date_format(timezone.localtime(made.valid_from), "DATETIME_FORMAT"),
    }
    messages.success(request, _("“%(name)s” published. Valid from %(when)s.") % words)
    return redirect(address_of(made))


def _given(form: TariffForm, tariff: Tariff | None, source: Tariff | None) -> dict[str, Any]:
    """Return the service's arguments; a version without a day begins now and ends the last one."""
    given = {name: form.cleaned_data[name] for name in ("name", "valid_from", "valid_until")}
    given["prices"] = form.prices()
    given["call_rates"] = rates_of(source) if source is not None else None
    if tariff is None:
        return {**given, "replace": True}
    return {**given, "valid_from": given["valid_from"] or timezone.now()}


def _rows(wallet: Wallet, form: TariffForm, before: Tariff | None) -> Any:
    """Return the table with the cells: what was typed, as far as it can be read."""
    if form.is_bound:
        form.is_valid()
        prices = prices_or_none(form.prices())
    else:
        prices = prices_or_none(_typed(form))
    old = read_prices(before.prices) if before else None
    intervals = call_intervals(wallet.account_id)
    return rows_of(prices, old, wallet.account.currency, form, intervals)


def _typed(form: TariffForm) -> dict[str, dict[str, int]]:
    """Return the prices that the form starts with."""
    found: dict[str, dict[str, int]] = {}
    for name, value in form.initial.items():
        mode, _dash, part = name.partition("-")
        if part == "price":
            found[mode] = {"unit_price": value}
    for mode, price in found.items():
        if rule := form.initial.get(f"{mode}-rule"):
            price[rule] = form.initial[f"{mode}-size"]
    return found


def _initial(
    wallet: Wallet, present: Tariff | None, source: Tariff | None, now: datetime
) -> dict[str, Any]:
    """Return the initial values: from tomorrow if prices are valid now, else at once."""
    tomorrow = now.astimezone(zone_of(wallet.account)).date() + timedelta(days=1)
    found: dict[str, Any] = {"name": name_of_new(wallet)}
    if present is not None:
        found["valid_from"] = tomorrow
    return found | (cells_of(source.prices) if source else {})


def name_of_new(wallet: Wallet) -> str:
    """Return a name that no version of the account has."""
    names = set(wallet.account.tariffs.values_list("name", flat=True))
    numbers = range(len(names) + 1, 2 * len(names) + 2)
    return next(
        word for n in numbers if (word := _("Version %(number)s") % {"number": n}) not in names
    )


def _source(principal: Principal, key: str) -> Tariff | None:
    """Return the version whose prices are copied. Raise Hidden if the user may not see it."""
    if not key:
        return None
    pk = number_of(key)
    if pk is None:
        raise access.Hidden("billing.view")
    return tariff_to_copy(principal, pk)


def _sources(principal: Principal, wallet: Wallet) -> dict[str, Any]:
    return {
        "own_sources": tariff_list(principal, wallet)[:OWN_SOURCES],
        "other_sources": tariffs_to_copy(principal, wallet.account, OTHER_SOURCES),
    }
