"""Tariff versions: [from, to) in the account's time zone, never overlapping, fixed once in use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import HoldIntent, Message, Tariff
from billing.pricing.book import gaps
from billing.pricing.calls import Rate
from billing.pricing.rate_rows import RateError
from billing.pricing.tariff import TariffError, read_prices, stored
from billing.services import call_rates as rates
from billing.services.acting import clean_line, wrong_state
from billing.services.days import day_start, zone_of
from poolsite import access
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor, require

# Web processes cache tariffs for a second, and their clocks may differ a little: a version that
# begins this soon may be in a quote already.
SOON: Final = timedelta(seconds=30)
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)

Moment = date | datetime  # a date, or a moment without a time zone, is in the account's own


def moment_of(account: Account, given: Moment) -> datetime:
    """Return the moment of a date or a local time of the account; a date means its midnight.

    Raise ValidationError if the local time does not exist (clocks go forward) or is out of range.
    If it exists twice (clocks go back), the first counts.
    """
    value = given if isinstance(given, datetime) else datetime.combine(given, time())
    if value.tzinfo is None:
        local = value.replace(tzinfo=zone_of(account), fold=0)
        try:
            value = local.astimezone(UTC)
        except OverflowError:
            raise ValidationError(_("Enter a date from 2000 to 2199.")) from None
        if value.astimezone(local.tzinfo).replace(tzinfo=None) != local.replace(tzinfo=None):
            raise ValidationError(
                _(
                    "This time doesn't exist in the account's time zone, because the clocks go "
                    "forward. Choose another."
                )
            )
    if not EARLIEST <= value < LATEST:
        raise ValidationError(_("Enter a date from 2000 to 2199."))
    return value


@transaction.atomic
def tariff_create(
    *,
    actor: Actor,
    account: Account,
    name: str,
    prices: Mapping[str, Any],
    valid_from: Moment | None = None,
    valid_until: Moment | None = None,
    replace: bool = False,
    call_rates: Sequence[Rate] | None = None,
) -> Tariff:
    """Add a version. `valid_from` None means now; people may not begin one before today.

    `replace`: the version that is then valid without an end ends where this one begins. Raise
    ValidationError for bad prices, call rates or dates, or if another version is valid in between.
    """
    require(actor, "billing.finance", account)
    account = _locked(account)
    now = timezone.now()
    starts = now if valid_from is None else moment_of(account, valid_from)
    if not isinstance(actor, str) and starts < day_start(account):
        raise ValidationError({"valid_from": _("A tariff can't start before today.")})
    if replace:
        _end_before(account, starts, now, actor)
    tariff = Tariff(account=account)
    _fill(tariff, name, prices, starts, valid_until, call_rates)
    tariff.save()
    rates.insert_rates(tariff, call_rates or ())
    access.audit(actor=actor, action="billing.tariff_create", thing=tariff, after=_facts(tariff))
    return tariff


@transaction.atomic
def tariff_change(
    *,
    actor: Actor,
    tariff: Tariff,
    name: str,
    prices: Mapping[str, Any],
    valid_from: Moment,
    valid_until: Moment | None = None,
    call_rates: Sequence[Rate] | None = None,
    reason: str = "",
) -> Tariff:
    """Change a version that cannot be in use yet. Raise ValidationError otherwise.

    If `call_rates` is None, the rates stay as they are.
    """
    require(actor, "billing.finance", tariff)
    account = lock_account(tariff)
    tariff = _unused(tariff)
    starts = moment_of(account, valid_from)
    if not isinstance(actor, str) and starts < day_start(account):
        raise ValidationError({"valid_from": _("A tariff can't start before today.")})
    before = _facts(tariff)
    _fill(tariff, name, prices, starts, valid_until, call_rates)
    tariff.save()
    rates.insert_rates(tariff, call_rates or ())
    access.audit(
        actor=actor,
        action="billing.tariff_change",
        thing=tariff,
        before=before,
        after=_facts(tariff),
        reason=clean_line(reason),
    )
    return tariff


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of writing a version; nothing of it is stored."""

    tariff: Tariff
    ended: list[Tariff]  # versions that would end because this one begins
    gaps: list[tuple[datetime, datetime | None]]  # future times in which nothing can be sent


def tariff_preview(
    *, actor: Actor, account: Account, tariff: Tariff | None = None, **given: Any
) -> Preview:
    """Write a new version, or change `tariff`, and roll back; it is refused as the write would be.

    `given` are the arguments of `tariff_create`, or of `tariff_change` if a tariff is given.
    """
    with transaction.atomic():
        account = _locked(account)
        before = dict(account.tariffs.values_list("pk", "valid_until"))
        if tariff is None:
            made = tariff_create(actor=actor, account=account, **given)
        else:
            made = tariff_change(actor=actor, tariff=tariff, **given)
        rows = list(account.tariffs.all())
        transaction.set_rollback(True)
    others = [row for row in rows if row.pk != made.pk]
    return Preview(
        made,
        [row for row in others if row.valid_until != before[row.pk]],
        gaps(((row.valid_from, row.valid_until) for row in rows), timezone.now()),
    )


@transaction.atomic
def tariff_end(*, actor: Actor, tariff: Tariff, valid_until: Moment) -> Tariff:
    """End a version at a future moment; its prices, and the holds made with them, do not change."""
    require(actor, "billing.finance", tariff)
    account = lock_account(tariff)
    tariff = Tariff.objects.select_for_update().get(pk=tariff.pk)
    ends = moment_of(account, valid_until)
    if ends < timezone.now():
        raise ValidationError({"valid_until": _("This time is in the past. Choose a later one.")})
    if tariff.valid_until is not None and tariff.valid_until < ends:
        raise ValidationError({"valid_until": _("A version's end can only be moved earlier.")})
    _end(tariff, ends, actor)
    return tariff


@transaction.atomic
def tariff_delete(*, actor: Actor, tariff: Tariff) -> None:
    """Delete a version that cannot be in use yet. Raise ValidationError otherwise."""
    require(actor, "billing.finance", tariff)
    lock_account(tariff)
    tariff = _unused(tariff)
    access.audit(actor=actor, action="billing.tariff_delete", thing=tariff, before=_facts(tariff))
    tariff.delete()


def is_in_use(tariff: Tariff, now: datetime | None = None) -> bool:
    """Whether holds may use this version: it has begun, or will begin soon."""
    if tariff.valid_from <= (now or timezone.now()) + SOON:
        return True
    return (
        HoldIntent.objects.filter(tariff=tariff).exists()
        or Message.objects.filter(wallet__account=tariff.account_id, tariff_id=tariff.pk).exists()
    )


def lock_account(tariff: Tariff) -> Account:
    """Lock and return the account of a version; it is locked before the version itself."""
    return _locked(tariff.account)


def why_fixed(tariff: Tariff) -> str:
    """Return why a version can no longer be changed, or "" if it can."""
    return _("This version is in use. End it and create a new one.") if is_in_use(tariff) else ""


def _locked(account: Account) -> Account:
    """Lock an account, so that its versions are written one after another and never overlap."""
    return Account.objects.select_for_update().get(pk=account.pk)


def _unused(tariff: Tariff) -> Tariff:
    tariff = Tariff.objects.select_for_update().get(pk=tariff.pk)
    if why := why_fixed(tariff):
        raise wrong_state(why)
    return tariff


def _fill(
    tariff: Tariff,
    name: str,
    prices: Mapping[str, Any],
    starts: datetime,
    valid_until: Moment | None,
    call_rates: Sequence[Rate] | None,
) -> None:
    tariff.name = name.strip()
    tariff.valid_from = starts
    tariff.valid_until = None if valid_until is None else moment_of(tariff.account, valid_until)
    try:
        if call_rates is not None:
            rates.write_rates(tariff, call_rates)
        tariff.prices = stored(read_prices(prices))
    except RateError as error:
        raise ValidationError({"call_rates": str(error)}) from None
    except TariffError as error:
        raise ValidationError({"prices": str(error)}) from None
    if tariff.valid_until is not None and tariff.valid_until <= starts:
        raise ValidationError({"valid_until": _("The end must be after the start.")})
    tariff.full_clean()
    other = _overlapping(tariff).first()
    if other is not None:
        raise ValidationError(
            {"valid_from": _("“%s” is already valid in this period.") % other.name}
        )


def _overlapping(tariff: Tariff) -> Any:
    rows = Tariff.objects.filter(account=tariff.account).exclude(pk=tariff.pk)
    rows = rows.filter(Q(valid_until=None) | Q(valid_until__gt=tariff.valid_from))
    if tariff.valid_until is not None:
        rows = rows.filter(valid_from__lt=tariff.valid_until)
    return rows.order_by("valid_from")


def _end_before(account: Account, starts: datetime, now: datetime, actor: Actor) -> None:
    """End the version without an end that is valid when a new one begins."""
    rows = Tariff.objects.filter(account=account, valid_until=None, valid_from__lt=starts)
    for tariff in rows.select_for_update():
        if starts < now and not isinstance(actor, str):
            raise ValidationError(
                {
                    "valid_from": _(
                        "The previous version can't be ended in the past. Choose a later start."
                    )
                }
            )
        _end(tariff, starts, actor)


def _end(tariff: Tariff, ends: datetime, actor: Actor) -> None:
    if ends <= tariff.valid_from:
        raise ValidationError({"valid_until": _("The end must be after the start.")})
    before = _facts(tariff)
    tariff.valid_until = ends
    tariff.save(update_fields=["valid_until"])
    access.audit(
        actor=actor,
        action="billing.tariff_end",
        thing=tariff,
        before={"valid_until": before["valid_until"]},
        after={"valid_until": ends},
    )


def _facts(tariff: Tariff) -> dict[str, Any]:
    return {
        "name": tariff.name,
        "valid_from": tariff.valid_from,
        "valid_until": tariff.valid_until,
        "prices": tariff.prices,
        "rates_count": tariff.rates_count,
        "rates_digest": tariff.rates_digest,
    }
