"""A desk's report: counts, percentiles, level and occupancy as counted by hand, in its own zone."""

import csv
import math
import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction

from poolsite.access.services import membership_set
from queueing.line.models import Visit
from queueing.line.selectors.report_span import EARLIEST, Span, span_of
from queueing.line.selectors.reports import DeskReport
from queueing.line.services.desks import queue_create
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_shift, past_visit, today

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
SHANGHAI = ZoneInfo("Asia/Shanghai")
DAY = date(2026, 3, 5)
NOON = datetime(2026, 3, 5, 12, tzinfo=SHANGHAI)
AFTER = datetime(2026, 3, 9, tzinfo=UTC)
ONE_DAY = Span(DAY, DAY, SHANGHAI)


@pytest.fixture
def line() -> LineWorld:
    made = make_line(answer_within_seconds=20)
    made.account.zone = "Asia/Shanghai"
    made.account.save()
    return made


def test_a_step_counts_who_joined_in_it_and_tells_the_rest_as_counted_by_hand(
    line: LineWorld,
) -> None:
    agent = line.agent("li", capacity=2)
    past_shift(agent, NOON, NOON + timedelta(hours=1), (NOON, NOON + timedelta(minutes=30)))
    for wait in (5, 10, 30, 40):
        past_visit(line.queue, NOON, wait=wait, agent=agent, room=300, stars=4)
    past_visit(line.queue, NOON + timedelta(minutes=59), wait=20)
    past_visit(line.queue, NOON + timedelta(hours=1), wait=3)
    rows = {row.name: row for row in DeskReport(line.desk, ONE_DAY, now=AFTER).rows("time")}
    assert len(rows) == 24
    noon = rows["2026-03-05 12:00"]
    assert (noon.arrivals, noon.served, noon.abandoned, noon.ratings) == (5, 4, 1, 4)
    assert (noon.wait_p50, noon.wait_p90, noon.wait_longest) == (10, 40, 40)
    assert (noon.level, noon.stars, noon.room_mean) == (2 / 5, 4, 300)
    # two rooms for half an hour could be in use; four rooms of 5 min were
    assert noon.occupancy == pytest.approx(4 * 300 / (2 * 1_800))
    late = rows["2026-03-05 13:00"]
    assert (late.abandoned, late.short) == (0, 1)  # it left within 5 s
    assert rows["2026-03-05 11:00"].occupancy is None


def test_percentiles_are_nearest_rank_for_every_count(line: LineWorld) -> None:
    agent = line.agent("li")
    dice = random.Random(7)
    waits: dict[int, list[float]] = {}
    for hour, count in enumerate((1, 2, 3, 9, 10, 11, 30)):
        waits[hour] = [dice.randrange(1, 500) for _ in range(count)]
        for wait in waits[hour]:
            at = NOON + timedelta(hours=hour, seconds=dice.randrange(3_000))
            past_visit(line.queue, at, wait=wait, agent=agent, room=1)
    rows = {row.name: row for row in DeskReport(line.desk, ONE_DAY, now=AFTER).rows("time")}
    for hour, values in waits.items():
        row = rows[f"2026-03-05 {12 + hour}:00"]
        ordered = sorted(values)
        for share, told in ((0.5, row.wait_p50), (0.9, row.wait_p90), (1, row.wait_longest)):
            assert told == ordered[math.ceil(len(values) * share) - 1], (hour, share)


def test_days_are_those_of_the_desks_zone_and_never_of_the_future(line: LineWorld) -> None:
    midnight = datetime(2026, 3, 5, tzinfo=SHANGHAI)
    past_visit(line.queue, midnight - timedelta(seconds=1))
    past_visit(line.queue, midnight)
    past_visit(line.queue, midnight + timedelta(days=1))
    assert DeskReport(line.desk, ONE_DAY, now=AFTER).total().arrivals == 1
    wide = Span(DAY - timedelta(days=5), DAY + timedelta(days=1), SHANGHAI)
    rows = DeskReport(line.desk, wide, now=AFTER).rows("time")
    assert [row.arrivals for row in rows] == [0, 0, 0, 0, 1, 1, 1]
    early = DeskReport(line.desk, wide, now=NOON).rows("time")
    assert early[-1].name == "2026-03-05"
    asked = span_of(line.desk, date(1999, 1, 1), date(2099, 1, 1), AFTER)
    assert (asked.last, (asked.last - asked.first).days) == (date(2026, 3, 9), 92)
    for first in (None, date.min, date.max):
        assert span_of(line.desk, first, date.min, AFTER).last == EARLIEST


def test_the_first_hour_of_a_day_has_one_row_and_its_first_moment_none(line: LineWorld) -> None:
    midnight = ONE_DAY.since
    past_visit(line.queue, midnight + timedelta(minutes=5), wait=20, agent=line.agent("li"))
    (row,) = DeskReport(line.desk, ONE_DAY, now=midnight + timedelta(minutes=30)).rows("time")
    assert (row.arrivals, row.served, row.wait_p50) == (1, 1, 20)
    assert DeskReport(line.desk, ONE_DAY, now=midnight).rows("time") == []


def test_a_spring_day_has_23_hours(line: LineWorld) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    day = date(2026, 3, 29)
    rows = DeskReport(line.desk, Span(day, day, berlin), now=datetime(2026, 4, 2, tzinfo=UTC)).rows(
        "time"
    )
    assert len(rows) == 23
    assert "2026-03-29 02:00" not in [row.name for row in rows]


def test_queues_and_agents_have_rows_of_their_own(line: LineWorld) -> None:
    other = queue_create(actor="test", desk=line.desk, slug="other-queue", name="Other")
    li, wu = line.agent("li"), line.agent("wu", other)
    past_shift(li, NOON, NOON + timedelta(minutes=10))
    past_shift(wu, NOON, NOON + timedelta(minutes=10))
    past_visit(line.queue, NOON, wait=0, agent=li, room=300)
    past_visit(other, NOON, wait=0, agent=wu, room=60)
    past_visit(other, NOON, wait=5)
    queues = {row.name: row for row in DeskReport(line.desk, ONE_DAY, now=AFTER).rows("queue")}
    assert (queues["Help"].arrivals, queues["Help"].occupancy) == (1, 0.5)
    assert (queues["Other"].arrivals, queues["Other"].occupancy) == (2, 0.1)
    assert queues["Other"].abandoned_share == 0.5
    agents = {row.name: row for row in DeskReport(line.desk, ONE_DAY, now=AFTER).rows("agent")}
    assert (agents["Li"].served, agents["Li"].occupancy, agents["Wu"].served) == (1, 0.5, 1)
    only = DeskReport(line.desk, ONE_DAY, queue=other, now=AFTER).rows("queue")
    assert [row.name for row in only] == ["Other"]
    assert DeskReport(line.desk, ONE_DAY, queue=other, now=AFTER).total().arrivals == 2


def test_a_room_over_the_edge_of_a_step_is_split_and_never_over_one(line: LineWorld) -> None:
    agent = line.agent("li")
    past_shift(agent, NOON - timedelta(days=1), None)
    past_visit(line.queue, NOON - timedelta(minutes=30), wait=0, agent=agent, room=3_600)
    past_visit(line.queue, NOON + timedelta(hours=3), wait=0, agent=agent, room=None)
    rows = {row.name[-5:]: row for row in DeskReport(line.desk, ONE_DAY, now=AFTER).rows("time")}
    assert rows["11:00"].occupancy == pytest.approx(0.5)
    assert rows["12:00"].occupancy == pytest.approx(0.5)
    assert rows["15:00"].occupancy == 1
    assert rows["23:00"].occupancy == 1
    assert rows["10:00"].occupancy == 0


def test_a_time_is_read_through_an_index(line: LineWorld) -> None:
    hours = [NOON - timedelta(hours=n) for n in range(3_000)]
    Visit.objects.bulk_create(
        Visit(public_id=f"{at:%y%m%d%H}", desk=line.desk, queue=line.queue, joined_at=at)
        for at in hours
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        assert "line_visit_joined" in DeskReport(line.desk, ONE_DAY, now=AFTER)._visits.explain()
        of_queue = DeskReport(line.desk, ONE_DAY, queue=line.queue, now=AFTER)
        assert "line_visit_queue" in of_queue._visits.explain()


@pytest.fixture
def world() -> World:
    return make_world()


def test_the_page_and_the_file_show_the_desk_to_its_own_people_only(
    world: World, line: LineWorld
) -> None:
    membership_set(
        user=world.users["foreign"], account=line.account, roles=["supervisor"], actor="test"
    )
    agent = line.agent("li", online=True)
    past_visit(line.queue, today(line), agent=agent, room=60)
    agent.name = "=1+1"
    agent.save()
    client = world.client("foreign")
    for by in ("time", "queue", "agent"):
        page = client.get(f"/desks/support/reports/?by={by}&from=2026-01-01&until=nonsense")
        assert page.status_code == 200
        assert page.context["total"].arrivals == 1
    answer = client.get("/desks/support/reports/csv/?by=agent")
    rows = list(csv.reader(answer.getvalue().decode("utf-8-sig").splitlines()))
    assert rows[0][:3] == ["name", "arrivals", "served"]
    assert rows[1][:4] == ["'=1+1", "1", "1", "0"]
    assert world.client("owner").get("/desks/support/reports/").status_code == 404
    assert world.client("owner").get("/desks/support/reports/csv/").status_code == 404
