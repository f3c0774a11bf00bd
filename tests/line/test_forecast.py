"""Agents needed on a day: visitors of the past counted by hand, staffing, a held-out week."""

import csv
import os
import random
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from poolsite.access.services import membership_set
from queueing.line.models import Agent, Closure, Queue, Visit
from queueing.line.selectors.demand import demand_of, pace_of
from queueing.line.selectors.forecast import Forecast, forecast
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_shift, past_visit
from tests.line.plain_line import SECOND, Coming, PlainLine, Server, Went, drawn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
SEED = int(os.environ.get("LINE_SEED", "20261126"))
SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 6, 10, 15, tzinfo=SHANGHAI)  # a Wednesday
MONDAY = date(2026, 6, 15)
ROOM, PATIENCE = 240.0, 180.0


@pytest.fixture
def line() -> LineWorld:
    made = make_line(answer_within_seconds=20)
    made.account.zone = "Asia/Shanghai"
    made.account.save()
    made.queue.desk.account = made.account
    return made


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), SHANGHAI)


def mondays(line: LineWorld, *counts: int) -> list[date]:
    """Write `counts` visitors at ten on the last Mondays, the newest first."""
    days = [MONDAY - timedelta(weeks=ago) for ago in range(1, len(counts) + 1)]
    for day, count in zip(days, counts, strict=True):
        for number in range(count):
            past_visit(line.queue, at(day, 10) + timedelta(seconds=number))
    return days


def test_the_same_weekdays_tell_and_days_that_are_unlike_do_not(line: LineWorld) -> None:
    days = mondays(line, 4, 8, 6, 0, 90, 6)
    Closure.objects.create(queue=line.queue, day=days[4], hours=[["09:00", "12:00"]])
    past_visit(line.queue, at(days[0], 11, 29))
    past_visit(line.queue, at(MONDAY - timedelta(days=6), 10))  # a Tuesday
    found = demand_of(line.queue, MONDAY, zone=SHANGHAI, now=NOW)
    assert found.kind == "weekday"
    assert found.days == tuple(sorted((*days[:3], days[5])))
    assert [(each.begin, each.expected) for each in found.steps] == [
        (at(MONDAY, 10).astimezone(UTC), (4 + 8 + 6 + 6) / 4),
        (at(MONDAY, 10, 30).astimezone(UTC), 0),
        (at(MONDAY, 11).astimezone(UTC), 1 / 4),
    ]
    # chance alone: 6 ± 1.2816 √(6 × 1.25)
    assert (found.steps[0].low, found.steps[0].high) == (3, 9)


def test_a_day_that_is_closed_each_year_tells_nothing(line: LineWorld) -> None:
    days = mondays(line, 4, 8, 6, 90)
    long_ago = days[3].replace(year=days[3].year - 5)
    Closure.objects.create(queue=line.queue, day=long_ago, hours=[], yearly=True)
    assert demand_of(line.queue, MONDAY, zone=SHANGHAI, now=NOW).days == tuple(sorted(days[:3]))


def test_a_forecast_is_in_the_zone_of_the_queues_hours(line: LineWorld) -> None:
    mondays(line, *(20,) * 4)
    line.queue.zone = "Europe/Berlin"  # ten in Shanghai is four there
    line.queue.hours = {"0": [["04:00", "05:00"]]}
    found = forecast(line.queue, MONDAY, now=NOW)
    assert found.zone.key == "Europe/Berlin"
    assert [each.begin for each in found.demand.steps] == [at(MONDAY, 10).astimezone(UTC)]


def test_days_that_differ_more_than_chance_widen_the_range(line: LineWorld) -> None:
    mondays(line, 2, 30, 16)
    step = demand_of(line.queue, MONDAY, zone=SHANGHAI, now=NOW).steps[0]
    assert step.expected == 16
    # variance ÷ mean is (14² + 14²) ÷ (2 × 16) = 12.25
    assert (step.low, step.high) == (0, 36)


def test_days_of_the_same_kind_tell_while_weekdays_are_too_few(line: LineWorld) -> None:
    mondays(line, 3, 3)
    past_visit(line.queue, at(date(2026, 6, 7), 10))  # a Sunday
    assert demand_of(line.queue, MONDAY, zone=SHANGHAI, now=NOW).steps == ()
    for day in (date(2026, 6, 9), NOW.date()):  # a Tuesday, and today, which is not over
        past_visit(line.queue, at(day, 10))
    found = demand_of(line.queue, MONDAY, zone=SHANGHAI, now=NOW)
    assert (found.kind, len(found.days)) == ("workday", 3)
    assert demand_of(line.queue, date(2026, 6, 14), zone=SHANGHAI, now=NOW).kind == "weekend"


def test_a_queues_hours_and_holidays_hold(line: LineWorld) -> None:
    days = mondays(line, 6, 6, 6)
    for day in days:
        past_visit(line.queue, at(day, 20))
    line.queue.hours = {"0": [["09:00", "18:15"]]}
    steps = demand_of(line.queue, MONDAY, zone=SHANGHAI, now=NOW).steps
    assert [each.begin for each in steps] == [at(MONDAY, 10).astimezone(UTC)]
    Closure.objects.create(queue=line.queue, day=MONDAY, hours=[])
    assert forecast(line.queue, MONDAY, now=NOW).lack == "closed"


def test_rooms_patience_rooms_at_once_and_pauses_are_measured(line: LineWorld) -> None:
    one, two = line.agent("li", capacity=3), line.agent("wu", capacity=2)
    line.queue.wrap_up_seconds = 20
    yesterday = NOW - timedelta(days=1)
    for _ in range(30):
        past_visit(line.queue, yesterday, wait=10, agent=one, room=100)
    for _ in range(9):
        past_visit(line.queue, yesterday, wait=60)
    past_visit(line.queue, NOW - timedelta(weeks=5), wait=900)  # too long ago
    assert pace_of(line.queue, now=NOW).patience_seconds is None
    past_visit(line.queue, yesterday, wait=160)
    shift = past_shift(two, yesterday, yesterday + timedelta(hours=2))
    shift.paused_seconds = 1_800
    shift.save()
    pace = pace_of(line.queue, now=NOW)
    assert (pace.room_seconds, pace.served, pace.left) == (120, 30, 10)
    assert pace.patience_seconds == (30 * 10 + 9 * 60 + 160) / 10
    assert (pace.capacity, pace.paused) == (2.5, 0.25)


def busy_past(line: LineWorld, per_half_hour: int = 12) -> Agent:
    """Write three Mondays with many visitors at ten, and what rooms and patience need."""
    agent = line.agent("li")
    for day in [MONDAY - timedelta(weeks=ago) for ago in range(1, 4)]:
        for number in range(per_half_hour):
            gives_up = number % 3 == 0
            joined = at(day, 10) + timedelta(seconds=number)
            past_visit(line.queue, joined, wait=30, agent=None if gives_up else agent, room=300)
    return agent


def test_the_fewest_agents_that_reach_the_goal_are_told(line: LineWorld) -> None:
    busy_past(line, 24)
    (row,) = forecast(line.queue, MONDAY, now=NOW).rows
    assert row.erlangs == pytest.approx(24 * 300 / 1_800)
    assert row.agents == row.agents_a
    assert row.planned.level >= 0.8
    assert row.agents_a <= row.agents_c <= row.agents_busy
    (fewer,) = forecast(line.queue, MONDAY, agents=row.agents - 1, now=NOW).rows
    assert fewer.asked is not None
    assert fewer.asked.level < 0.8
    assert fewer.asked.gave_up > row.planned.gave_up


def test_agents_with_two_rooms_are_half_as_many_and_pauses_ask_for_more(line: LineWorld) -> None:
    agent = busy_past(line, 24)
    (one,) = forecast(line.queue, MONDAY, now=NOW).rows
    (half,) = forecast(line.queue, MONDAY, paused=0.5, now=NOW).rows
    assert half.agents == 2 * one.agents
    assert half.planned.level == one.planned.level
    Agent.objects.filter(pk=agent.pk).update(capacity=2)
    (two,) = forecast(line.queue, MONDAY, now=NOW).rows
    assert two.agents == -(-one.agents // 2)


def test_without_enough_to_tell_there_is_no_figure(line: LineWorld) -> None:
    assert forecast(line.queue, now=NOW).lack == "days"
    busy_past(line, 9)
    found = forecast(line.queue, MONDAY, agents=5, now=NOW)
    assert (found.lack, found.rows, found.summary().asked_level) == ("rooms", (), None)


def test_what_cannot_be_asked_is_refused(line: LineWorld) -> None:
    for given in ({"agents": -1}, {"agents": 501}, {"paused": 0.91}, {"paused": -0.1}):
        with pytest.raises(ValueError):
            forecast(line.queue, now=NOW, **given)
    for days in (-1, 15):
        with pytest.raises(ValueError):
            forecast(line.queue, NOW.date() + timedelta(days=days), now=NOW)
    assert forecast(line.queue, NOW.date(), now=NOW).lack == "days"


# -- a held-out week ---------------------------------------------------------------------------

BEGIN = date(2026, 4, 6)  # a Monday
PER_HALF_HOUR = (6, 9, 14, 18, 20, 20, 16, 12, 14, 18, 20, 18, 14, 10, 8, 6)  # from nine
DAY_SPREAD = 0.15  # of the logarithm of a day's factor


def a_day(dice: random.Random, day: date) -> list[Coming]:
    """Return the visitors of a day: Poisson at changing rates, on a day that is busier or not."""
    factor = dice.lognormvariate(-(DAY_SPREAD**2) / 2, DAY_SPREAD)
    weekday = 1.3 if day.weekday() == 0 else 1.0
    come = []
    for half, rate in enumerate(PER_HALF_HOUR):
        begin, seconds = half * 1_800.0, 0.0
        while True:
            seconds += dice.expovariate(rate * factor * weekday / 1_800)
            if seconds >= 1_800:
                break
            moment = round((begin + seconds) * SECOND)
            come.append(Coming(moment, drawn(dice, ROOM), drawn(dice, PATIENCE)))
    return come


def write(agent: Agent, day: date, comings: list[Coming], went: list[Went]) -> None:
    """Write a day's visits, as the drain would have written them."""
    rows, queue = [], agent.queues.get()
    for number, (coming, each) in enumerate(zip(comings, went, strict=True)):
        joined = at(day, 9) + timedelta(microseconds=coming.at)
        over = joined + timedelta(microseconds=each.waited)
        served = each.by is not None
        rows.append(
            Visit(
                public_id=f"b{day:%m%d}{number:06}",
                desk=agent.desk,
                queue=queue,
                joined_at=joined,
                matched_at=over if served else None,
                agent=agent if served else None,
                ended_at=over + timedelta(microseconds=coming.lasts) if served else over,
                outcome="served" if served else "left",
            )
        )
    Visit.objects.bulk_create(rows)


def as_planned(found: Forecast, comings: list[Coming]) -> tuple[int, int]:
    """Play the day with the planned agents. Return the visitors served in time, and those offered.

    The plain line plays each half hour with its own agents, after the half hour before it.
    """
    in_time = offered = 0
    for row in found.rows:
        begin = round((row.step.begin - at(found.day, 9)).total_seconds() * SECOND)
        half = 1_800 * SECOND
        mine = [each for each in comings if begin - half <= each.at < begin + half]
        went = PlainLine([Server()] * max(1, row.agents)).play(mine)
        for coming, each in zip(mine, went, strict=True):
            if coming.at >= begin:
                offered += each.by is not None or each.waited >= 5 * SECOND
                in_time += each.by is not None and each.waited <= 20 * SECOND
    return in_time, offered


def test_a_held_out_week_comes_as_it_was_forecast(line: LineWorld) -> None:
    print(f"LINE_SEED={SEED}")
    dice = random.Random(SEED)
    agent = line.agent("li")
    days = [BEGIN + timedelta(days=ahead) for ahead in range(9 * 7)]
    workdays = [day for day in days if day.weekday() < 5]
    for day in workdays[:40]:
        comings = a_day(dice, day)
        write(agent, day, comings, PlainLine([Server()] * 5).play(comings))
    held_out = workdays[40:]
    now = at(held_out[0], 0)
    inside = of = in_time = offered = 0
    visitors = came_in_all = 0.0
    told = {day: forecast(line.queue, day, now=now) for day in held_out}
    for day in held_out * 8:  # each day is played eight times
        found = told[day]
        assert (found.demand.kind, len(found.demand.days)) == ("weekday", 8)
        comings = a_day(dice, day)
        came = Counter(coming.at // (1_800 * SECOND) for coming in comings)
        for half, row in enumerate(found.rows):
            of += 1
            inside += row.step.low <= came[half] <= row.step.high
        visitors += found.summary().visitors
        came_in_all += len(comings)
        more = as_planned(found, comings)
        in_time, offered = in_time + more[0], offered + more[1]
    pace = pace_of(line.queue, now=now)
    planned = fmean(each.summary().planned_level or 0 for each in told.values())
    off = abs(visitors / came_in_all - 1)
    print(f"inside {inside / of:.1%} of {of} half hours; visitors off by {off:.1%}")
    print(
        f"level {in_time / offered:.1%}, planned {planned:.1%}; "
        f"room {pace.room_seconds}, patience {pace.patience_seconds}"
    )
    assert 0.75 <= inside / of <= 0.88
    assert off < 0.1
    assert pace.room_seconds == pytest.approx(ROOM, rel=0.05)
    assert pace.patience_seconds == pytest.approx(PATIENCE, rel=0.15)
    assert in_time / offered == pytest.approx(planned, abs=0.05)


# -- the page, the file, the API --------------------------------------------------------------


@pytest.fixture
def world(line: LineWorld) -> World:
    made = make_world()
    membership_set(user=made.users["foreign"], account=line.account, roles=["owner"], actor="test")
    return made


def lately(queue: Queue, agent: Agent) -> None:
    """Write visitors on each of the last 28 days, at ten and at half past."""
    today = timezone.now().astimezone(SHANGHAI).date()
    for ago in range(1, 29):
        for number in range(4):
            joined = at(today - timedelta(days=ago), 10, 30 * (number % 2))
            past_visit(queue, joined, wait=30, agent=agent if number else None, room=300)


def test_page_file_and_interface_tell_the_same(line: LineWorld, world: World) -> None:
    client = world.client("foreign")
    page, api = "/desks/support/forecast/", "/api/v1/desks/support/forecast"
    assert "Not enough days yet" in client.get(page).content.decode()
    lately(line.queue, line.agent("li"))
    told = client.get(f"{api}?agents=2").json()
    assert [row["visitors"] for row in told["rows"]] == [2, 2]
    assert (told["lack"], told["within"], told["target"]) == ("", 20, 0.8)
    found: Any = client.get(f"{page}csv/?agents=2")
    rows = list(csv.DictReader(found.getvalue().decode().lstrip("\ufeff").splitlines()))
    assert [row["from"] for row in rows] == ["10:00", "10:30"]
    assert [int(row["agents"]) for row in rows] == [row["agents"] for row in told["rows"]]
    assert float(rows[0]["asked service level"]) == pytest.approx(
        told["rows"][0]["asked"]["level"], abs=1e-4
    )
    text = client.get(f"{page}?agents=2").content.decode()
    assert "With 2 agents" in text
    assert f"{told['total']['asked_level']:.0%}" in text


def test_bad_input_is_refused_by_the_interface_and_passed_over_by_the_page(
    line: LineWorld, world: World
) -> None:
    client = world.client("foreign")
    api = "/api/v1/desks/support/forecast"
    far = timezone.now().date() + timedelta(days=16)
    for query in ("agents=-1", "agents=501", "paused=1", "day=soon", f"day={far}"):
        assert client.get(f"{api}?{query}").status_code == 422, query
    assert client.get(f"{api}?queue=nothing").json()["type"] == "unknown-queue"
    for query in ("agents=-1", "agents=9e9", f"day={far}", "day=soon", "queue=x", "pauses=٣"):
        assert client.get(f"/desks/support/forecast/?{query}").status_code == 200, query
