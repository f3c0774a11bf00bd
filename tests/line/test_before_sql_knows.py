"""Visitors get their data from the desk itself: SQL has it only a moment later."""

from typing import Any

import pytest
from django.core.cache import cache

from poolsite import hotpath, live
from queueing.line import desk as commands
from queueing.line.models import Queue, Visit
from queueing.line.services import rooms
from queueing.line.services.desks import queue_configure, queue_create
from queueing.line.topics.standing import standing_as_data
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import joins

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


@pytest.fixture
def sales(line: LineWorld) -> Queue:
    return queue_create(actor="test", desk=line.desk, slug="sales", name="Sales")


def test_after_a_transfer_the_visitor_is_told_the_new_queue_and_why(
    line: LineWorld, sales: Queue
) -> None:
    li = line.agent("li", online=True)
    visitor, joined = joins(line, name="Ann")
    assert joined["answer"] == "room"
    rooms.visit_transfer(actor=li, visit=row_of(joined), queue=sales)
    assert row_of(joined).queue == line.queue  # SQL does not know yet
    told = visitor.post(f"visits/{joined['visit']}/beat").json()
    assert (told["answer"], told["queue"], told["queue_name"]) == ("waiting", "sales", "Sales")
    assert told["word"] == "transfer"


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_room_that_ends_by_its_agent_says_so(line: LineWorld, is_lost: bool) -> None:
    li = line.agent("li", online=True)
    visitor, joined = joins(line, name="Ann")
    if is_lost:
        hotpath.run(commands.log_out_now(line.desk.slug, li.user_id, "gone"))
    told = visitor.post(f"visits/{joined['visit']}/beat").json()
    expected = ("waiting", "returned") if is_lost else ("room", joined["word"])
    assert (told["answer"], told["word"]) == expected


def test_the_agent_sees_typing_before_sql_knows_the_room(
    line: LineWorld, sales: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[Any, str]] = []
    monkeypatch.setattr(live, "personal", lambda who, kind, data: told.append((who, kind)))
    visitor, joined = joins(line, name="Ann")
    visitor.post(f"visits/{joined['visit']}/typing")
    assert told == []  # no agent has the visitor
    li = line.agent("li", online=True)
    assert row_of(joined).agent is None
    visitor.post(f"visits/{joined['visit']}/typing")
    assert told == [(li.user_id, "line.typing")]
    wu = line.agent("wu", sales, online=True)
    rooms.visit_transfer(actor=li, visit=row_of(joined), queue=sales)
    visitor.post(f"visits/{joined['visit']}/typing")
    assert told[1:] == [(wu.user_id, "line.typing")]


def test_agents_are_told_again_when_sql_has_the_name(
    line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, list[str]]] = []
    names = Visit.objects.values_list("name", flat=True)
    monkeypatch.setattr(live, "touch", lambda address: told.append((address, list(names.all()))))
    joins(line, name="Ann")
    assert told == [(f"line.waiting:{line.queue.slug}", ["Ann"])]
    li, wu = line.agent("li", online=True), line.agent("wu", online=True)
    joins(line, name="Bo", address="10.1.0.2")
    assert told[-1][0] == f"line.agent:{wu.user_id}" != f"line.agent:{li.user_id}"
    assert "Bo" in told[-1][1]


def test_agents_of_the_queue_that_a_visitor_overflows_into_are_told(
    line: LineWorld, sales: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_configure(actor="test", queue=line.queue, max_length=1, overflow=sales)
    joins(line, name="Ann")
    told: list[str] = []
    monkeypatch.setattr(live, "touch", told.append)
    _, joined = joins(line, name="Bo", address="10.1.0.2")
    assert (joined["queue"], told) == ("sales", ["line.waiting:sales"])


def test_a_visit_that_the_desk_does_not_know_is_told_from_sql(line: LineWorld) -> None:
    _, joined = joins(line, name="Ann")
    data = standing_as_data(joined["visit"], commands.Standing("gone"))
    assert (data["answer"], data["queue"]) == ("gone", line.queue.slug)


def test_a_transcript_has_the_times_of_the_readers_zone(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann")
    path = f"visits/{joined['visit']}/transcript"
    visit = row_of(joined)
    Visit.objects.filter(pk=visit.pk).update(joined_at="2026-01-31T23:30:00Z")
    assert visitor.get(path).text.startswith("2026-01-31 23:30:00 UTC  Ann")
    local = visitor.get(f"{path}?zone=Asia/Shanghai")
    assert local.text.startswith("2026-02-01 07:30:00 CST  Ann")
    for zone in ("Asia", "../../etc/passwd", "Nowhere/Town", ""):
        refused = visitor.get(f"{path}?zone={zone}")
        assert (refused.status_code, refused.json()["type"]) == (422, "malformed"), zone


def row_of(joined: dict[str, Any]) -> Visit:
    return Visit.objects.get(public_id=joined["visit"])
