"""An agent who declines or misses an offer does not get it again at once; misses count."""

from queueing.line import desk
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest


def decline(line: DeskUnderTest, agent: int) -> None:
    """Decline the offer as the agent."""
    state = line.agent_beat(agent)
    (visit,) = (slot.visit for slot in state.slots if slot.kind == "offer")
    assert line.run(desk.decline(SLUG, agent, visit, state.offer_token)).ok


def accept(line: DeskUnderTest, agent: int) -> None:
    """Accept the offer as the agent."""
    assert line.run(
        desk.accept(SLUG, agent, offered(line, agent), line.agent_beat(agent).offer_token)
    ).ok


def offered(line: DeskUnderTest, agent: int) -> str:
    """Return the visitor that an agent is offered, or ""."""
    return next((slot.visit for slot in line.agent_record(agent).slots if slot.kind == "offer"), "")


def two_agents(line: DeskUnderTest, **settings: object) -> None:
    """Give agent 8 a room, and offer visitor a to agent 7, who is otherwise free."""
    line.queue(1, mode="offer", **settings)
    line.agent(8, 1, online=True)
    line.join("x")
    accept(line, 8)
    line.agent(7, 1, online=True)
    assert line.join("a").agent == 7


def remembered(line: DeskUnderTest) -> str:
    """Return the declined offers that the desk remembers, without the times."""
    text = str(line.client.hget(KEYS.tag, "declined") or "")
    return ",".join(one.rpartition(":")[0] for one in text.split(",") if one)


def test_a_declined_visitor_waits_for_the_others_and_the_agent_gets_the_next(
    line: DeskUnderTest,
) -> None:
    two_agents(line)
    decline(line, 7)
    assert (line.beat("a").answer, offered(line, 7)) == ("waiting", "")
    assert line.join("b").agent == 7  # it is free for other visitors
    assert line.agent_record(7).misses == 1
    assert line.run(desk.why(SLUG, "a")).reasons == {7: "offered", 8: "at_capacity"}
    line.finish(8, "x")
    assert line.beat("a").agent == 8


def test_after_its_seconds_the_visitor_is_offered_to_the_same_agent_again(
    line: DeskUnderTest,
) -> None:
    two_agents(line, decline_seconds=12)
    decline(line, 7)
    line.advance(11, 7, 8, "a", "x")
    assert line.run(desk.why(SLUG, "a")).reasons == {7: "declined", 8: "at_capacity"}
    assert offered(line, 7) == ""
    line.advance(1, 7, 8, "a", "x")
    assert offered(line, 7) == "a"
    assert remembered(line) == ""


def test_a_missed_offer_goes_to_the_others_too(line: DeskUnderTest) -> None:
    two_agents(line, offer_seconds=5)
    line.advance(5, 7, 8, "a", "x")
    assert (line.beat("a").answer, offered(line, 7)) == ("waiting", "")
    assert line.agent_record(7).misses == 1


def test_who_is_alone_is_offered_the_same_visitor_again_until_it_is_away(
    line: DeskUnderTest,
) -> None:
    line.queue(1, mode="offer", misses_limit=2)
    line.agent(7, 1, online=True)
    line.join("a")
    decline(line, 7)
    assert offered(line, 7) == "a"
    decline(line, 7)
    record = line.agent_record(7)
    assert (record.state, record.word) == ("paused", "missed offers")
    assert [entry["n"] for entry in line.log() if entry["k"] == "miss"] == ["1", "2"]
    assert line.beat("a").answer == "waiting"


def test_who_is_alone_gets_whoever_is_first_by_then(line: DeskUnderTest) -> None:
    line.queue(1, mode="offer")
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b", priority=1)
    decline(line, 7)
    assert offered(line, 7) == "b"


def test_who_cannot_serve_is_nobody_to_wait_for(line: DeskUnderTest) -> None:
    line.queue(1, mode="offer", skills_relax_seconds=0)
    line.agent(7, 1, skills={"tax": 3}, online=True)
    line.agent(3, 1, skills={"tax": 3}, online=True)
    line.run(desk.pause(SLUG, 3, "lunch"))
    line.agent(4, 1, skills={"tax": 1}, online=True)
    line.agent(5, 2, skills={"tax": 3}, online=True)
    line.agent(6, 1, skills={"tax": 3})
    line.join("a", skills={"tax": 2})
    decline(line, 7)
    assert offered(line, 7) == "a"
    assert remembered(line) == ""


def test_when_the_last_other_leaves_nobody_waits_for_it(line: DeskUnderTest) -> None:
    two_agents(line)
    decline(line, 7)
    line.run(desk.pause(SLUG, 8, "lunch"))
    line.advance(1, 7, 8, "a", "x")
    assert offered(line, 7) == "a"


def test_when_all_have_declined_it_goes_round_again(line: DeskUnderTest) -> None:
    line.queue(1, mode="offer", misses_limit=0)
    for agent in (7, 8):
        line.agent(agent, 1, online=True)
        line.clock.advance(1)
    line.join("a")
    for agent in (7, 8, 7, 8):
        assert offered(line, agent) == "a"
        decline(line, agent)


def test_declined_visitors_with_needs_are_passed_over_each_by_itself(line: DeskUnderTest) -> None:
    line.queue(1, mode="offer", misses_limit=0)
    line.agent(8, 1, skills={"tax": 5}, online=True)
    line.run(desk.pause(SLUG, 8, "soon back"))
    line.agent(7, 1, skills={"tax": 5}, online=True)
    for visit in "abc":
        line.join(visit, skills={"tax": 2})
    line.login(8)
    assert offered(line, 8) == "b"
    accept(line, 8)
    decline(line, 7)
    assert offered(line, 7) == "c"
    assert line.beat("a").ahead == 0


def test_without_seconds_the_same_agent_is_offered_it_at_once(line: DeskUnderTest) -> None:
    two_agents(line, decline_seconds=0)
    decline(line, 7)
    assert offered(line, 7) == "a"


def test_a_queue_that_the_release_before_has_written_remembers_for_thirty_seconds(
    line: DeskUnderTest,
) -> None:
    two_agents(line)
    written = line.client.hget(KEYS.tag + ":queues", "1")
    line.client.hset(KEYS.tag + ":queues", "1", written.rpartition(" ")[0])
    decline(line, 7)
    line.advance(29, 7, 8, "a", "x")
    assert offered(line, 7) == ""
    line.advance(1, 7, 8, "a", "x")
    assert offered(line, 7) == "a"


def test_what_a_desk_remembers_ends_with_the_visit_and_is_bounded(line: DeskUnderTest) -> None:
    two_agents(line, misses_limit=0)
    decline(line, 7)
    assert remembered(line) == "a:7"
    line.run(desk.leave(SLUG, "a"))
    line.advance(1, 7, 8, "x")
    assert remembered(line) == ""
    for number in range(65):
        assert line.join(f"b{number}").answer == "offered"
        decline(line, 7)
    assert remembered(line).split(",") == [f"b{number}:7" for number in range(1, 65)]
    assert offered(line, 7) == "b0"  # forgotten, and first in the line
    line.advance(40, 7, 8)
    assert remembered(line) == ""


def test_a_decline_of_a_clock_that_was_ahead_does_not_count(line: DeskUnderTest) -> None:
    two_agents(line, decline_seconds=20)
    line.advance(5, 7, 8, "a", "x")
    decline(line, 7)
    line.clock.advance(-3_600)
    line.advance(15, 7, 8, "a", "x")
    assert offered(line, 7) == "a"
