"""The customer and the seller on invoices, and the tax rates: entered by people, audited."""

from datetime import date
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, Q
from django.utils.translation import gettext as _

from billing.models import Seller, TaxProfile, TaxRate, Treatment, Wallet
from billing.models.taxes import ONLY
from billing.services.acting import clean_line
from poolsite import access
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor, require
from poolsite.plain_text import one_line

PROFILE: Final = ("legal_name", "address", "country", "tax_id", "treatment", "email")
SELLER: Final = ("name", "address", "country", "tax_id", "prefix", "zone", "first_month")
RATE: Final = ("country", "kind", "name", "rate", "valid_from", "valid_until")
CAPITALS: Final = ("country", "prefix")
LINES: Final = 6  # of an address


# -- the customer ---------------------------------------------------------------------------------


def profile_of(account: Account) -> TaxProfile | None:
    """Return the account's current tax profile, or None until one is entered."""
    return TaxProfile.objects.filter(account=account).first()


def profile_values(account: Account, profile: TaxProfile | None) -> dict[str, Any]:
    """Return the values of PROFILE; without a profile, the initial values of a new one."""
    if profile is not None:
        return {name: getattr(profile, name) for name in PROFILE}
    seller = seller_of()
    country = seller.country if seller is not None else ""
    began = {"legal_name": account.name, "country": country, "treatment": Treatment.STANDARD.value}
    return dict.fromkeys(PROFILE, "") | began


def customer_of(account: Account, seller: Seller) -> dict[str, str]:
    """Return the customer as an invoice stores it.

    Without a profile, it has the account's name and the seller's country.
    """
    profile = profile_of(account)
    if profile is None:
        return {"name": account.name, "address": "", "country": seller.country, "tax_id": ""}
    told = {name: getattr(profile, name) for name in ("address", "country", "tax_id")}
    return {"name": profile.legal_name, **told}


@transaction.atomic
def profile_set(wallet: Wallet, *, actor: Actor, reason: str = "", **values: Any) -> TaxProfile:
    """Write an account's tax profile; issued invoices do not change. `values` are those of PROFILE.

    Raise ValidationError if a value is missing or malformed, or if a reverse charge has no tax ID
    or is in the seller's own country.
    """
    require(actor, "billing.pay", wallet)
    account = Account.objects.select_for_update().get(pk=wallet.account_id)
    profile = profile_of(account) or TaxProfile(account=account)
    before = _facts(profile, PROFILE) if profile.pk else {}
    _fill(profile, values)
    _check_treatment(profile)
    profile.full_clean()
    _save(profile, wallet, actor, "billing.tax_profile_set", before, PROFILE, reason)
    return profile


def _check_treatment(profile: TaxProfile) -> None:
    if profile.treatment != Treatment.REVERSE_CHARGE:
        return
    if not profile.tax_id:
        raise ValidationError({"tax_id": _("A reverse charge needs the customer's tax ID.")})
    seller = seller_of()
    if seller is not None and seller.country == profile.country:
        raise ValidationError(
            {"treatment": _("A reverse charge needs a customer in another country.")}
        )


# -- the seller -----------------------------------------------------------------------------------


def seller_of() -> Seller | None:
    """Return the seller who issues the invoices, or None until one is entered."""
    return Seller.objects.filter(pk=ONLY).first()


@transaction.atomic
def seller_set(*, actor: Actor, reason: str = "", **values: Any) -> Seller:
    """Write the seller; issued invoices do not change. `values` are those of SELLER.

    Another prefix begins new sequences. Raise ValidationError if a value is missing or malformed.
    """
    require(actor, "billing.finance")
    found = Seller.objects.select_for_update().filter(pk=ONLY).first()
    before = _facts(found, SELLER) if found is not None else {}
    seller = found or Seller(pk=ONLY)
    _fill(seller, values)
    if seller.first_month is not None:
        seller.first_month = seller.first_month.replace(day=1)
    try:
        ZoneInfo(seller.zone)
    except (ValueError, OSError, LookupError):
        raise ValidationError({"zone": _("Choose a time zone.")}) from None
    seller.full_clean(validate_unique=False)
    _save(seller, seller, actor, "billing.seller_set", before, SELLER, reason)
    return seller


# -- the rates ------------------------------------------------------------------------------------


def rate_of(country: str, kind: str, day: date) -> TaxRate | None:
    """Return the rate of a country and service that is valid on a day, or None."""
    rows = TaxRate.objects.filter(country=country, kind=kind, valid_from__lte=day)
    return rows.filter(Q(valid_until=None) | Q(valid_until__gt=day)).order_by("-valid_from").first()


@transaction.atomic
def rate_create(*, actor: Actor, reason: str = "", **values: Any) -> TaxRate:
    """Add a rate; an earlier rate without an end ends where the new one begins.

    `values` are those of RATE. Raise ValidationError if a value is malformed or another rate is
    valid in between.
    """
    require(actor, "billing.finance")
    _lock_rates()
    rate = TaxRate()
    _fill(rate, values)
    rate.full_clean(validate_constraints=False)
    if rate.valid_until is not None and rate.valid_until <= rate.valid_from:
        raise ValidationError({"valid_until": _("The end must be after the start.")})
    same = TaxRate.objects.filter(country=rate.country, kind=rate.kind)
    former = same.filter(valid_until=None, valid_from__lt=rate.valid_from).first()
    if former is not None:
        _end(former, rate.valid_from, actor, reason)
    later = Q(valid_until=None) | Q(valid_until__gt=rate.valid_from)
    others = same.filter(later)
    if rate.valid_until is not None:
        others = others.filter(valid_from__lt=rate.valid_until)
    if others.exists():
        raise ValidationError({"valid_from": _("Another rate is valid in this period.")})
    _save(rate, rate, actor, "billing.tax_rate_create", {}, RATE, reason)
    return rate


@transaction.atomic
def rate_end(rate: TaxRate, *, actor: Actor, valid_until: date, reason: str = "") -> TaxRate:
    """End a rate on a day, exclusive. Raise ValidationError before its start or after its end."""
    require(actor, "billing.finance")
    _lock_rates()
    rate = TaxRate.objects.get(pk=rate.pk)
    if valid_until <= rate.valid_from:
        raise ValidationError({"valid_until": _("The end must be after the start.")})
    if rate.valid_until is not None and valid_until > rate.valid_until:
        raise ValidationError({"valid_until": _("A rate's end can only be moved earlier.")})
    _end(rate, valid_until, actor, reason)
    return rate


def _end(rate: TaxRate, valid_until: date, actor: Actor, reason: str) -> None:
    before = _facts(rate, RATE)
    rate.valid_until = valid_until
    _save(rate, rate, actor, "billing.tax_rate_end", before, RATE, reason)


def _lock_rates() -> None:
    """Lock the seller's row on behalf of all rates, so that there is one writer at a time."""
    if Seller.objects.select_for_update().filter(pk=ONLY).first() is None:
        raise ValidationError(_("Enter the seller first."))


# -- what they share ------------------------------------------------------------------------------


def _fill(row: Model, values: dict[str, Any]) -> None:
    """Set the given fields, cleaned: one line each, except for an address."""
    for name, value in values.items():
        told = value
        if isinstance(value, str):
            told = _lines_of(value) if name == "address" else one_line(value)
            told = told.upper() if name in CAPITALS else told
        setattr(row, name, told)


def _lines_of(text: str) -> str:
    """Return an address as a few lines without control characters."""
    lines = [one_line(line) for line in text.splitlines()]
    return "\n".join([line for line in lines if line][:LINES])


def _facts(row: Model, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {name: f"{v}" if isinstance(v, date) else v for name, v in values.items()}


def _save(
    row: Model,
    thing: Model,
    actor: Actor,
    action: str,
    before: dict[str, Any],
    names: tuple[str, ...],
    reason: str,
) -> None:
    """Save, with an audit entry of the changes; do nothing if nothing changed."""
    after = _facts(row, names)
    if after == before:
        return
    row.save()
    changed = [name for name in names if before.get(name) != after[name]]
    access.audit(
        actor=actor,
        action=action,
        thing=thing,
        before={name: before[name] for name in changed} if before else None,
        after={name: after[name] for name in changed},
        reason=clean_line(reason),
    )
