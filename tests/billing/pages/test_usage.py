"""Usage summed by the hour: each entry once, including the journal's tail; and the pace from it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db.models import Sum
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from billing.models import JournalEntry, UsageCursor, UsageHour
from billing.money import UNITS
from billing.selectors.usage import (
    UsageRow,
    curve,
    last_day,
    pace_of,
    usage,
    usage_rows,
)
from billing.services.usage import sum_all, sum_up, unsummed
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, customer, lived

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    """A wallet with data for every page."""
    return lived()


def spent(hours_ago: float, units: int, **more: Any) -> UsageRow:
    """Write an hour in which messages cost `units`."""
    at = (NOW - hours_ago * HOUR).replace(minute=0)
    values = {"kind": "hold", "mode": "", "chatbot": "", "entries": 1, "revenue": 0} | more
    return UsageRow(hour=at, spendable=-units, **values)


def totals(made: Customer) -> tuple[int, int, int]:
    """Return entries, spendable and revenue over all of usage."""
    rows = usage_rows(made.wallet, timezone.now() - timedelta(days=2))
    return (
        sum(row.entries for row in rows),
        sum(row.spendable for row in rows),
        sum(row.revenue for row in rows),
    )


def journal(made: Customer) -> tuple[int, int, int]:
    """Return the same totals from the journal itself."""
    rows = JournalEntry.objects.filter(wallet=made.wallet)
    sums = rows.aggregate(Sum("spendable"), Sum("revenue"))
    return rows.count(), sums["spendable__sum"], sums["revenue__sum"]


@pytest.mark.parametrize("summed", [0, 1, 5, 1_000])
def test_sums_and_tail_are_the_journal_wherever_the_cursor_stands(
    made: Customer, summed: int
) -> None:
    if summed:
        sum_up(made.wallet, limit=summed)
    assert totals(made) == journal(made)


def test_each_entry_counts_once_however_often_it_is_summed(made: Customer) -> None:
    while sum_up(made.wallet, limit=3):
        pass
    assert sum_up(made.wallet) == 0
    assert not unsummed(made.wallet).exists()
    stored = UsageHour.objects.filter(wallet=made.wallet).aggregate(Sum("entries"))
    assert stored["entries__sum"] == journal(made)[0]
    made.hold("again-1")
    made.persist()
    assert sum_all(0, 1) == {"entries": 2}  # includes m-fresh, which was not in the books
    assert totals(made) == journal(made)


def test_a_new_life_of_the_data_is_summed_behind_the_old_one(made: Customer) -> None:
    sum_up(made.wallet)
    old = UsageCursor.objects.get(wallet=made.wallet)
    entry = JournalEntry.objects.filter(wallet=made.wallet, kind="hold").first()
    assert entry is not None
    entry.pk, entry.generation, entry.seq = None, old.generation + 1, 1
    entry.save(force_insert=True)
    assert sum_up(made.wallet) == 1
    cursor = UsageCursor.objects.get(wallet=made.wallet)
    assert (cursor.generation, cursor.seq) == (old.generation + 1, 1)
    assert totals(made) == journal(made)


def test_one_shard_sums_its_own_wallets_alone(made: Customer) -> None:
    other = customer("northbank")
    other.top_up("recharge:1", UNITS)
    other.persist()
    shard = made.wallet.pk % 2
    sum_all(shard, 2)
    assert UsageCursor.objects.filter(wallet=made.wallet).exists()
    same = other.wallet.pk % 2 == shard
    assert UsageCursor.objects.filter(wallet=other.wallet).exists() is same


def test_charts_show_what_was_charged_by_mode_in_the_accounts_days(made: Customer) -> None:
    found = usage(made.wallet, "7d", now=timezone.now())
    assert len(found.steps) == 7
    zone = ZoneInfo(made.wallet.account.zone)
    assert found.steps[-1] == timezone.now().astimezone(zone).date()
    assert {mode: values[-1] for mode, values in found.by_mode.items()} == {
        "native_text": 3_000,
        "yuexin_unresolved": 1_000,
    }
    assert found.messages["native_text"][-1] == 1
    assert found.totals[-1] == 4_000
    assert found.by_chatbot == {"shop": 4_000}
    assert [len(usage(made.wallet, span, now=timezone.now()).steps) for span in ("30d", "12m")] == [
        30,
        12,
    ]


def test_months_are_those_of_the_calendar(made: Customer) -> None:
    at = datetime(2026, 1, 31, 23, 0, tzinfo=UTC)  # already February in Shanghai
    steps = usage(made.wallet, "12m", now=at).steps
    assert (steps[0].isoformat(), steps[-1].isoformat()) == ("2025-03-01", "2026-02-01")


def test_the_curve_ends_at_what_can_be_spent_and_begins_at_the_opening(made: Customer) -> None:
    spendable = made.wallet.spendable
    points = curve(made.wallet, spendable, now=timezone.now())
    assert points[-1][1] == spendable
    assert points[0][1] == 100 * UNITS
    assert points == sorted(points, key=lambda point: point[0])


def test_what_was_spent_in_a_day_leaves_money_paid_in_out(made: Customer) -> None:
    sum_up(made.wallet)
    spent_units = last_day([made.wallet], now=timezone.now())[made.wallet.pk]
    assert spent_units == 100 * UNITS + 50 * UNITS - made.wallet.spendable


def test_nothing_spent_has_no_pace() -> None:
    assert pace_of([], UNITS, now=NOW).per_hour is None
    assert pace_of([spent(1, -500)], UNITS, now=NOW).per_hour is None
    paid_in = spent(2, -900, kind="recharge")
    assert pace_of([paid_in], UNITS, now=NOW).per_hour is None


def test_an_even_pace_has_an_exact_end() -> None:
    rows = [spent(hours, 100) for hours in range(1, 24)]
    found = pace_of(rows, 10_000, now=NOW)
    assert found.per_hour is not None
    assert 90 <= found.per_hour <= 110
    assert found.hours == pytest.approx(10_000 / found.per_hour, rel=0.05)
    assert found.earliest_hours is not None
    assert found.latest_hours is not None
    assert found.latest_hours - found.earliest_hours < 20


def test_hours_before_the_last_day_do_not_count() -> None:
    rows = [spent(30, 9_999), spent(2, 100), spent(1, 100)]
    assert pace_of(rows, 1_000, now=NOW).spent == 200


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=24),
    st.integers(0, 2**53 - 1),
)
def test_a_range_holds_its_middle(hours: list[int], spendable: int) -> None:
    rows = [spent(ago, units) for ago, units in enumerate(hours, 1)]
    found = pace_of(rows, spendable, now=NOW)
    if found.hours is None:
        assert sum(hours) == 0 or found.per_hour is None
        return
    assert found.earliest_hours is not None
    assert found.latest_hours is not None
    assert 0 <= found.earliest_hours <= found.hours <= found.latest_hours
