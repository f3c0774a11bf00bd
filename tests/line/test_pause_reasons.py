"""Pause reasons: a desk's list, with limits; agents and machines pause for no other reason."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils.translation import override

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line import pauses
from queueing.line.errors import LineError
from queueing.line.models import Agent, AgentShift
from queueing.line.selectors import floor, pause_times
from queueing.line.services import desk_settings, rooms
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_shift

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    floor._DAY.clear()
    return make_line()


def configure(line: LineWorld, text: str) -> None:
    line.desk = desk_settings.desk_configure(actor="test", desk=line.desk, pause_reasons=text)


def fresh(agent: Agent) -> Agent:
    return Agent.objects.select_related("desk").get(pk=agent.pk)


def test_a_list_has_a_reason_a_line_with_a_limit_or_none() -> None:
    read = pauses.read_reasons("Break, 10 min\n\n Lunch , 45min\n午休，60 分钟\nTraining")
    assert [(each.text, each.minutes) for each in read] == [
        ("Break", 10),
        ("Lunch", 45),
        ("午休", 60),
        ("Training", 0),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n".join(f"Reason {n}" for n in range(13)),
        "Lunch\nlunch, 5 min",
        "x" * 41,
        "with_underscore",
        "Missed offers",
        "Lunch, 721 min",
    ],
)
def test_a_bad_list_is_refused_and_changes_nothing(line: LineWorld, text: str) -> None:
    with pytest.raises(ValidationError):
        configure(line, text)
    line.desk.refresh_from_db()
    assert line.desk.pause_reasons == pauses.DEFAULT_TEXT


def test_twelve_reasons_of_forty_characters_are_a_list() -> None:
    text = "\n".join(f"{n:02}{'x' * 38}" for n in range(12))
    assert len(pauses.read_reasons(text)) == 12


def test_an_agent_pauses_for_a_reason_of_the_list_only(line: LineWorld) -> None:
    agent = line.agent("ann", online=True)
    configure(line, "Prayer room, 15 min\nLunch")
    assert rooms.agent_pause(fresh(agent), "prayer ROOM").word == "Prayer room"
    with pytest.raises(LineError) as refused:
        rooms.agent_pause(fresh(agent), "Coffee")
    assert (refused.value.kind, refused.value.detail) == ("pause-reason", "Prayer room, Lunch")
    assert hotpath.run(commands.agent_state(line.desk.slug, agent.user_id)).word == "Prayer room"


def test_the_interface_refuses_another_reason_with_a_problem(line: LineWorld) -> None:
    agent = line.agent("ann", online=True)
    client = Client()
    client.force_login(agent.user, backend="poolsite.access.backends.NameOrEmailBackend")

    def pause(reason: str) -> Any:
        return client.post("/api/v1/agent/pause", {"reason": reason}, "application/json")

    refused = pause("Coffee")
    assert (refused.status_code, refused.json()["type"]) == (422, "pause-reason")
    assert "Break, Lunch, Meeting, Training" in refused.json()["detail"]
    with override("zh-hans"):
        shown = pauses.words_of("Lunch")
    assert shown != "Lunch"
    assert pause("Lunch").json()["word"] == "Lunch"


def test_the_reasons_that_the_page_of_the_release_before_sends_are_known() -> None:
    reasons = pauses.read_reasons(pauses.DEFAULT_TEXT)
    with override("zh-hans"):
        found = pauses.find_reason(reasons, pauses.words_of("Lunch"))
    assert found is not None
    assert found.text == "Lunch"


def test_the_desks_own_reason_has_words_and_an_old_one_stays_readable() -> None:
    assert pauses.words_of("missed offers") == "Missed offers"
    assert pauses.words_of("Doctor") == "Doctor"


def test_the_floor_knows_the_limit_of_a_pause(line: LineWorld) -> None:
    agent = line.agent("ann", online=True)
    configure(line, "Lunch, 45 min")
    rooms.agent_pause(fresh(agent), "Lunch")
    (row,) = floor.floor(line.desk)["agents"]
    assert (row["state"], row["reason"], row["limit_seconds"]) == ("paused", "Lunch", 2_700)


def test_time_is_told_for_each_reason(line: LineWorld) -> None:
    agent = line.agent("ann")
    noon = datetime(2026, 3, 2, 4, tzinfo=UTC)  # at noon in the desk's zone
    past_shift(agent, noon, noon + timedelta(hours=2))
    shift = AgentShift.objects.get()
    ends = [noon + timedelta(minutes=at) for at in (0, 30, 40, 55)]
    shift.pauses = [
        {"reason": "Lunch", "from": ends[0].isoformat(), "until": ends[1].isoformat()},
        {"reason": "Doctor", "from": ends[2].isoformat(), "until": ends[3].isoformat()},
    ]
    shift.save()
    told = pause_times.by_reason(line.desk, noon, noon + timedelta(hours=2), now=ends[3])
    assert [(row.words, row.count, row.seconds) for row in told] == [
        ("Lunch", 1, 1_800),
        ("Doctor", 1, 900),
    ]
    told = pause_times.by_reason(
        line.desk, noon + timedelta(minutes=20), noon + timedelta(minutes=45), now=ends[3]
    )
    assert [(row.words, row.seconds) for row in told] == [("Lunch", 600), ("Doctor", 300)]
