"""Tariff versions: validity in the account's zone, no two at once, unchangeable once used."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from billing.models import Tariff
from billing.selectors.tariffs import prices_of, tariff_at, tariff_list
from billing.services.tariffs import (
    is_in_use,
    moment_of,
    tariff_change,
    tariff_create,
    tariff_delete,
    tariff_end,
    tariff_preview,
)
from poolsite import access
from poolsite.access.models import Account, AuditEntry
from tests.numbers.people import tenant

PRICES = {"native_text": {"unit_price": 800}, "video": {"unit_price": 1200}}


@pytest.fixture
def account(db: None) -> Account:
    return Account.objects.create(slug="acme", name="Acme", zone="America/New_York")


def make(account: Account, **given: Any) -> Tariff:
    given.setdefault("name", "list")
    given.setdefault("prices", PRICES)
    return tariff_create(actor="test", account=account, **given)


def soon(**delta: float) -> datetime:
    return timezone.now() + timedelta(**delta)


def test_a_date_is_midnight_in_the_account_s_zone(account: Account) -> None:
    tariff = make(account, valid_from=date(2030, 1, 1), valid_until=date(2030, 7, 1))
    assert tariff.valid_from == datetime(2030, 1, 1, 5, tzinfo=UTC)
    assert tariff.valid_until == datetime(2030, 7, 1, 4, tzinfo=UTC)


def test_validity_is_half_open_to_the_microsecond(account: Account) -> None:
    first = make(account, valid_from=date(2030, 1, 1), valid_until=date(2030, 2, 1))
    second = make(account, valid_from=date(2030, 2, 1))
    tick = timedelta(microseconds=1)
    edge = first.valid_until
    assert edge is not None
    assert tariff_at(account.pk, first.valid_from - tick) is None
    assert tariff_at(account.pk, first.valid_from) == first
    assert tariff_at(account.pk, edge - tick) == first
    assert tariff_at(account.pk, edge) == second
    assert tariff_at(account.pk, datetime(2100, 1, 1, tzinfo=UTC)) == second
    assert prices_of(second)["video"].unit_price == 1200


def test_a_local_time_that_the_zone_skips_is_refused_and_of_two_the_first_counts(
    account: Account,
) -> None:
    with pytest.raises(ValidationError, match="This time doesn't exist in the account's time zone"):
        moment_of(account, datetime(2030, 3, 10, 2, 30))  # noqa: DTZ001
    twice = moment_of(account, datetime(2030, 11, 3, 1, 30))  # noqa: DTZ001
    assert twice == datetime(2030, 11, 3, 5, 30, tzinfo=UTC)


@pytest.mark.parametrize("year", [1, 1999, 2200, 9999])
def test_dates_out_of_reach_are_refused(account: Account, year: int) -> None:
    with pytest.raises(ValidationError, match="Enter a date from 2000 to 2199"):
        moment_of(account, date(year, 12, 31))


@pytest.mark.parametrize(
    ("starts", "ends"),
    [
        (date(2030, 1, 1), None),
        (date(2029, 1, 1), date(2030, 1, 2)),
        (date(2030, 5, 1), date(2030, 5, 2)),
        (date(2030, 6, 30), None),
        (date(2029, 1, 1), None),
    ],
)
def test_two_versions_are_never_valid_at_once(
    account: Account, starts: date, ends: date | None
) -> None:
    make(account, valid_from=date(2030, 1, 1), valid_until=date(2030, 7, 1))
    with pytest.raises(ValidationError, match="already valid in this period"):
        make(account, valid_from=starts, valid_until=ends)
    assert Tariff.objects.count() == 1


def test_neighbours_and_other_accounts_do_not_overlap(account: Account) -> None:
    make(account, valid_from=date(2030, 1, 1), valid_until=date(2030, 7, 1))
    make(account, valid_from=date(2029, 1, 1), valid_until=date(2030, 1, 1))
    make(account, valid_from=date(2030, 7, 1))
    make(tenant("south").account, valid_from=date(2030, 1, 1))
    assert Tariff.objects.count() == 4


def test_a_new_version_may_end_the_one_before_it(account: Account) -> None:
    first = make(account)
    second = make(account, valid_from=soon(days=2), replace=True)
    first.refresh_from_db()
    assert first.valid_until == second.valid_from
    assert AuditEntry.objects.filter(action="billing.tariff_end").count() == 1


def test_a_version_in_use_never_changes_but_may_end(account: Account) -> None:
    tariff = make(account)
    assert is_in_use(tariff)
    change: list[Callable[[], object]] = [
        lambda: tariff_change(
            actor="test", tariff=tariff, name="x", prices=PRICES, valid_from=soon(days=1)
        ),
        lambda: tariff_delete(actor="test", tariff=tariff),
    ]
    for each in change:
        with pytest.raises(ValidationError, match="in use"):
            each()
    with pytest.raises(ValidationError, match="past"):
        tariff_end(actor="test", tariff=tariff, valid_until=soon(seconds=-1))
    ended = tariff_end(actor="test", tariff=tariff, valid_until=soon(days=1))
    with pytest.raises(ValidationError, match="can only be moved earlier"):
        tariff_end(actor="test", tariff=ended, valid_until=soon(days=2))
    assert prices_of(ended) == prices_of(tariff)


def test_a_version_that_begins_in_a_moment_counts_as_used(account: Account) -> None:
    tariff = make(account, valid_from=soon(seconds=20))
    with pytest.raises(ValidationError, match="in use"):
        tariff_delete(actor="test", tariff=tariff)


def test_a_version_to_come_may_change_and_go(account: Account) -> None:
    tariff = make(account, valid_from=soon(days=1))
    prices = {"video": {"unit_price": 5}}
    changed = tariff_change(
        actor="test", tariff=tariff, name="better", prices=prices, valid_from=soon(days=2)
    )
    assert (changed.name, changed.prices) == ("better", prices)
    tariff_delete(actor="test", tariff=changed)
    assert not Tariff.objects.exists()


@pytest.mark.parametrize(
    "given",
    [
        {"prices": {}},
        {"prices": {"telegram": {"unit_price": 1}}},
        {"prices": {"video": {"unit_price": 1.5}}},
        {"name": ""},
        {"name": "x" * 121},
        {"valid_from": date(2030, 1, 2), "valid_until": date(2030, 1, 2)},
        {"valid_from": date(2030, 1, 2), "valid_until": date(2030, 1, 1)},
    ],
)
def test_a_bad_version_is_refused_and_nothing_written(
    account: Account, given: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        make(account, **given)
    assert not Tariff.objects.exists()
    assert not AuditEntry.objects.filter(action__startswith="billing").exists()


def test_tariffs_are_made_by_operators_with_finance_alone(account: Account) -> None:
    owner = tenant("south")
    with pytest.raises(access.AccessRefused):
        tariff_create(actor=owner.owner, account=owner.account, name="free", prices=PRICES)
    with pytest.raises(access.Hidden):
        tariff_list(owner.principal, account)
    assert list(tariff_list(owner.principal, owner.account)) == []


@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_make_one_version() -> None:
    account = Account.objects.create(slug="acme", name="Acme")
    barrier = threading.Barrier(4)
    refused: list[Exception] = []

    def create() -> None:
        barrier.wait()
        try:
            make(account, valid_from=date(2030, 1, 1))
        except ValidationError as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (Tariff.objects.count(), len(refused)) == (1, 3)


def test_a_preview_writes_nothing_and_says_what_would_end(account: Account) -> None:
    first = make(account)
    starts = soon(days=2)
    found = tariff_preview(
        actor="test", account=account, name="next", prices=PRICES, valid_from=starts, replace=True
    )
    assert [row.pk for row in found.ended] == [first.pk]
    assert found.gaps == []
    assert list(Tariff.objects.all()) == [first]
    first.refresh_from_db()
    assert first.valid_until is None
    assert not AuditEntry.objects.filter(action="billing.tariff_end").exists()


def test_a_preview_says_in_which_times_nothing_is_valid(account: Account) -> None:
    first = make(account, valid_until=soon(days=1))
    starts, ends = soon(days=2), soon(days=3)
    found = tariff_preview(
        actor="test",
        account=account,
        name="next",
        prices=PRICES,
        valid_from=starts,
        valid_until=ends,
    )
    assert found.gaps == [(first.valid_until, starts), (ends, None)]


def test_a_preview_is_refused_as_the_write_would_be(account: Account) -> None:
    make(account, valid_until=soon(days=5))
    with pytest.raises(ValidationError, match="already valid in this period"):
        tariff_preview(
            actor="test", account=account, name="next", prices=PRICES, valid_from=soon(days=2)
        )
