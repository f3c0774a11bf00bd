"""Each event of a desk, as the table of behaviour defines it."""

from queueing.line import desk
from tests.line.desk.desk_support import SLUG, DeskUnderTest


def answers(line: DeskUnderTest, *visits: str) -> list[str]:
    return [line.beat(visit).answer for visit in visits]


def test_a_visitor_waits_and_the_next_agent_serves_the_first(line: DeskUnderTest) -> None:
    line.agent(7, 1)
    assert (line.join("a").answer, line.join("a").ahead) == ("waiting", 0)
    assert line.join("b").ahead == 1
    state = line.login(7)
    assert state.slots == (desk.Slot("room", "a"),)
    assert answers(line, "a", "b") == ["room", "waiting"]
    assert line.beat("b").ahead == 0
    assert line.beat("a").agent == 7
    assert "longest" not in line.beat("a").word
    assert line.login(7).slots == state.slots  # a second tab


def test_finishing_takes_the_next_in_the_same_step(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b")
    assert line.finish(7, "a").answer == "ok"
    assert answers(line, "a", "b") == ["ended", "room"]
    assert line.finish(7, "a").answer == "repeat"
    assert line.beat("b").answer == "room"
    line.agent(8, 1, online=True)
    assert line.finish(8, "b").answer == "not_yours"


def test_fewest_rooms_then_longest_idle(line: DeskUnderTest) -> None:
    for agent in (3, 4, 5):
        line.agent(agent, 1, capacity=2, online=True)
        line.clock.advance(1)
    assert [line.join(visit).agent for visit in "abcd"] == [3, 4, 5, 3]
    assert line.join("e").agent == 4
    line.finish(3, "a")
    line.finish(3, "d")
    assert line.join("f").agent == 3


def test_a_silent_visitor_is_away_keeps_the_place_and_is_gone_after_the_grace(
    line: DeskUnderTest,
) -> None:
    line.join("a")
    line.join("b")
    line.advance(16, "b")
    assert line.visit("a").state == "away"
    assert line.beat("b").ahead == 1  # counts in the places of other visitors
    line.agent(7, 1, online=True)
    assert line.beat("b").answer == "room"  # passed over
    assert (line.beat("a").answer, line.beat("a").ahead) == ("waiting", 0)
    line.advance(16, 7, "b")
    assert line.visit("a").state == "away"
    line.advance(61, 7, "b")
    assert line.beat("a").answer == "ended"
    assert line.beat("a").word == "lost"


def test_one_who_comes_back_while_an_agent_is_free_is_served_at_once(line: DeskUnderTest) -> None:
    line.join("a")
    line.advance(16)
    line.agent(7, 1, online=True)
    assert line.visit("a").state == "away"
    assert line.beat("a").answer == "room"


def test_a_visitor_lost_in_a_room_frees_the_agent(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b")
    line.advance(16, 7, "b")
    assert line.beat("a").word == "visitor lost"
    assert line.beat("b").agent == 7


def test_a_lost_agents_visitors_return_to_the_front_in_their_order(line: DeskUnderTest) -> None:
    line.agent(7, 1, capacity=2, online=True)
    for visit in "abcd":
        line.join(visit)
    line.advance(16, *"abcd")
    assert [line.beat(visit).ahead for visit in "abcd"] == [0, 1, 2, 3]
    assert line.agent_beat(7).answer == "offline"
    kinds = [entry["k"] for entry in line.log()]
    assert kinds.count("returned") == 2
    assert "no_agent" in kinds


def test_a_pause_in_a_room_takes_effect_when_it_ends(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b")
    state = line.run(desk.pause(SLUG, 7, "lunch time"))
    assert (state.state, state.pending) == ("online", "pause")
    line.finish(7, "a")
    assert line.agent_beat(7).state == "paused"
    assert line.agent_beat(7).word == "lunch time"
    assert line.beat("b").answer == "waiting"
    assert line.login(7).slots == (desk.Slot("room", "b"),)
    assert line.run(desk.logout(SLUG, 7)).pending == "logout"
    line.finish(7, "b")
    assert line.agent_beat(7).answer == "offline"


def test_a_wrap_up_holds_the_slot_and_ends_by_itself_or_by_the_agent(line: DeskUnderTest) -> None:
    line.queue(1, wrap_up_seconds=30)
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b")
    line.finish(7, "a")
    assert line.agent_beat(7).slots[0].kind == "wrap_up"
    line.advance(31, 7, "b")
    assert line.beat("b").answer == "room"
    line.join("c")
    line.finish(7, "b")
    assert line.run(desk.ready(SLUG, 7)).ok
    assert line.beat("c").answer == "room"


def test_in_offer_mode_a_late_accept_changes_nothing_and_misses_pause_the_agent(
    line: DeskUnderTest,
) -> None:
    line.queue(1, mode="offer", offer_seconds=5, misses_limit=2)
    line.agent(7, 1, online=True)
    assert line.join("a").answer == "offered"
    token = line.agent_beat(7).offer_token
    line.advance(6, 7, "a")
    assert line.run(desk.accept(SLUG, 7, "a", token)).answer == "late"
    again = line.agent_beat(7).offer_token
    assert again not in ("", token)
    line.advance(6, 7, "a")
    assert line.agent_beat(7).state == "paused"
    assert line.beat("a").answer == "waiting"
    line.login(7)
    token = line.agent_beat(7).offer_token
    assert line.run(desk.accept(SLUG, 7, "a", token)).answer == "ok"
    assert line.run(desk.accept(SLUG, 7, "a", token)).answer == "repeat"


def test_a_declined_visitor_goes_to_another_agent(line: DeskUnderTest) -> None:
    line.queue(1, mode="offer")
    line.agent(7, 1, online=True)
    line.clock.advance(1)
    line.agent(8, 1, online=True)
    assert line.join("a").agent == 7
    token = line.agent_beat(7).offer_token
    assert line.run(desk.decline(SLUG, 7, "a", token)).ok
    assert line.beat("a").agent == 8


def test_in_manual_mode_the_agent_takes_the_next_or_a_chosen_one(line: DeskUnderTest) -> None:
    line.queue(1, mode="manual")
    line.agent(7, 1, capacity=2, online=True)
    for visit in "abc":
        assert line.join(visit).answer == "waiting"
    assert line.run(desk.take(SLUG, 7, "b")).answer == "ok"
    assert line.run(desk.take(SLUG, 7, "b")).answer == "repeat"
    assert line.run(desk.take(SLUG, 7)).visit == "a"
    assert line.run(desk.take(SLUG, 7)).answer == "no_room"
    line.agent(8, 1, online=True)
    assert line.run(desk.take(SLUG, 8, "b")).answer == "taken"


def test_priority_comes_first_and_the_place_tells(line: DeskUnderTest) -> None:
    line.join("a")
    line.join("b", priority=9)
    assert line.join("c", priority=1).ahead == 0
    assert [line.beat(visit).ahead for visit in "cab"] == [0, 1, 2]
    line.agent(7, 1, online=True)
    assert line.beat("c").answer == "room"


def test_skills_are_needed_at_a_level_and_relax_with_waiting(line: DeskUnderTest) -> None:
    line.queue(1, skills_relax_seconds=30)
    line.agent(7, 1, skills={"tax": 3}, online=True)
    assert line.join("a", skills={"tax": 5}).answer == "waiting"
    assert line.join("b", skills={"tax": 3}).answer == "room"
    why = line.run(desk.why(SLUG, "a"))
    assert why.reasons == {7: "skill"}
    line.agent(8, 1, skills={"tax": 4}, online=True)
    line.advance(29, 7, 8, "a", "b")
    assert line.beat("a").answer == "waiting"
    line.advance(2, 7, 8, "a", "b")
    assert line.beat("a").agent == 8


def test_refusals_closed_full_no_agent(line: DeskUnderTest) -> None:
    line.queue(1, is_open=False)
    assert line.join("a").answer == "closed"
    line.queue(1, max_length=1)
    assert line.join("a").answer == "waiting"
    assert line.join("b").answer == "full"
    line.queue(2, no_agent="end")
    assert line.join("c", 2).answer == "no_agent"
    assert line.join("c", 2, anyway=True).answer == "waiting"
    line.queue(1, max_length=1, overflow=2)
    line.queue(2)
    assert line.join("d").queue == 2
    assert line.join("x", 99).answer == "no such queue"
    assert line.join("x y").answer == "malformed visit"
    assert line.join("x", priority=0).answer == "malformed class"


def test_the_last_agents_leaving_ends_or_moves_the_waiting_after_a_time(
    line: DeskUnderTest,
) -> None:
    line.queue(1, no_agent="overflow", no_agent_seconds=60, overflow=2)
    line.agent(7, 1, online=True)
    line.join("x")
    line.join("a")
    line.run(desk.log_out_now(SLUG, 7, "fire drill"))
    assert line.beat("x").ahead == 0
    line.advance(61, "a", "x")
    assert [line.beat(visit).queue for visit in "xa"] == [2, 2]
    line.queue(2, no_agent="form", no_agent_seconds=10)
    line.agent(8, 2)
    line.login(8)
    line.run(desk.log_out_now(SLUG, 8, "home"))
    line.advance(11, "a", "x")
    assert line.beat("a").word == "form"


def test_a_transfer_keeps_the_arrival_and_front_is_before_all(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.clock.advance(1)
    line.join("b", 2)
    line.clock.advance(1)
    assert line.run(desk.transfer_to_queue(SLUG, "a", 2, by="olive")).ahead == 0
    assert line.agent_beat(7).slots == ()
    line.run(desk.transfer_to_queue(SLUG, "b", 2, front=True))
    assert [line.beat(visit).ahead for visit in "ba"] == [0, 1]
    line.agent(8, 2, online=True)
    line.agent(9, 1, online=True)
    assert line.run(desk.transfer_to_agent(SLUG, "b", 9)).agent == 9
    assert line.run(desk.transfer_to_agent(SLUG, "a", 9)).answer == "no_room"
    assert line.beat("a").agent == 8


def test_a_visitor_who_was_just_matched_is_not_moved_out_of_the_room_to_the_front(
    line: DeskUnderTest,
) -> None:
    line.queue(1, wrap_up_seconds=30)
    line.agent(7, 1, online=True)
    line.join("a")
    before = line.visit("a")
    assert line.run(desk.transfer_to_queue(SLUG, "a", 1, front=True)).answer == "room"
    assert line.visit("a") == before


def test_a_transfer_to_a_queue_frees_its_agent_for_the_next_whatever_their_ids(
    line: DeskUnderTest,
) -> None:
    line.agent(2, 1, online=True)  # the id of a queue, too
    line.join("a")
    line.join("b")
    line.run(desk.transfer_to_queue(SLUG, "a", 2))
    assert line.beat("b").agent == 2
    assert line.wrong() == []


def test_whoever_a_transfer_puts_behind_others_overtakes_nobody(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b")
    assert line.beat("a").agent == 7
    moved = line.run(desk.transfer_to_queue(SLUG, "a", 1, priority=9))
    assert (moved.answer, moved.agent, moved.ahead) == ("waiting", None, 0)
    assert line.beat("b").agent == 7
    assert line.wrong() == []


def test_nobody_arrives_later_than_now(line: DeskUnderTest) -> None:
    assert line.clock is not None
    line.join("a", arrived_us=line.clock.now_us + 1_000_000)
    assert line.visit("a").arrived_us == line.clock.now_us


def test_after_a_loss_places_come_back_by_arrival_and_matching_waits(line: DeskUnderTest) -> None:
    line.join("a")
    first = line.visit("a").arrived_us
    line.clock.advance(2)
    line.join("b")
    line.client.flushdb()
    line.clock.set(line.clock.now_us)
    assert line.beat("a").answer == "no such desk"
    assert line.run(desk.recover(SLUG, 2, log_limit=1000)).ok
    line.queue(1)
    line.queue(2)
    line.agent(7, 1, online=True)
    assert line.join("z").answer == "waiting"
    line.agent(8, 1, online=True)
    assert line.join("a", arrived_us=first).ahead == 0
    told = line.beat("z")  # the desk does not have every visit: SQL answers
    assert (told.answer, told.word) == ("gone", desk.RECOVERING)
    assert line.run(desk.place(SLUG, "z")).ahead == 1
    loaded = desk.Loaded("r", 1, 5, first + 5)
    assert line.run(desk.load(SLUG, [loaded, loaded])) == 1
    line.advance(16, 7, "a", "z", "r")
    assert line.figures().status == "recovering"  # not before everything is loaded
    assert line.run(desk.open_after(SLUG, 1, 15)).answer == "other generation"
    assert line.run(desk.open_after(SLUG, 3, 15)).answer == "other generation"
    assert line.figures().opens_at_ms == 0
    assert line.run(desk.open_after(SLUG, 2, 15)).answer == "ok"
    assert line.run(desk.open_after(SLUG, 2, 90)).answer == "repeat"
    line.advance(14, 7, "a", "z", "r")
    assert line.beat("a").answer == "waiting"
    line.advance(2, 7, "a", "z", "r")
    assert line.figures().status == "open"
    assert line.beat("a").answer == "room"


def test_an_agents_queues_and_capacity_change_while_it_serves(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")
    line.join("b", 2)
    line.agent(7, 1, 2, capacity=2)
    assert line.beat("b").agent == 7
    line.agent(7, 1, capacity=1)
    line.join("c", 2)
    line.finish(7, "a")
    line.finish(7, "b")
    assert line.beat("c").answer == "waiting"
    assert line.figures().queues[2].online == 0
    assert line.run(desk.agent_remove(SLUG, 7)).answer == "in_use"
    assert line.run(desk.queue_remove(SLUG, 2)).answer == "in_use"
