"""Number health counts what the call records have, in every window."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numbers.health_figures import CallTally, window_from
from numbers.models import CallRecord, HealthMark, HealthSlot, Number, NumberHealth, Pool, Window
from numbers.services import health_counting, records
from numbers.services.health_sliding import slide_pool, sum_up
from numbers.services.records import LOST, close_untold
from poolsite.history import StreamEntry
from poolsite.moments import us_of
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import drain, make_pool, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

NOW = datetime.now(UTC)
write_entries = transaction.atomic(records.write_entries)  # as the drain calls it
NUMBERS = ["13800000000", "13800000001", "13800000002"]
CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "number": st.sampled_from(NUMBERS),
            "switch": st.sampled_from(["", "fs-01", "fs-02"]),
            "ago_s": st.integers(0, 8 * 86_400 - 700),
            "length_s": st.integers(0, 40),
            "answered": st.sampled_from(["", "0", "1", "1"]),
            "talk": st.sampled_from(["", "", "0", "5", "6", "90"]),
            "how": st.sampled_from(["hangup", "hangup", "released", "forced"]),
            "direction": st.sampled_from(["out", "out", "in"]),
        }
    ),
    max_size=25,
)


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let windows of a new pool begin by the test's time, whatever slot the clock is in."""
    monkeypatch.setattr(health_counting, "timezone", SimpleNamespace(now=lambda: NOW))


def entries_of(calls: list[dict[str, Any]], first: int) -> list[StreamEntry]:
    """Return a call's two entries, as the scripts write them."""
    found = []
    for call in calls:
        ended_us = us_of(NOW) - call["ago_s"] * 1_000_000
        began_us = ended_us - call["length_s"] * 1_000_000
        talk = call["talk"] if call["answered"] == "1" else ""
        texts = f"id{first}\t{call['switch']}\t\t\tann\t{call['direction']}"
        told = f"id{first}" + "\t" * 7 + f"{call['answered']}\t{talk}\t16"
        ended = told if call["how"] == "hangup" else f"id{first}"
        for at_us, event, words in ((began_us, "call", texts), (ended_us, call["how"], ended)):
            line = "\t".join([event, call["number"], "iu", "bu", "", "", "1", "1", "w"])
            found.append(StreamEntry(first, at_us, {"at": str(at_us), "c": words, "e": line}))
            first += 1
    return found


def expected(pool: Pool, window: Window, at: datetime) -> dict[str, list[int]]:
    """Return every number's counts from its records alone."""
    begin = datetime.fromtimestamp(window_from(window, us_of(at)) / 1e6, UTC)
    sums: dict[str, CallTally] = {}
    for record in CallRecord.objects.filter(pool=pool, ended_at__gte=begin, direction="out"):
        sums.setdefault(record.number, CallTally()).add(record, pool.short_call_seconds)
    return {number: tally.values() for number, tally in sums.items()}


def kept(pool: Pool, window: Window) -> dict[str, list[int]]:
    names = [f"{name}_{window.value}" for name in ("calls", "answered", "short", "untold")]
    rows = NumberHealth.objects.filter(pool=pool)
    found = {
        row.number: [
            *(getattr(row, name) for name in names),
            getattr(row, f"talk_ms_{window.value}"),
        ]
        for row in rows
    }
    return {number: counts for number, counts in found.items() if any(counts[:4])}


@given(pages=st.lists(CALLS, max_size=3), later_hours=st.lists(st.integers(0, 90), max_size=3))
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_the_sums_are_those_of_the_records(
    redis_server: RedisServer, pages: list[list[dict[str, Any]]], later_hours: list[int]
) -> None:
    for model in (NumberHealth, HealthSlot, HealthMark, CallRecord):
        model.objects.all().delete()
    pool = Pool.objects.filter(slug="health").first() or make_pool("health")
    pool.events.all().delete()
    seq, at = 1, NOW
    for page in pages:
        entries = entries_of(page, seq)
        write_entries(pool.pk, 1, entries)
        seq += len(entries)
        for window in Window:
            assert kept(pool, window) == expected(pool, window, NOW), window
    for hours in later_hours:
        at += timedelta(hours=hours)
        slide_pool(pool, at)
        for window in Window:
            assert kept(pool, window) == expected(pool, window, at), (window, hours)
    before = {window: kept(pool, window) for window in Window}
    sum_up(pool, at)
    assert {window: kept(pool, window) for window in Window} == before
    by_kind = Counter[str]()
    for slot in HealthSlot.objects.filter(pool=pool):
        by_kind[slot.kind] += slot.calls + slot.untold
    outbound = CallRecord.objects.filter(pool=pool, direction="out").count()
    assert set(by_kind.values()) <= {outbound}


def test_a_hangup_s_words_reach_the_history_the_record_and_the_figures() -> None:
    pool = make_pool(numbers=2)
    Number.objects.update(region="Beijing")
    send("east", "call", call_id="a", switch="fs-01")
    ended = {"call_id": "a", "switch": "fs-01", "cause": "NORMAL_CLEARING"}
    send("east", "hangup", answered=True, talk_seconds=3, **ended)
    send("east", "call", call_id="b", switch="fs-01")
    send("east", "hangup", call_id="b", answered=False, cause='48"6')
    send("east", "call", call_id="c")
    send("east", "hangup", call_id="c")
    drain(pool)
    drain(pool)
    told = CallRecord.objects.order_by("seq").values_list("cause", "answered", "talk_seconds")
    assert list(told) == [("NORMAL_CLEARING", True, 3), ('48"6', False, None), ("", None, None)]
    detail = pool.events.get(event="hangup", call_id="a").detail
    assert (detail["cause"], detail["answered"]) == ("NORMAL_CLEARING", "1")
    sums = HealthSlot.objects.filter(pool=pool, kind=HealthSlot.REGION, key="Beijing")
    counts = [(each.calls, each.answered, each.short, each.untold) for each in sums]
    assert [sum(column) for column in zip(*counts, strict=True)] == [2, 1, 1, 1]
    assert set(NumberHealth.objects.values_list("region", flat=True)) == {"Beijing"}


def test_the_end_of_a_deleted_number_s_call_is_told_too() -> None:
    pool = make_pool(numbers=1)
    send("east", "call", call_id="a")
    send("east", "del", "+8613800000000")
    outcome = send(
        "east", "hangup", call_id="a", number="+8613800000000", answered=True, cause="16"
    )
    assert outcome.reason == "old call"
    drain(pool)
    record = CallRecord.objects.get()
    assert (record.answered, record.cause) == (True, "16")


def test_a_repeated_hangup_is_counted_once_and_a_late_one_not_at_all() -> None:
    pool = make_pool(numbers=1)
    send("east", "call", call_id="a")
    for _ in range(3):
        send("east", "hangup", call_id="a", answered=True)
        drain(pool)
    send("east", "call", call_id="b")
    drain(pool)
    close_untold(CallRecord.objects.get(ended_at=None))
    send("east", "hangup", call_id="b", answered=True)
    drain(pool)
    row = NumberHealth.objects.get()
    assert (row.calls_1h, row.answered_1h, row.untold_1h) == (1, 1, 1)


@pytest.mark.parametrize("ahead_s", [0, 3_600])
def test_calls_lost_with_redis_are_not_told(ahead_s: int) -> None:
    """Nor do they end before they began, by a clock that was ahead then."""
    pool = make_pool(numbers=1)
    send("east", "call", call_id="a")
    drain(pool)
    CallRecord.objects.update(started_at=NOW + timedelta(seconds=ahead_s))
    opened = StreamEntry(1, us_of(NOW), {"at": str(us_of(NOW)), "e": "opened" + "\t" * 8})
    write_entries(pool.pk, pool.generation + 1, [opened])
    record = CallRecord.objects.get()
    assert (record.ended_how, record.ended_at) == (LOST, record.started_at)
    row = NumberHealth.objects.get()
    assert (row.calls_24h, row.untold_24h) == (0, 1)


def test_a_call_that_redis_does_not_have_ends_no_earlier_than_it_began() -> None:
    pool = make_pool(numbers=1)
    send("east", "call", call_id="a")
    drain(pool)
    CallRecord.objects.update(started_at=NOW + timedelta(hours=1))
    close_untold(CallRecord.objects.get())
    record = CallRecord.objects.get()
    assert record.ended_at == record.started_at


def test_a_number_with_few_calls_has_no_rate() -> None:
    pool = make_pool()
    calls = [
        {
            "number": NUMBERS[0],
            "switch": "",
            "ago_s": 5,
            "length_s": 3,
            "talk": "",
            "answered": "1" if place % 4 == 0 else "0",
            "how": "hangup",
            "direction": "out",
        }
        for place in range(12)
    ]
    write_entries(pool.pk, 1, entries_of(calls[:9], 1))
    assert NumberHealth.objects.get().rate_24h is None
    write_entries(pool.pk, 1, entries_of(calls[9:], 100))
    assert NumberHealth.objects.get().rate_24h == 2_500
