"""Every entry reaches SQL once, in order, and the stream is trimmed only after that."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from numbers.services.rebuilding import KIND as POOLS
from poolsite import history, hotpath
from poolsite.history import draining, services, stream
from poolsite.history.models import Cursor, GapRecord
from poolsite.operations.history_alarms import HistoryAlarms
from poolsite.operations.models import Incident
from tests.history import ledger
from tests.numbers.people import make_pool


def drain(aggregate):
    return history.drain(ledger.KIND, aggregate)


def test_entries_reach_sql_in_order_and_the_stream_keeps_only_its_tail(aggregate, settings):
    settings.HISTORY_TAIL = 10
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 250)
    assert drain(aggregate) == history.Drained(count=250, lag=0, gaps=0)
    assert ledger.rows(aggregate) == [(1, seq, "hello") for seq in range(1, 251)]
    kept = [name for name, _ in hotpath.client().xrange("{t1}:log")]
    assert kept == [f"{seq}-0" for seq in range(241, 251)]
    assert hotpath.client().hget("{t1}", "drained") == "250"


def test_a_backlog_of_many_batches_is_drained_in_one_call(aggregate, settings):
    settings.HISTORY_BATCH = 100
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 1_050)
    assert drain(aggregate).count == 1_050
    assert drain(aggregate) == history.Drained()
    assert [seq for _, seq, _ in ledger.rows(aggregate)] == list(range(1, 1_051))


def test_nothing_is_trimmed_while_sql_refuses_and_all_is_there_afterwards(
    aggregate, source, monkeypatch
):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 30)

    def refuse(*_):
        raise DatabaseError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(source, "write", refuse)
        with pytest.raises(DatabaseError):
            drain(aggregate)
    assert hotpath.client().xlen("{t1}:log") == 30
    assert hotpath.client().hget("{t1}", "drained") == "0"
    assert ledger.rows(aggregate) == []
    assert drain(aggregate).count == 30


def test_a_missed_trim_is_made_good_when_nothing_is_new(aggregate, monkeypatch):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 5)
    with monkeypatch.context() as patch:
        patch.setattr(draining._Drain, "_trim", lambda *_: None)
        drain(aggregate)
    assert hotpath.client().hget("{t1}", "drained") == "0"
    assert drain(aggregate).count == 0
    assert hotpath.client().hget("{t1}", "drained") == "5"


def test_a_drain_that_was_overtaken_writes_nothing(aggregate, source):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 5)
    drain(aggregate)
    ledger.append(aggregate.tag, 5)
    late = draining._Drain(source, aggregate, HistoryAlarms())
    cursor = Cursor.objects.get(tag="{t1}")
    page = late._read(cursor)
    drain(aggregate)
    assert late._commit(cursor, page) is False
    assert [seq for _, seq, _ in ledger.rows(aggregate)] == list(range(1, 11))


def test_dropped_entries_become_one_gap_record_and_an_incident(aggregate):
    ledger.begin(aggregate.tag, log_limit=100)
    ledger.append(aggregate.tag, 130)
    assert hotpath.client().hget("{t1}", "dropped") == "30"
    assert drain(aggregate) == history.Drained(count=100, lag=0, gaps=30)
    gap = GapRecord.objects.get()
    assert (gap.first_seq, gap.last_seq, gap.reason) == (1, 30, "dropped")
    assert [seq for _, seq, _ in ledger.rows(aggregate)] == list(range(31, 131))
    incident = Incident.objects.get(type="history.dropped", until=None)
    assert incident.detail.endswith("Entries that never reached SQL: 30.")
    ledger.append(aggregate.tag, 1)
    drain(aggregate)
    assert not Incident.objects.filter(until=None).exists()


def test_a_hole_that_the_script_did_not_count_is_named_unexplained(aggregate):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 10)
    hotpath.client().xdel("{t1}:log", "4-0", "5-0", "10-0")
    assert drain(aggregate).gaps == 3
    gaps = GapRecord.objects.order_by("first_seq").values_list("first_seq", "last_seq", "reason")
    assert list(gaps) == [
        (4, 5, GapRecord.Reason.UNEXPLAINED),
        (10, 10, GapRecord.Reason.UNEXPLAINED),
    ]
    ledger.append(aggregate.tag, 1)
    assert drain(aggregate) == history.Drained(count=1)


def test_the_backlog_alarm_opens_at_80_percent_and_closes_after_the_drain(
    aggregate, source, monkeypatch
):
    ledger.begin(aggregate.tag, log_limit=100)
    ledger.append(aggregate.tag, 79)
    monkeypatch.setattr(draining, "MOST_PAGES", 1)
    monkeypatch.setattr(draining._Drain, "_commit", lambda *_: False)
    drain(aggregate)
    assert not Incident.objects.exists()
    ledger.append(aggregate.tag, 1)
    drain(aggregate)
    assert Incident.objects.get(until=None).type == "history.backlog"
    monkeypatch.undo()
    drain(aggregate)
    assert not Incident.objects.filter(until=None).exists()


def test_a_new_generation_begins_a_new_count_and_names_what_redis_lost(aggregate, monkeypatch):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 10)
    monkeypatch.setattr(draining, "MOST_PAGES", 1)
    drain(aggregate)
    ledger.append(aggregate.tag, 7)
    Cursor.objects.update(seen_seq=17)  # seen by a drain that could not commit
    hotpath.client().flushall()
    ledger.begin(aggregate.tag, generation=2)
    ledger.append(aggregate.tag, 3, "again")
    assert drain(aggregate).count == 3
    gap = GapRecord.objects.get()
    assert (gap.generation, gap.first_seq, gap.last_seq) == (1, 11, 17)
    assert gap.reason == "lost with Redis"
    assert ledger.rows(aggregate)[-3:] == [(2, 1, "again"), (2, 2, "again"), (2, 3, "again")]


@pytest.mark.parametrize("damage", ["emptied", "went back", "older generation", "diverged"])
def test_redis_behind_sql_is_told_to_the_app_and_nothing_is_written(aggregate, source, damage):
    ledger.begin(aggregate.tag, generation=3)
    ledger.append(aggregate.tag, 10)
    drain(aggregate)
    before = ledger.rows(aggregate)
    hotpath.client().flushall()
    if damage != "emptied":
        ledger.begin(aggregate.tag, generation=2 if damage == "older generation" else 3)
        ledger.append(aggregate.tag, 12 if damage == "diverged" else 8, "other")
    assert drain(aggregate).behind == damage
    assert source.told_behind == [damage]
    assert ledger.rows(aggregate) == before
    assert Incident.objects.get(until=None).type == "history.behind"


def test_the_incident_of_a_redis_behind_closes_with_the_new_generation(aggregate):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 10)
    drain(aggregate)
    hotpath.client().flushall()
    drain(aggregate)
    ledger.begin(aggregate.tag, generation=2, seq=10)
    ledger.append(aggregate.tag, 2)
    assert drain(aggregate).count == 2
    assert not Incident.objects.filter(until=None).exists()
    assert [(g, s) for g, s, _ in ledger.rows(aggregate)][-2:] == [(2, 11), (2, 12)]


def test_an_exact_replay_of_rows_is_absorbed(aggregate, source):
    entries = [history.StreamEntry(seq, 1_000 + seq, {"word": "same"}) for seq in (1, 2, 3)]
    with transaction.atomic():
        source.write(aggregate, 1, entries[:2])
        source.write(aggregate, 1, entries)
    assert [seq for _, seq, _ in ledger.rows(aggregate)] == [1, 2, 3]


def test_other_content_under_a_known_number_is_a_fault_that_is_shown_and_commits_nothing(
    aggregate,
):
    from poolsite.history.tasks import drain_all

    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 3)
    row = ledger.LedgerRow(aggregate_id=1, generation=1, seq=2, at_us=1, word="someone else's")
    row.save()
    with pytest.raises(services.HistoryConflictError):
        drain(aggregate)
    assert ledger.rows(aggregate) == [(1, 2, "someone else's")]
    assert drain_all(0, 1)["failed"] == 1
    assert Incident.objects.get(until=None).type == "history.fault"
    assert hotpath.client().xlen("{t1}:log") == 3
    row.delete()
    assert drain_all(0, 1)["entries"] == 3
    assert not Incident.objects.filter(until=None).exists()


def test_the_sweep_leaves_streams_in_order_alone_and_one_that_fails_stops_no_other(
    source, monkeypatch
):
    from poolsite.history.tasks import drain_all

    source.known[:] = [history.Aggregate(f"{{t{n}}}", n) for n in range(1, 6)]
    for each in source.known:
        ledger.begin(each.tag)
        ledger.append(each.tag, 2)
    assert drain_all(0, 1)["aggregates"] == 5
    ledger.append("{t2}", 1)
    ledger.append("{t3}", 1)
    write = source.write

    def refuse_t2(aggregate, generation, entries):
        if aggregate.tag == "{t2}":
            raise DatabaseError("value too long")
        write(aggregate, generation, entries)

    monkeypatch.setattr(source, "write", refuse_t2)
    done = drain_all(0, 1)
    assert (done["aggregates"], done["entries"], done["failed"]) == (2, 1, 1)


def test_shards_share_the_aggregates_between_them(source):
    from poolsite.history.tasks import drain_all

    source.known[:] = [history.Aggregate(f"{{t{n}}}", n) for n in range(1, 41)]
    for each in source.known:
        ledger.begin(each.tag)
        ledger.append(each.tag, 1)
    counts = [drain_all(shard, 4)["entries"] for shard in range(4)]
    assert sum(counts) == 40
    assert all(counts)


def test_a_shard_reads_its_own_aggregates_and_no_others(db):
    pools = {make_pool(f"p{n}").pk for n in range(9)}
    shards = [
        [each.object_id for each in history.source(POOLS).aggregates(shard, 4)]
        for shard in range(4)
    ]
    assert sorted(key for shard in shards for key in shard) == sorted(pools)
    assert all(shards)


def test_a_drain_writes_in_bulk(aggregate):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 400)
    alarms = HistoryAlarms()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        draining.drain_aggregate(history.source(ledger.KIND), aggregate, alarms)
    assert len(queries) < 20


def test_trim_never_goes_beyond_what_is_committed_nor_back(aggregate):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, 10)
    assert hotpath.run(stream.trim("{t1}", generation=1, committed=6, tail=2)).drained == 6
    assert next(name for name, _ in hotpath.client().xrange("{t1}:log")) == "5-0"
    assert hotpath.run(stream.trim("{t1}", generation=1, committed=4, tail=0)).drained == 6
    assert hotpath.client().xlen("{t1}:log") == 6
    assert hotpath.run(stream.trim("{t1}", generation=2, committed=9, tail=0)).refused
    assert hotpath.run(stream.trim("{t1}", generation=1, committed=11, tail=0)).refused == "behind"
    assert hotpath.client().hget("{t1}", "drained") == "6"
