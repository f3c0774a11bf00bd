"""Why no agent serves, as the script reports it: reasons with facts; and a supervisor's entries."""

from queueing.line import desk
from tests.line.desk.desk_support import SLUG, DeskUnderTest


def facts(line: DeskUnderTest, visit: str) -> dict[int, tuple[str, str, str]]:
    told = line.run(desk.why(SLUG, visit))
    return {row.agent: (row.code, *row.facts) for row in told.rows}


def test_each_reason_has_its_facts(line: DeskUnderTest) -> None:
    line.queue(1, wrap_up_seconds=60)
    line.queue(2)
    line.agent(7, 1, capacity=2, online=True)
    line.join("a")
    line.join("b")
    line.agent(8, 1, online=True)
    line.join("c")
    line.finish(8, "c")
    line.agent(9, 2, online=True)
    line.agent(10, 1, skills={"tax": 2}, online=True)
    line.join("d", skills={"tax": 1})
    now = line.run(desk.why(SLUG, "a")).now_ms
    line.join("e", skills={"tax": 3})
    assert facts(line, "e") == {
        7: ("skill", "tax:0:3", ""),
        8: ("skill", "tax:0:3", ""),
        9: ("queue", "", ""),
        10: ("skill", "tax:2:3", ""),
    }
    line.join("f")
    assert facts(line, "f") == {
        7: ("at_capacity", "2", "2"),
        8: ("wrap_up", str(now + 60_000), ""),
        9: ("queue", "", ""),
        10: ("at_capacity", "1", "1"),
    }


def test_who_is_silent_and_who_pauses_since_when(line: DeskUnderTest) -> None:
    line.queue(1, agent_grace_seconds=60)
    line.agent(7, 1, online=True)
    line.agent(8, 1, online=True)
    line.join("a")
    line.join("b")
    now = line.run(desk.why(SLUG, "a")).now_ms
    line.finish(8, "b")
    line.run(desk.pause(SLUG, 8, "Long lunch"))
    line.join("c")
    assert facts(line, "c")[8] == ("paused", str(now), "Long_lunch")
    line.advance(20, 8, "a", "c")
    assert facts(line, "c")[7] == ("away", str(now), "")
    _, records = line.run(desk.agents(SLUG))
    assert {record.agent: record.heard_ms for record in records} == {7: now, 8: now + 20_000}


def test_the_level_that_is_needed_falls_in_the_reason_too(line: DeskUnderTest) -> None:
    line.queue(1, skills_relax_seconds=30)
    line.agent(7, 1, skills={"tax": 1}, online=True)
    line.join("a", skills={"tax": 3})
    assert facts(line, "a") == {7: ("skill", "tax:1:3", "1")}
    line.advance(31, 7, "a")
    assert facts(line, "a") == {7: ("skill", "tax:1:2", "1")}


def test_a_supervisors_entries_are_of_rooms_and_change_nothing_else(line: DeskUnderTest) -> None:
    line.queue(1)
    line.join("a")
    assert line.run(desk.guest_tell(SLUG, "a", "joined", by="zhao")).answer == "no_room"
    assert line.run(desk.guest_tell(SLUG, "x", "joined", by="zhao")).answer == "gone"
    line.agent(7, 1, online=True)
    before = (line.visit("a"), line.agent_record(7))
    for what in ("joined", "whispered", "left"):
        assert line.run(desk.guest_tell(SLUG, "a", what, by="Zhao Min")).ok
    assert line.run(desk.guest_tell(SLUG, "a", "sang", by="zhao")).answer == "malformed what"
    assert (line.visit("a"), line.agent_record(7)) == before
    told = [(each["k"], each["v"], each["a"], each["by"]) for each in line.log()[-3:]]
    assert told == [
        (kind, "a", "7", "Zhao_Min") for kind in ("guest_joined", "guest_whispered", "guest_left")
    ]
    assert line.wrong() == []
