"""Why no agent serves a visitor: each reason with its facts, alike on every interface."""

from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.models import Agent, Queue
from queueing.line.selectors import floor, why
from queueing.line.services import desk_settings, desks, visits
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    why._STANDS.clear()
    made = make_line()
    desk_settings.skill_create(actor="test", desk=made.desk, slug="billing", name="Billing")
    return made


def reasons_of(line: LineWorld, visit: str, first: int = 0) -> list[tuple[str, str, str]]:
    found = why.why_nobody(line.desk, visit, first=first)
    assert found is not None
    return [(row.name, row.code, row.words) for row in found.reasons]


def joins(line: LineWorld, name: str, queue: Queue | None = None, **given: Any) -> str:
    return visits.visit_join(queue=queue or line.queue, name=name, **given).visit.public_id


def run(command: Any) -> Any:
    return hotpath.run(command)


def test_each_agents_reason_has_its_facts_and_the_asking_agent_is_first(line: LineWorld) -> None:
    other = desks.queue_create(actor="test", desk=line.desk, slug="other", name="Other")
    slug = line.desk.slug
    line.agent("ann", online=True, capacity=2)
    for visitor in ("v1", "v2"):
        joins(line, visitor)
    paused = line.agent("bo", online=True)
    run(commands.pause(slug, paused.user_id, "Lunch"))
    line.agent("cy")
    line.agent("di", other, online=True)
    leaving = line.agent("ed", online=True)
    joins(line, "v3")
    run(commands.logout(slug, leaving.user_id))
    line.agent("flo", online=True, skills={"billing": 1})
    waits = joins(line, "v4", skills={"billing": 2})
    assert reasons_of(line, waits, first=paused.user_id) == [
        ("Bo", "paused", "Paused: Lunch, 0 min"),
        ("Ann", "skill", "Lacks Billing"),
        ("Flo", "skill", "Free, but Billing level 1 of 2"),
        ("Ed", "leaving", "Goes offline after this room"),
        ("Di", "queue", "Does not serve this queue"),
        ("Cy", "offline", "Offline"),
    ]
    plain = joins(line, "v5")  # Flo takes this one
    assert run(commands.place(slug, plain)).answer == "room"
    last = joins(line, "v6")
    told = {name: words for name, _, words in reasons_of(line, last)}
    assert told["Ann"] == "Full, 2 of 2 rooms"


def test_a_wrap_up_says_when_it_ends_and_a_decline_how_long_it_counts(line: LineWorld) -> None:
    slug = line.desk.slug
    calls = desks.queue_create(
        actor="test", desk=line.desk, slug="calls", name="Calls", wrap_up_seconds=600
    )
    offers = desks.queue_create(
        actor="test", desk=line.desk, slug="offers", name="Offers", mode="offer"
    )
    busy = line.agent("ann", calls, online=True)
    first = joins(line, "v1", calls)
    run(commands.finish(slug, busy.user_id, first))
    waits = joins(line, "v2", calls)
    name, code, words = reasons_of(line, waits)[0]
    assert (name, code) == ("Ann", "wrap_up")
    assert words in {f"Wrap-up, free in {text}" for text in ("10:00", "9:59", "9:58", "9:57")}
    asked, _ = line.agent("bo", offers, online=True), line.agent("cy", offers, online=True)
    offered = joins(line, "v3", offers)
    state = run(commands.agent_state(slug, asked.user_id))
    decliner = asked if state.offer_token else Agent.objects.get(name="Cy")
    token = run(commands.agent_state(slug, decliner.user_id)).offer_token
    run(commands.decline(slug, decliner.user_id, offered, token))
    declined = [row for row in reasons_of(line, offered) if row[1] == "declined"]
    assert [row[0] for row in declined] == [decliner.name]
    assert declined[0][2] in {f"Declined, {left} s left" for left in (30, 29, 28)}


def test_the_words_follow_the_readers_language(line: LineWorld) -> None:
    line.agent("ann", online=True)
    joins(line, "v1")
    waits = joins(line, "v2")
    with override("zh-hans"):
        (row,) = reasons_of(line, waits)
    assert row[2] == "已满，1/1个会话"


def test_the_agents_page_is_told_code_facts_and_words(line: LineWorld) -> None:
    agent = line.agent("ann", online=True)
    joins(line, "v1")
    waits = joins(line, "v2")
    client = Client()
    client.force_login(agent.user, backend="poolsite.access.backends.NameOrEmailBackend")
    told = client.get(f"/api/v1/agent/why/{waits}").json()
    assert told["agents"] == [
        {
            "agent": agent.user_id,
            "name": "Ann",
            "reason": "at_capacity",
            "params": {"used": 1, "rooms": 1},
            "words": "Full, 1 of 1 room",
        }
    ]


def test_a_visitor_is_told_numbers_and_no_colleagues_name_or_reason(line: LineWorld) -> None:
    line.agent("ann", online=True)
    paused = line.agent("bo", online=True)
    run(commands.pause(line.desk.slug, paused.user_id, "Lunch"))
    joins(line, "v1")
    waits = visits.visit_join(queue=line.queue, name="v2", skills={"billing": 2})
    headers = {"Authorization": f"Bearer {waits.token}"}
    answer = Client().get(f"/api/v1/visits/{waits.visit.public_id}/why", headers=headers)
    assert answer.json() == {
        "agents": 2, "free": 0, "talking": 1, "wrap_up": 0, "paused": 1, "needs": ["Billing"],
    }  # fmt: skip
    for secret in ("Ann", "Bo", "Lunch"):
        assert secret not in answer.text


def test_what_agents_do_is_counted_once_for_all_who_wait(
    line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.agent("ann", online=True)
    reads = []
    agents = commands.agents
    monkeypatch.setattr(commands, "agents", lambda *given: reads.append(1) or agents(*given))
    told = [why.agents_of_queue(line.desk.slug, line.queue.pk) for _ in range(50)]
    assert (len(reads), told[0]) == (1, told[-1])


def test_a_line_has_one_sentence_for_each_visitor(line: LineWorld) -> None:
    assert floor.line_of(line.queue) == []
    nobody = joins(line, "v0")
    (row,) = floor.line_of(line.queue)
    assert row == {
        "visit": nobody, "code": "nobody", "words": "No agent of this queue is online",
    }  # fmt: skip
    line.agent("ann", online=True)  # takes v0
    first, needs, second = (
        joins(line, "v1"),
        joins(line, "v2", skills={"billing": 2}),
        joins(line, "v3"),
    )
    told = [(row["visit"], row["words"]) for row in floor.line_of(line.queue)]
    assert told == [
        (first, "All agents are in rooms"),
        (needs, "No agent online with the required level of Billing"),
        (second, "Behind 2 visitors. All agents are in rooms"),
    ]
