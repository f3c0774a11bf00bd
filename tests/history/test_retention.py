"""History is stored for its retention time, and deleted in bounded batches after that."""

import time

import pytest
from django.db.models import F

from poolsite import history, hotpath
from poolsite.history import retention, selectors
from tests.history import ledger

DAY_US = 86_400 * 1_000_000


def rows_aged(days: float, count: int, first: int) -> None:
    now_us = int(time.time() * 1_000_000)
    ledger.LedgerRow.objects.bulk_create(
        ledger.LedgerRow(
            aggregate_id=1,
            generation=1,
            seq=first + n,
            at_us=now_us - int(days * DAY_US),
            word="x",
        )
        for n in range(count)
    )


@pytest.fixture(autouse=True)
def small_batches(monkeypatch, source, settings):
    monkeypatch.setattr(retention, "BATCH_ROWS", 50)
    settings.HISTORY_KEEP_DAYS = 396


def test_rows_past_their_time_are_deleted_over_several_batches_and_no_others(aggregate):
    rows_aged(400, 230, first=1)
    rows_aged(395, 40, first=1_001)
    rows_aged(1, 40, first=2_001)
    assert retention.delete_expired() == {"rows": 230, "months": 0}
    assert ledger.LedgerRow.objects.count() == 80
    assert retention.delete_expired() == {"rows": 0, "months": 0}


def test_nothing_is_deleted_from_an_empty_or_young_table(aggregate):
    assert retention.delete_expired() == {"rows": 0, "months": 0}
    rows_aged(10, 120, first=1)
    assert retention.delete_expired() == {"rows": 0, "months": 0}


def test_one_sweep_stops_at_its_time_and_the_next_goes_on(aggregate, monkeypatch):
    rows_aged(400, 200, first=1)
    monkeypatch.setattr(retention, "MOST_SECONDS", 0.0)
    assert retention.delete_expired() == {"rows": 0, "months": 0}
    monkeypatch.setattr(retention, "MOST_SECONDS", 60.0)
    assert retention.delete_expired() == {"rows": 200, "months": 0}


def test_lags_name_every_aggregate_the_largest_first(source):
    source.known[:] = [history.Aggregate(f"{{t{n}}}", n) for n in (1, 2, 3)]
    for tag, count in (("{t1}", 5), ("{t2}", 80)):
        ledger.begin(tag, log_limit=100)
        ledger.append(tag, count)
    assert [(lag.tag, lag.backlog, lag.percent) for lag in selectors.lags()] == [
        ("{t2}", 80, 80.0),
        ("{t1}", 5, 5.0),
        ("{t3}", 0, 0.0),
    ]


def test_gaps_are_listed_for_a_timeline_and_summed_by_reason(aggregate):
    ledger.begin("{t1}")
    ledger.append("{t1}", 10)
    hotpath.client().xdel("{t1}:log", "3-0", "4-0", "8-0")
    history.drain(ledger.KIND, aggregate)
    gaps = selectors.gaps(ledger.KIND, "{t1}")
    assert [(gap.first_seq, gap.count) for gap in gaps] == [(8, 1), (3, 2)]
    assert selectors.gaps_by_reason() == {"unexplained": 3}


def test_a_table_may_be_kept_for_less_and_what_stays_among_the_old_holds_nothing_up(
    aggregate, source, monkeypatch
):
    table = history.Retained(ledger.LedgerRow, keep_days=1 / 24)
    monkeypatch.setattr(type(source), "retained", lambda self: (table,))
    rows_aged(0.01, 1, first=1)  # the lowest key, but recent, as for a call that still runs
    rows_aged(0.05, 230, first=2)
    assert retention.delete_expired() == {"rows": 230, "months": 0}
    assert ledger.LedgerRow.objects.count() == 1


def test_rows_that_never_ended_stay_and_hold_nothing_up(aggregate, source, monkeypatch):
    table = history.Retained(ledger.LedgerRow, "ended_us")
    monkeypatch.setattr(type(source), "retained", lambda self: (table,))
    rows_aged(400, 120, first=1)  # more than two batches, at the lowest keys
    rows_aged(400, 230, first=201)
    ledger.LedgerRow.objects.filter(seq__gt=200).update(ended_us=F("at_us"))
    assert retention.delete_expired() == {"rows": 230, "months": 0}
    assert ledger.LedgerRow.objects.count() == 120
