"""A returning visitor: recognised by its own key or the contact, shown to its present agent."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from queueing.line.models import Message, OutcomeCode, Visit
from queueing.line.selectors import visitors
from queueing.line.services import erasing, rooms, visits
from queueing.line.tokens import visitor_key
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit
from tests.line.test_api import Caller, acts, agent_of, joins
from tests.line.test_transcript_rights import Stage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


def past(line: LineWorld, days: float, key: str = KEY, **given: Any) -> Visit:
    """Write an earlier visit of the browser with this key."""
    made = past_visit(line.queue, timezone.now() - timedelta(days=days), **given)
    made.visitor_key = visitor_key(line.desk, key, by_machine=False)
    made.save()
    return made


def test_the_key_is_kept_hashed_for_one_desk_and_one_kind_of_caller(line: LineWorld) -> None:
    _, joined = joins(line, visitor_key=KEY)
    kept = Visit.objects.get(public_id=joined["visit"]).visitor_key
    assert kept == visitor_key(line.desk, KEY, by_machine=False)
    assert KEY not in kept
    other = make_line("other").desk
    assert len({kept, visitor_key(other, KEY, by_machine=False)}) == 2
    assert kept != visitor_key(line.desk, KEY, by_machine=True)  # no page can send a machine's key
    _, unknown = joins(line)
    assert Visit.objects.get(public_id=unknown["visit"]).visitor_key == ""
    for wrong in ("short", "x" * 65, "has a blank in it.."):
        answer = Caller().post("queues/support-help/join", visitor_key=wrong)
        assert answer.status_code == 422


def test_the_agent_sees_the_earlier_visits_of_who_is_in_the_room(line: LineWorld) -> None:
    li = line.agent("sun")
    solved = OutcomeCode.objects.create(desk=line.desk, name="Solved", tone="good")
    first = past(line, 3, agent=li, room=360, stars=5, name="Ann")
    second = past(line, 2, agent=li, stars=2)
    gave_up = past(line, 1)
    past(line, 1, key="f" * 32, agent=li, name="Ann")  # the same name proves nothing
    Visit.objects.filter(pk=first.pk).update(outcome_code=solved, topic="Late")
    for text in ("Wants receipts by mail.", "Calm now."):
        rooms.message_send(visit=second, author="note", client_id=text, text=text, agent=li)
    agent = agent_of(line, "li", online=True)
    _, joined = joins(line, name="Ann", visitor_key=KEY)
    found = agent.get(f"/api/v1/agent/visitor/{joined['visit']}").json()
    assert (found["total"], found["stars"], found["before"]) == (3, 3.5, None)
    shown = [(each["visit"], each["stars"], each["seconds"]) for each in found["visits"]]
    assert shown == [
        (gave_up.public_id, None, None),
        (second.public_id, 2, 60),
        (first.public_id, 5, 360),
    ]
    last = found["visits"][-1]
    assert (last["outcome"], last["tone"], last["topic"]) == ("Solved", "good", "Late")
    assert (last["agent"], last["mine"], last["by"]) == ("Sun", False, "key")
    assert [note["text"] for note in found["notes"]] == ["Calm now.", "Wants receipts by mail."]
    said = agent.get(f"/api/v1/visits/{first.public_id}/messages")
    assert said.status_code == 200


def test_a_contact_finds_visits_too_and_says_that_it_is_not_sure(line: LineWorld) -> None:
    past_visit(line.queue, timezone.now() - timedelta(days=1), contact="a@example.org")
    past_visit(line.queue, timezone.now() - timedelta(days=1), contact="b@example.org")
    agent = agent_of(line, "li", online=True)
    _, joined = joins(line, contact="a@example.org", visitor_key=KEY)
    found = agent.get(f"/api/v1/agent/visitor/{joined['visit']}").json()
    assert [each["by"] for each in found["visits"]] == ["contact"]
    _, unknown = joins(line)
    row = Visit.objects.get(public_id=unknown["visit"])
    assert list(visitors.earlier_visits(row)) == []  # without either no earlier visit matches


def test_later_running_and_other_desks_visits_are_none_of_them(line: LineWorld) -> None:
    other = make_line("other")
    past(line, 3, contact="a@example.org")
    now = past(line, 2, contact="a@example.org")
    past(line, 1)
    running = past(line, 3, agent=line.agent("sun"), room=None)
    elsewhere = past_visit(other.queue, timezone.now() - timedelta(days=3), contact="a@example.org")
    found = set(visitors.earlier_visits(now))
    assert len(found) == 1
    assert not found & {running, elsewhere, now}


def test_fifty_at_once_and_the_rest_by_its_date(line: LineWorld) -> None:
    made = [past(line, days) for days in range(1, 56)]
    agent = agent_of(line, "li", online=True)
    _, joined = joins(line, visitor_key=KEY)
    path = f"/api/v1/agent/visitor/{joined['visit']}"
    first = agent.get(path).json()
    second = agent.get(path, {"before": first["before"]}).json()
    shown = [each["visit"] for each in first["visits"] + second["visits"]]
    assert (len(first["visits"]), first["total"], second["before"]) == (50, 55, None)
    assert shown == [each.public_id for each in made]
    assert agent.get(path, {"before": "2026-01-01T00:00:00"}).status_code == 422  # without a zone


def test_erased_visits_are_not_shown_and_find_nothing(line: LineWorld) -> None:
    gone = past(line, 2, contact="a@example.org")
    stays = past(line, 1)
    rooms.message_send(visit=gone, author="note", client_id="1", text="Was rude.")
    erasing.visitor_erase(actor="test", desk=line.desk, reason="asked", visit=gone.public_id)
    gone.refresh_from_db()
    assert (gone.visitor_key, gone.contact) == ("", "")
    agent = agent_of(line, "li", online=True)
    _, joined = joins(line, visitor_key=KEY, contact="a@example.org")
    found = agent.get(f"/api/v1/agent/visitor/{joined['visit']}").json()
    assert [each["visit"] for each in found["visits"]] == [stays.public_id]
    assert found["notes"] == []
    assert list(visitors.earlier_visits(gone)) == []


def test_who_was_lost_and_joins_again_is_known_as_before(line: LineWorld) -> None:
    line.agent("li", online=True)
    _, joined = joins(line, visitor_key=KEY)
    line.drain()
    lost = Visit.objects.get(public_id=joined["visit"])
    visits.visit_leave(desk=line.desk, visit=lost.public_id, outcome="visitor lost")
    line.drain()
    again = visits.visit_join_again(queue=line.queue, visit=lost.public_id)
    assert again is not None
    assert Visit.objects.get(pk=again.visit.pk).visitor_key == lost.visitor_key != ""


# -- permission to read them ---------------------------------------------------------------------


def test_only_who_has_the_visitor_now_may_read_the_earlier_ones_and_no_longer() -> None:
    stage = Stage()
    key = visitor_key(stage.line.desk, KEY, by_machine=False)
    before = past(stage.line, 3, agent=stage.wu)
    rooms.message_send(visit=before, author="note", client_id="1", text="A note.")
    unlike = past(stage.line, 3, key="e" * 32)
    assert set(stage.answers("li", before).values()) == {403}
    Visit.objects.filter(pk=stage.ann.pk).update(visitor_key=key)
    assert set(stage.answers("li", before).values()) == {200}
    assert set(stage.answers("li", unlike).values()) == {403}
    assert set(stage.answers("wu", before).values()) == {403}  # served it once, not now
    assert set(stage.answers("supervisor", before).values()) == {200}
    assert set(stage.answers("foreign", before).values()) == {404}
    assert Message.objects.filter(visit=before).exists()
    rooms.room_finish(stage.li, stage.ann.public_id)
    assert set(stage.answers("li", before).values()) == {403}


def test_the_history_is_asked_of_an_own_room_alone(line: LineWorld) -> None:
    li, wu = agent_of(line, "li", online=True), agent_of(line, "wu")
    past(line, 1)
    _, joined = joins(line, visitor_key=KEY)
    path = f"/api/v1/agent/visitor/{joined['visit']}"
    assert li.get(path).json()["total"] == 1
    for moment in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00%2B14:00", "1764300000"):
        assert li.get(f"{path}?before={moment}").status_code == 422, moment
    assert wu.get(path).status_code == 409
    assert li.get("/api/v1/agent/visitor/nothing-here").status_code == 404
    acts(li, "finish", visit=joined["visit"])
    assert li.get(path).status_code == 409
