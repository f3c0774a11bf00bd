"""An account's tariffs: listed, previewed, created, changed, ended, deleted."""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from billing.api.call_rates import first_rates, rate_out, rates_in
from billing.api.common import Id, Slug, money_of, units_of, wallet_of
from billing.models import Tariff, Wallet
from billing.money import plain
from billing.schemas_paying import (
    CallRateOut,
    CallRatesIn,
    GapOut,
    PriceIn,
    PriceOut,
    TariffChangeIn,
    TariffEndIn,
    TariffIn,
    TariffOut,
    TariffPreviewOut,
    TariffRow,
    TariffsIn,
)
from billing.selectors.tariffs import prices_of, tariff_list
from billing.services import tariffs as services
from billing.views.call_rates_rows import found_rates
from poolsite.access import Principal
from poolsite.api.pages import Page, page
from poolsite.api.root import ProblemError

router = Router(tags=["payments"])
FINANCE = "billing.finance"


@router.get("/{slug}/tariffs", response={200: Page[TariffRow]}, summary="List tariffs")
def list_tariffs(request: HttpRequest, asked: Query[TariffsIn], slug: str = Slug) -> Any:
    """The account's tariffs, newest first."""
    principal, wallet = wallet_of(request, slug)
    rows = _in_state(tariff_list(principal, wallet), asked.state, timezone.now())
    return page(request, asked, rows, _row)


@router.get("/{slug}/tariffs/{tariff}", response={200: TariffOut}, summary="Get a tariff")
def get_tariff(request: HttpRequest, slug: str = Slug, tariff: int = Id) -> Any:
    """A tariff with its prices and call rates."""
    return _tariff(_own(wallet_of(request, slug)[1], tariff))


@router.get(
    "/{slug}/tariffs/{tariff}/call-rates",
    response={200: Page[CallRateOut]},
    summary="List a tariff's call rates",
)
def list_call_rates(
    request: HttpRequest, asked: Query[CallRatesIn], slug: str = Slug, tariff: int = Id
) -> Any:
    """The call rates of a tariff."""
    found = _own(wallet_of(request, slug)[1], tariff)
    return page(request, asked, found_rates(found, asked.q), rate_out, oldest_first=True)


@router.post("/{slug}/tariffs", response={201: TariffOut}, summary="Create a tariff")
def create_tariff(request: HttpRequest, given: TariffIn, slug: str = Slug) -> Any:
    """Create a tariff. It can't start before today, and no two tariffs are valid at once.

    Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, FINANCE)
    made = services.tariff_create(
        actor=principal, account=wallet.account, replace=True, **_given(given)
    )
    return Status(201, _tariff(made))


@router.post(
    "/{slug}/tariff-previews", response={200: TariffPreviewOut}, summary="Preview a tariff"
)
def preview_tariff(request: HttpRequest, given: TariffIn, slug: str = Slug) -> Any:
    """Check a new tariff as creating it would, and change nothing.

    Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, FINANCE)
    found = services.tariff_preview(
        actor=principal, account=wallet.account, replace=True, **_given(given)
    )
    return TariffPreviewOut(
        name=found.tariff.name,
        valid_from=found.tariff.valid_from,
        valid_until=found.tariff.valid_until,
        prices=_prices(found.tariff),
        call_rates_count=found.tariff.rates_count,
        ends=[each.pk for each in found.ended],
        gaps=[GapOut(begin=begin, end=end) for begin, end in found.gaps],
    )


@router.patch("/{slug}/tariffs/{tariff}", response={200: TariffOut}, summary="Change a tariff")
def change_tariff(
    request: HttpRequest, given: TariffChangeIn, slug: str = Slug, tariff: int = Id
) -> Any:
    """Change a tariff that has not started. A started one can only be ended.

    Requires an operator with the grant `finance`.
    """
    principal, found = _financed(request, slug, tariff)
    return _tariff(
        services.tariff_change(actor=principal, tariff=found, reason=given.reason, **_given(given))
    )


@router.post("/{slug}/tariffs/{tariff}/end", response={200: TariffOut}, summary="End a tariff")
def end_tariff(request: HttpRequest, given: TariffEndIn, slug: str = Slug, tariff: int = Id) -> Any:
    """End a tariff. Holds made before keep their prices.

    Requires an operator with the grant `finance`.
    """
    principal, found = _financed(request, slug, tariff)
    return _tariff(
        services.tariff_end(actor=principal, tariff=found, valid_until=given.valid_until)
    )


@router.delete("/{slug}/tariffs/{tariff}", response={204: None}, summary="Delete a tariff")
def delete_tariff(request: HttpRequest, slug: str = Slug, tariff: int = Id) -> Any:
    """Delete a tariff that has not started. Requires an operator with the grant `finance`."""
    principal, found = _financed(request, slug, tariff)
    services.tariff_delete(actor=principal, tariff=found)
    return Status(204, None)


def _financed(request: HttpRequest, slug: str, key: int) -> tuple[Principal, Tariff]:
    principal, wallet = money_of(request, slug, FINANCE)
    return principal, _own(wallet, key)


def _own(wallet: Wallet, key: int) -> Tariff:
    found = Tariff.objects.filter(account=wallet.account_id, pk=key).first()
    if found is None:
        raise ProblemError("unknown-tariff", "tariff not found")
    return found


def _given(given: TariffIn) -> dict[str, Any]:
    return {
        "name": given.name,
        "prices": {mode: _stored(price) for mode, price in given.prices.items()},
        "call_rates": rates_in(given.call_rates),
        "valid_from": given.valid_from,
        "valid_until": given.valid_until,
    }


def _stored(price: PriceIn) -> dict[str, int]:
    """Return a price in the form that the service takes."""
    rules = price.model_dump(exclude={"unit_price"}, exclude_none=True)
    return {"unit_price": units_of(price.unit_price), **rules}


def _in_state(rows: QuerySet[Tariff], state: str | None, now: datetime) -> QuerySet[Tariff]:
    if state == "scheduled":
        return rows.filter(valid_from__gt=now)
    if state == "ended":
        return rows.filter(valid_until__lte=now)
    if state == "current":
        return rows.filter(Q(valid_until=None) | Q(valid_until__gt=now), valid_from__lte=now)
    return rows


def _state(tariff: Tariff) -> Any:
    now = timezone.now()
    if tariff.valid_from > now:
        return "scheduled"
    return "ended" if tariff.valid_until and tariff.valid_until <= now else "current"


def _row(tariff: Tariff) -> TariffRow:
    return TariffRow(**_facts(tariff))


def _tariff(tariff: Tariff) -> TariffOut:
    return TariffOut(**_facts(tariff), call_rates=first_rates(tariff))


def _facts(tariff: Tariff) -> dict[str, Any]:
    return {
        "id": tariff.pk,
        "name": tariff.name,
        "state": _state(tariff),
        "valid_from": tariff.valid_from,
        "valid_until": tariff.valid_until,
        "prices": _prices(tariff),
        "call_rates_count": tariff.rates_count,
    }


def _prices(tariff: Tariff) -> dict[str, PriceOut]:
    return {
        mode: PriceOut(
            unit_price=plain(price.unit_price),
            characters_per_unit=price.characters_per_unit or None,
            kilobytes_per_unit=price.kilobytes_per_unit or None,
        )
        for mode, price in prices_of(tariff).items()
    }
