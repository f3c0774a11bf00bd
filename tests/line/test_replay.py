"""The wallboard of a past minute equals the one that was shown then."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.services import membership_set
from queueing.line import desk as commands
from queueing.line.models import DeskSample
from queueing.line.selectors import replay, wallboard
from queueing.line.services import rooms, sweeping, visits
from queueing.line.services.desks import queue_create
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
CLOSE_MS = 2_000  # a time that two clocks measure


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def shown_now(line: LineWorld) -> tuple[dict[str, Any], Any]:
    """Return the live board, after the drain, and its moment, which no other event shares."""
    line.drain()
    wallboard._DAY.clear()
    time.sleep(0.005)  # waits: moments are told in ms
    at = timezone.now()
    board = wallboard.board(line.desk)
    time.sleep(0.005)  # waits: so is what happens next
    return board, at


def assert_same(live: dict[str, Any], told: dict[str, Any]) -> None:
    """Check that every figure is the same; times are those of the same second."""
    for name in ("waiting", "served", "states", "more_agents", "drift"):
        assert told[name] == live[name], name
    told_queues = {queue["slug"]: queue for queue in told["queues"]}
    for theirs in live["queues"]:
        mine = told_queues[theirs["slug"]]
        assert abs(mine.pop("oldest_ms") - theirs.pop("oldest_ms")) < CLOSE_MS
        assert mine == theirs
    agents = {row["name"]: row for row in told["agents"]}
    assert len(agents) == len(live["agents"])
    for row in live["agents"]:
        mine = agents[row["name"]]
        for name in ("state", "rooms"):
            assert mine[name] == row[name], row["name"]
        if row["state"] != "wrap_up":
            assert abs(mine["since"] - row["since"]) < CLOSE_MS, row["name"]
    assert sum(step["served"] for step in told["chart"]) == sum(
        step["served"] for step in live["chart"]
    )


def test_each_moment_of_a_busy_minute_is_shown_as_it_was(line: LineWorld) -> None:
    sales = queue_create(
        actor="test", desk=line.desk, slug="sales", name="Sales", wrap_up_seconds=30
    )
    li, wu = line.agent("li", line.queue, capacity=2), line.agent("wu", sales)
    moments = [shown_now(line)]
    first = visits.visit_join(queue=line.queue, name="a").visit
    visits.visit_join(queue=sales, name="b")
    moments.append(shown_now(line))
    bo = line.agent("bo", queue_create(actor="test", desk=line.desk, slug="night", name="Night"))
    for agent in (li, wu, bo):
        hotpath.run(commands.login(line.desk.slug, agent.user_id))
    moments.append(shown_now(line))
    third = visits.visit_join(queue=line.queue, name="c").visit
    visits.visit_join(queue=line.queue, name="d")
    moments.append(shown_now(line))
    rooms.visit_move(actor="test", visit=third, queue=sales)
    moments.append(shown_now(line))
    rooms.room_finish(wu, hotpath.run(commands.agent_state("support", wu.user_id)).slots[0].visit)
    moments.append(shown_now(line))
    rooms.room_finish(li, first.public_id)
    rooms.agent_pause(li, "Lunch")
    moments.append(shown_now(line))
    hotpath.run(commands.log_out_now(line.desk.slug, li.user_id, "gone"))
    moments.append(shown_now(line))
    visits.visit_leave(desk=line.desk, visit=third.public_id)
    moments.append(shown_now(line))
    assert {row["state"] for live, _ in moments for row in live["agents"]} >= {
        "room",
        "free",
        "wrap_up",
    }
    for live, at in moments:
        assert_same(live, replay.board_at(line.desk, at))


def test_a_paused_agent_is_shown_paused_and_a_lost_one_lost(line: LineWorld) -> None:
    agent = line.agent("li", online=True)
    rooms.agent_pause(agent, "Lunch")
    live, at = shown_now(line)
    told = replay.board_at(line.desk, at)
    assert told["agents"][0]["state"] == live["agents"][0]["state"] == "paused"
    assert told["agents"][0]["word"] == live["agents"][0]["word"] == "Lunch"
    rooms.agent_login(agent)
    live, at = shown_now(line)
    assert_same(live, replay.board_at(line.desk, at))
    before = replay.board_at(line.desk, at - timedelta(hours=1))
    assert (before["agents"], before["waiting"]) == ([], 0)


def test_an_offer_is_shown_until_it_is_over(line: LineWorld) -> None:
    offers = queue_create(actor="test", desk=line.desk, slug="offers", name="Offers", mode="offer")
    agent = line.agent("li", offers, online=True)
    visit = visits.visit_join(queue=offers).visit.public_id
    offered = shown_now(line)
    assert offered[0]["agents"][0]["state"] == "offer"
    token = hotpath.run(commands.agent_state("support", agent.user_id)).offer_token
    rooms.offer_answer(agent, visit, token, yes=False)
    declined = shown_now(line)
    for live, at in (offered, declined):
        told = replay.board_at(line.desk, at)
        assert told["states"] == live["states"]
        assert told["waiting"] == live["waiting"]


def test_the_minutes_of_a_day_tell_who_waited(line: LineWorld) -> None:
    visits.visit_join(queue=line.queue)
    sweeping.sample_take()
    minute = DeskSample.objects.get().minute
    other = queue_create(actor="test", desk=line.desk, slug="b-queue", name="B")
    figures = {"waiting": 3, "longest_wait_seconds": 70, "online": 0, "busy": 0}
    DeskSample.objects.create(queue=other, minute=minute, **figures)
    told = replay.minutes(line.desk, minute - timedelta(minutes=1), minute + timedelta(minutes=1))
    assert told == [{"at": int(minute.timestamp() * 1000), "waiting": 4, "longest": 70}]


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.mark.parametrize(
    "query",
    ["", "?at=2026-11-01T10:00", "?at=nonsense", "?day=2026-11-01", "?at=2999-01-01T00:00Z"],
)
def test_the_page_opens_at_any_moment(world: World, line: LineWorld, query: str) -> None:
    membership_set(
        user=world.users["foreign"], account=line.account, roles=["supervisor"], actor="test"
    )
    page = world.client("foreign").get(f"/desks/support/replay/{query}")
    assert page.status_code == 200
    assert 0 <= page.context["value"] <= page.context["most"] < 25 * 60
    for at in ("", "0", "-5", "9" * 20, "x", str(int(time.time() * 1000))):
        answer = world.client("foreign").get(f"/desks/support/replay/board/?at={at}")
        assert answer.status_code == 200
        assert answer.json()["at"] <= (time.time() + 1) * 1000
    assert world.client("owner").get(f"/desks/support/replay/{query}").status_code == 404
