"""Lists, stories and call lookup: filtered, in order, by tenant."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from numbers import selectors, services
from numbers.models import CallRecord, MinuteSample, Number, Pool, PoolEvent
from numbers.selectors import NumberFilter
from poolsite import access
from tests.numbers.people import drain, make_pool, operator, send, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def values(page: selectors.NumberPage) -> list[str]:
    return [row.number.value for row in page.rows]


# -- lists -------------------------------------------------------------------------------------


def test_pages_follow_each_other_in_both_directions_without_gaps() -> None:
    make_pool(numbers=25, up=False)
    reader = operator()
    seen: list[str] = []
    after = ""
    while True:
        page = selectors.number_list(reader, NumberFilter(), after=after, limit=10)
        seen += values(page)
        if not page.next:
            break
        after = page.next
    assert seen == [f"+86{13800000000 + index}" for index in range(25)]
    assert page.previous == seen[20]
    back = selectors.number_list(reader, NumberFilter(), before=page.previous, limit=10)
    assert values(back) == seen[10:20]
    assert (back.next, back.previous) == (seen[19], seen[10])
    first = selectors.number_list(reader, NumberFilter(), before=back.previous, limit=10)
    assert values(first) == seen[:10]
    assert first.previous == ""


def test_numbers_with_plus_page_in_byte_order_with_the_others() -> None:
    pool = make_pool()
    for number in ("123", "+86123", "+1555", "990"):
        services.number_add(actor="test", pool=pool, number=number)
    page = selectors.number_list(operator(), NumberFilter())
    assert values(page) == ["+1555", "+86123", "123", "990"]


def test_each_filter_narrows_the_list() -> None:
    east, west = make_pool("east"), make_pool("west")
    services.number_add(actor="test", pool=east, number="+8613812345678", tags=["vip"])
    services.number_add(actor="test", pool=east, number="+862112345678", region="Shanghai HQ")
    services.number_add(actor="test", pool=west, number="+8613899999999", tags=["vip"])
    services.number_quarantine(
        actor="test",
        number=Number.objects.select_related("pool").get(value="+862112345678"),
        reason="spam",
    )
    reader = operator()

    def listed(**given: str) -> list[str]:
        return values(selectors.number_list(reader, NumberFilter(**given)))

    assert listed(pool_slug="east") == ["+8613812345678", "+862112345678"]
    assert listed(pool_slug="nowhere") == []
    assert listed(tag="vip") == ["+8613812345678", "+8613899999999"]
    assert listed(tag="vip", pool_slug="west") == ["+8613899999999"]
    assert listed(prefix="+86138") == ["+8613812345678", "+8613899999999"]
    assert listed(prefix="+869") == []
    assert listed(prefix="é") == []
    assert listed(region="Shanghai HQ") == ["+862112345678"]
    assert listed(state="quarantined") == ["+862112345678"]
    assert "Shanghai HQ" in selectors.regions(reader)


def test_the_regions_of_the_numbers_that_one_may_see_are_one_query(
    django_assert_num_queries: Any,
) -> None:
    foreign = tenant("acme")
    make_pool("east", numbers=4)
    make_pool("west", numbers=1, first=13900000000, account=foreign.account)
    numbers = Number.objects.order_by("value")
    for number, region in zip(numbers, ("Õ é", "Beijing", "Beijing", "", "HQ"), strict=True):
        numbers.filter(pk=number.pk).update(region=region)
    reader = operator()
    with django_assert_num_queries(1):
        assert selectors.regions(reader) == ["Beijing", "HQ", "Õ é"]
    assert selectors.regions(reader, limit=2) == ["Beijing", "HQ"]
    assert selectors.regions(reader, pool_slug="west") == ["HQ"]
    assert selectors.regions(reader, pool_slug="nowhere") == []
    assert selectors.regions(foreign.principal) == ["HQ"]
    assert selectors.regions(access.ANONYMOUS) == []


def test_a_state_filter_reads_on_until_the_page_is_full() -> None:
    make_pool(numbers=30)
    for index in (3, 17, 29):
        send("east", "call", f"+86{13800000000 + index}", call_id=f"{index}")
    reader = operator()
    page = selectors.number_list(reader, NumberFilter(state="busy+up"), limit=2)
    assert values(page) == ["+8613800000003", "+8613800000017"]
    rest = selectors.number_list(reader, NumberFilter(state="busy+up"), after=page.next, limit=2)
    assert (values(rest), rest.next) == (["+8613800000029"], "")
    assert len(selectors.number_list(reader, NumberFilter(state="idle+up")).rows) == 27


def test_a_row_carries_its_live_state_or_says_that_redis_has_none() -> None:
    pool = make_pool(numbers=1)
    Number.objects.create(pool=pool, value="999")
    send("east", "call", "+8613800000000", call_id="a")
    rows = selectors.number_list(operator(), NumberFilter()).rows
    assert rows[0].live is not None
    assert rows[0].live.name == "busy+up"
    assert rows[1].live is None


def test_the_count_is_exact_while_small() -> None:
    make_pool(numbers=5, up=False)
    about = selectors.about_count(operator(), NumberFilter())
    assert (about.count, about.exact) == (5, True)


def test_the_list_of_a_tenant_holds_its_own() -> None:
    north, south = tenant("north"), tenant("south")
    make_pool("east", numbers=1, account=north.account)
    make_pool("west", numbers=1, first=13900000000, account=south.account)
    assert values(selectors.number_list(north.principal, NumberFilter())) == ["+8613800000000"]
    assert selectors.number_list(north.principal, NumberFilter(pool_slug="west")).rows == []
    assert selectors.number_list(access.ANONYMOUS, NumberFilter()).rows == []
    assert selectors.number_get(north.principal, "+8613800000000").number.pool.slug == "east"
    with pytest.raises(access.Hidden):
        selectors.number_get(north.principal, "+8613900000000")
    with pytest.raises(access.Hidden):
        selectors.number_get(north.principal, "1")
    assert [now.pool.slug for now in selectors.pool_list(south.principal)] == ["west"]


# -- what happened -----------------------------------------------------------------------------


def test_a_numbers_story_is_told_newest_first_a_page_at_a_time() -> None:
    pool = make_pool(numbers=1)
    for index in range(4):
        send("east", "call", call_id=f"{index}")
        send("east", "hangup", call_id=f"{index}")
    drain(pool)
    reader = operator()
    first = selectors.number_story(reader, "+8613800000000", limit=6)
    assert [event.event for event in first.events] == ["hangup", "call"] * 3
    assert first.next is not None
    rest = selectors.number_story(reader, "+8613800000000", after=first.next, limit=6)
    assert [event.event for event in rest.events] == ["hangup", "call", "reg", "add"]
    assert rest.next is None
    assert selectors.number_story(tenant("south").principal, "+8613800000000").events == []


def test_a_story_can_begin_at_a_moment() -> None:
    pool = make_pool(numbers=1)
    send("east", "call", call_id="a")
    drain(pool)
    between = PoolEvent.objects.get(event="call").at_us - 1
    story = selectors.number_story(operator(), "+8613800000000", before_us=between)
    assert [event.event for event in story.events] == ["reg", "add"]


def test_a_call_is_open_until_its_end_is_drained() -> None:
    pool = make_pool(numbers=2)
    send("east", "call", call_id="a", agent="alice", callee="139", switch="fs1", incarnation="1")
    drain(pool)
    record = CallRecord.objects.get()
    assert (record.agent, record.callee, record.switch) == ("alice", "139", "fs1")
    assert [row.call_id for row in selectors.pool_live_calls(pool)] == ["a"]
    send("east", "hangup", call_id="a", reason="bye")
    drain(pool)
    record.refresh_from_db()
    assert record.ended_how == "hangup: bye"
    assert record.ended_at is not None
    assert record.ended_at > record.started_at
    assert selectors.pool_live_calls(pool) == []


def test_who_had_it_is_one_query_with_a_half_open_end(
    django_assert_num_queries: Any,
) -> None:
    pool = make_pool(numbers=1)
    start = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
    for index in range(3):
        CallRecord.objects.create(
            pool=pool,
            number="+8613800000000",
            call_id=f"c{index}",
            agent="alice",
            callee="139",
            started_at=start + timedelta(minutes=index),
            ended_at=start + timedelta(minutes=index + 1),
            generation=1,
            seq=index,
        )
    reader = operator()
    at = start + timedelta(minutes=1)
    with django_assert_num_queries(1):
        selectors.who_had(reader, at=at, callee="139")
    with django_assert_num_queries(2):  # pools' home countries before it
        found = selectors.who_had(reader, at=at, number="13800000000")
    assert [row.call_id for row in found] == ["c1"]
    assert selectors.who_had(reader, at=start - timedelta(seconds=1), agent="alice") == []
    assert selectors.who_had(reader, at=at, agent="alice", callee="000") == []
    with pytest.raises(ValueError):
        selectors.who_had(reader, at=at)


# -- advice ------------------------------------------------------------------------------------


def sample(pool: Pool, minute: datetime, offered: int, blocked: int) -> None:
    MinuteSample.objects.create(
        pool=pool, minute=minute, offered=offered, blocked=blocked, carried=offered - blocked
    )


def test_the_advice_follows_the_busiest_half_hour_and_erlang_b() -> None:
    pool = make_pool(numbers=10)
    noon = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    for minute in range(120):
        busy = 40 <= minute < 70
        sample(pool, noon + timedelta(minutes=minute), 10 if busy else 1, 2 if busy else 0)
    begin = noon + timedelta(minutes=40)
    for index in range(20):
        CallRecord.objects.create(
            pool=pool,
            number=str(index),
            started_at=begin + timedelta(seconds=index),
            ended_at=begin + timedelta(seconds=index + 120),
            generation=1,
            seq=index,
        )
    live = selectors.pool_live(["east"])["east"]
    advice = selectors.pool_sizing(pool, live, start=noon, end=noon + timedelta(hours=2))
    assert advice is not None
    assert (advice.window_start, advice.offered, advice.blocked) == (begin, 300, 60)
    assert advice.mean_call_seconds == 120
    assert advice.offered_erlangs == pytest.approx(20.0)
    assert advice.pickable == 10
    assert advice.blocking_measured == pytest.approx(0.2)
    assert advice.blocking_expected == pytest.approx(0.538, abs=0.001)
    assert advice.needed == 30
    assert advice.missing == 20
    assert (10, advice.blocking_expected) in advice.curve


def test_without_calls_there_is_no_advice() -> None:
    pool = make_pool(numbers=1)
    now = datetime.now(UTC)
    live = selectors.pool_live(["east"])["east"]
    assert selectors.pool_sizing(pool, live, start=now - timedelta(hours=1), end=now) is None


def test_figures_of_a_pool_that_redis_lost_are_none() -> None:
    assert selectors.pool_live(["nowhere"]) == {"nowhere": None}
