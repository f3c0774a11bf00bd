"""The line's figures as the field defines them, the same on pages, in files and in the API."""

import csv
from datetime import UTC, date, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone
from prometheus_client.core import Metric

from poolsite import dates, hotpath
from poolsite.access.services import membership_set
from poolsite.moments import us_of
from queueing.line import cards, definitions, overview
from queueing.line import desk as commands
from queueing.line.models import LineEvent, Visit
from queueing.line.selectors import replay, wallboard
from queueing.line.selectors.report_span import span_of
from queueing.line.selectors.reports import DeskReport
from queueing.line.services import rooms, sweeping, visits
from queueing.line.services.desks import queue_create
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_shift, past_visit, today

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def line() -> LineWorld:
    for kept in (wallboard._DAY, wallboard._TODAY, cards._LEVELS):
        kept.clear()
    return make_line(answer_within_seconds=20)


@pytest.fixture
def world() -> World:
    return make_world()


def a_day(line: LineWorld, begin: datetime) -> None:
    """Write 10 joins: 4 served in time, 2 late; 1 gives up, 1 waits long; 2 leave in under 5 s."""
    agent = line.agent("li")
    for wait in (0, 5, 10, 20, 21, 40):
        past_visit(line.queue, begin, wait=wait, agent=agent, room=60)
    past_visit(line.queue, begin, wait=5)
    sent_away = past_visit(line.queue, begin, wait=2)
    for seconds in (0, 4.999):
        past_visit(line.queue, begin, wait=seconds)
    sent_away.outcome = Visit.Outcome.NO_AGENT
    sent_away.save()


def test_the_formulas_are_those_of_the_field() -> None:
    assert definitions.service_level(860, 1_000, 60) == pytest.approx(0.811, abs=0.001)
    assert definitions.abandonment(731, 269) == 0.269
    assert definitions.service_level(731, 731, 269) == 0.731
    assert definitions.occupancy(80, 100) == 0.8
    assert definitions.occupancy(110, 100) == 1
    assert definitions.service_level(0, 0, 0) is None
    assert definitions.abandonment(0, 0) is None
    assert definitions.occupancy(0, 0) is None


def test_a_report_counts_all_offered_with_short_abandons_apart(line: LineWorld) -> None:
    a_day(line, NOON)
    past_visit(line.queue, NOON, wait=0, agent=line.agent("wu"), room=None)
    running = Visit.objects.create(
        public_id="waiting00000", desk=line.desk, queue=line.queue, joined_at=NOON
    )
    span = span_of(line.desk, NOON.date(), NOON.date(), NOON + timedelta(days=1))
    report = DeskReport(line.desk, span, now=NOON + timedelta(days=1))
    for row in (report.total(), report.rows("queue")[0]):
        assert (row.arrivals, row.served, row.abandoned, row.short) == (12, 7, 2, 2)
        assert (row.in_time, row.level, row.abandoned_share) == (5, 5 / 9, 2 / 9)
    assert running.ended_at is None  # it counts as offered when its wait is over
    agents = {row.name: row for row in report.rows("agent")}
    assert (agents["Li"].served, agents["Li"].in_time, agents["Li"].level) == (6, None, None)


def test_every_face_tells_the_same_service_level(world: World, line: LineWorld) -> None:
    membership_set(
        user=world.users["foreign"], account=line.account, roles=["supervisor"], actor="test"
    )
    a_day(line, today(line))
    client = world.client("foreign")
    board = wallboard.board(line.desk)["queues"][0]
    told = replay.board_at(line.desk, timezone.now())["queues"][0]
    for card in (board, told):
        assert (card["served"], card["short"]) == (6, 2)
        assert (card["level"], card["gave_up"]) == (0.5, 0.25)
    for steps in (wallboard.board(line.desk), replay.board_at(line.desk, timezone.now())):
        assert sum(step["gave_up"] for step in steps["chart"]) == 2
    api = client.get("/api/v1/desks/support/report").json()["total"]
    assert (api["level"], api["abandonment"], api["short"], api["in_time"]) == (0.5, 0.25, 2, 4)
    assert client.get("/api/v1/desks/support/board").json()["queues"][0]["level"] == 0.5
    answer = client.get("/desks/support/reports/csv/?by=queue")
    head, row = csv.reader(answer.getvalue().decode("utf-8-sig").splitlines())
    file = dict(zip(head, row, strict=True))
    assert (file["service level"], file["abandonment"]) == ("0.5", "0.25")
    assert (file["abandoned"], file["short abandons"], file["served in time"]) == ("2", "2", "4")
    assert cards._level(line.desk, timezone.now()) == 0.5
    assert today_of(overview.collect()) == {"served": 6, "in_time": 4, "abandoned": 2, "short": 2}


def today_of(metrics: Any) -> dict[str, float]:
    """Return the metrics' figures of the queue's day."""
    found: list[Metric] = [each for each in metrics if each.name == "poolsite_line_today"]
    return {sample.labels["what"]: sample.value for each in found for sample in each.samples}


def test_each_page_says_what_its_figures_mean_and_of_which_time(
    world: World, line: LineWorld
) -> None:
    membership_set(
        user=world.users["foreign"], account=line.account, roles=["supervisor"], actor="test"
    )
    client = world.client("foreign")
    page = client.get("/desks/support/reports/?from=2026-03-05&until=2026-03-06")
    words = unescape(page.content.decode())
    first, last = dates.day(date(2026, 3, 5)), dates.day(date(2026, 3, 6))
    assert f"From {first} to {last}" in words
    for name in ("level", "abandoned", "short", "occupancy", "adherence"):
        assert str(definitions.MEANINGS[name][1]) in words, name
    for path in ("", "replay/"):
        board = unescape(client.get(f"/desks/support/{path}").content.decode())
        assert "from midnight in the desk's time zone" in board
        for name in ("level", "abandoned", "short", "range", "agents", "room"):
            assert str(definitions.MEANINGS[name][1]) in board, name


def test_wrap_up_is_handling_time(line: LineWorld) -> None:
    agent = line.agent("li")
    shift = past_shift(agent, NOON, NOON + timedelta(hours=2))
    shift.wrap_up_seconds = 1_800
    shift.save()
    past_visit(line.queue, NOON, wait=0, agent=agent, room=1_800)
    for seq, (kind, minutes) in enumerate((("wrapup", 45), ("ready", 75)), 1):
        LineEvent.objects.create(
            aggregate=line.desk,
            generation=1,
            seq=seq,
            at_us=us_of(NOON + timedelta(minutes=minutes)),
            kind=kind,
            agent=str(agent.user_id),
        )
    span = span_of(line.desk, NOON.date(), NOON.date(), NOON + timedelta(days=1))
    report = DeskReport(line.desk, span, now=NOON + timedelta(days=1))
    assert report.total().occupancy == pytest.approx(3_600 / 7_200)
    hours = [row.occupancy for row in report.rows("time") if row.occupancy is not None]
    assert hours == pytest.approx([0.75, 0.25])


def test_a_sample_counts_abandons_as_the_reports_do(line: LineWorld) -> None:
    minute = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=1)
    for wait in (1, 10):
        past_visit(line.queue, minute + timedelta(seconds=5), wait=wait)
    sweeping.sample_take()
    assert [sample.abandoned for sample in line.queue.samples.all()] == [1]


def test_the_longest_room_is_the_present_one_now_and_in_the_replay(line: LineWorld) -> None:
    sales = queue_create(actor="test", desk=line.desk, slug="sales", name="Sales")
    line.agent("li", online=True)
    visit = visits.visit_join(queue=line.queue).visit
    wu = line.agent("wu", sales, online=True)
    line.drain()
    long_ago = timezone.now() - timedelta(hours=1)
    Visit.objects.update(joined_at=long_ago, matched_at=long_ago)  # its first room is an hour old
    visit.rooms.update(began_at=long_ago)
    rooms.visit_move(actor="test", visit=visit, queue=sales)
    line.drain()
    wallboard._DAY.clear()
    at = timezone.now()
    now = {row["name"]: row for row in wallboard.board(line.desk)["agents"]}
    then = {row["name"]: row for row in replay.board_at(line.desk, at)["agents"]}
    assert hotpath.run(commands.agent_state("support", wu.user_id)).slots[0].kind == "room"
    assert at.timestamp() * 1000 - now["Wu"]["since"] < 60_000
    assert now["Wu"]["since"] == then["Wu"]["since"]


def test_an_agent_of_several_queues_counts_in_each_and_the_card_says_so(line: LineWorld) -> None:
    sales = queue_create(actor="test", desk=line.desk, slug="sales", name="Sales")
    line.agent("li", line.queue, sales, online=True)
    line.agent("wu", sales, online=True)
    line.drain()
    wallboard._DAY.clear()
    live = wallboard.board(line.desk)
    for board in (live, replay.board_at(line.desk, timezone.now())):
        cards_of = {card["slug"]: card for card in board["queues"]}
        assert board["states"] == {"free": 2}
        assert cards_of["sales"]["agents"] == {"free": 2}
        assert {slug: card["shared"] for slug, card in cards_of.items()} == {
            "sales": 1,
            "support-help": 1,
        }
