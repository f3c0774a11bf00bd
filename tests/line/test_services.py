"""A visit from joining to SQL: places kept over losses, messages once, outcomes, shifts."""

from collections.abc import Callable
from typing import Any

import pytest

from poolsite import history, hotpath
from poolsite.history import source
from poolsite.operations import incidents
from poolsite.operations.models import Incident
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk as commands
from queueing.line import laws
from queueing.line.errors import LineError
from queueing.line.models import (
    Agent,
    AgentShift,
    BlockedVisitor,
    Desk,
    LineEvent,
    RoomEvent,
    Visit,
)
from queueing.line.services import beats, healing, rooms, visits
from queueing.line.services.estimates import wait_range
from queueing.line.services.quantiles import gamma_quantile
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def test_a_visit_goes_from_the_line_through_a_room_to_its_outcome(line: LineWorld) -> None:
    joined = visits.visit_join(queue=line.queue, name="Ann", topic="bill", address="10.0.0.1")
    assert (joined.standing.answer, joined.standing.ahead) == ("waiting", 0)
    agent = line.agent("li", online=True)
    line.drain()
    visit = Visit.objects.get(public_id=joined.visit.public_id)
    assert (visit.name, visit.agent, visit.place_at_join) == ("Ann", agent, 0)
    assert "agent became free" in visit.why
    said = rooms.message_send(visit=visit, author="visitor", client_id="1", text="Hello\n<b>")
    again = rooms.message_send(visit=visit, author="visitor", client_id="1", text="Hello")
    assert said.is_new
    assert not again.is_new
    assert rooms.room_finish(agent, visit.public_id).ok
    assert rooms.room_finish(agent, visit.public_id).answer == "repeat"
    rooms.agent_logout(agent)
    line.drain()
    visit.refresh_from_db()
    assert (visit.outcome, visit.messages.count()) == ("served", 1)
    shift = AgentShift.objects.get()
    assert (shift.served, shift.ended_at is not None) == (1, True)
    assert [event.kind for event in RoomEvent.objects.order_by("seq")] == ["room", "end"]
    assert LineEvent.objects.filter(visit=visit.public_id).count() >= 3
    with pytest.raises(LineError, match="has ended"):
        rooms.message_send(visit=visit, author="visitor", client_id="2", text="too late")


def test_places_come_back_after_redis_lost_everything(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    first, second = (visits.visit_join(queue=line.queue, name=name) for name in ("a", "b"))
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    assert healing.watch_desks(0, 1)["rebuilt"] == 1
    third = visits.visit_join(queue=line.queue, name="c")
    standings = [
        beats.visit_beat(desk=line.desk, visit=each.visit.public_id, place=each.place)
        for each in (first, second, third)
    ]
    assert [standing.ahead for standing in standings] == [0, 1, 2]
    assert laws.check(line.desk.slug) == []


def test_a_proof_of_a_place_alone_brings_it_back_and_a_forged_one_does_not(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    first = visits.visit_join(queue=line.queue)
    with clean_redis.client() as client:
        client.flushall()
    Visit.objects.all().delete()
    healing.watch_desks(0, 1)
    other = visits.visit_join(queue=line.queue)
    name = first.visit.public_id
    assert beats.visit_beat(desk=line.desk, visit=name, place=first.place[:-2]).answer == "gone"
    assert beats.visit_beat(desk=line.desk, visit=name, place=other.place).answer == "gone"
    assert beats.visit_beat(desk=line.desk, visit=name, place=first.place).ahead == 0


def test_blocked_and_crowding_addresses_are_refused(
    line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    BlockedVisitor.objects.create(desk=line.desk, key="10.0.0.9", reason="spam", created_by="t")
    with pytest.raises(LineError, match="refused"):
        visits.visit_join(queue=line.queue, address="10.0.0.9")
    monkeypatch.setattr(visits, "JOINS_PER_ADDRESS", 2)
    for _ in range(2):
        visits.visit_join(queue=line.queue, address="10.0.0.8")
    with pytest.raises(LineError, match="Too many"):
        visits.visit_join(queue=line.queue, address="10.0.0.8")
    assert Visit.objects.count() == 2


def test_bad_words_change_nothing(line: LineWorld) -> None:
    visit = visits.visit_join(queue=line.queue).visit
    for text in ("", " \n ", "\x00", "x" * 4_001):
        with pytest.raises(LineError):
            rooms.message_send(visit=visit, author="visitor", client_id="1", text=text)
    assert not visit.messages.exists()
    agent, other = line.agent("li", online=True), line.agent("bo", online=True)
    with pytest.raises(LineError, match="belongs to another agent"):
        rooms.room_finish(other, visit.public_id)
    assert hotpath.run(commands.place(line.desk.slug, visit.public_id)).agent == agent.user_id


def test_the_wait_is_a_range_of_the_gamma_distribution() -> None:
    assert gamma_quantile(1, 0.5) == pytest.approx(0.6931, abs=1e-4)
    assert gamma_quantile(10, 0.9) == pytest.approx(14.206, rel=0.01)
    assert (wait_range(1, 60.0).low_seconds, wait_range(1, 60.0).high_seconds) == (6, 139)


def test_who_went_back_to_the_line_is_rebuilt_there_and_not_in_the_room_of_before(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    agent = line.agent("li", online=True)
    joined = visits.visit_join(queue=line.queue, name="a")
    assert joined.standing.answer == "room"
    hotpath.run(commands.log_out_now(line.desk.slug, agent.user_id, "gone"))
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    assert healing.watch_desks(0, 1)["rebuilt"] == 1
    place = hotpath.run(commands.place(line.desk.slug, joined.visit.public_id))
    assert place.answer == "waiting"


def test_who_is_in_a_room_is_told_so_by_sql_until_a_promoted_desk_is_rebuilt(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    """The replica missed the match: otherwise the page would show the line again for a moment."""
    joined = visits.visit_join(queue=line.queue, name="a")
    waiting = visits.visit_join(queue=line.queue, name="b")
    agent = line.agent("li")
    with clean_redis.client() as client:
        of_desk = client.keys(f"{line.desk.tag}*")
        for key in of_desk:
            client.copy(key, f"replica {key}")
        assert hotpath.run(commands.login(line.desk.slug, agent.user_id)).answer == "ok"
        line.drain()
        client.delete(*client.keys(f"{line.desk.tag}*"))
        for key in of_desk:
            client.rename(f"replica {key}", key)
        conf = client.hget(line.desk.tag, "conf")
        client.hset(line.desk.tag, "conf", f"r{conf[1:]}")  # as hotpath/promoted does

    def told() -> list[tuple[str, int | None, int]]:
        standings = [
            beats.visit_beat(desk=line.desk, visit=each.visit.public_id, place=each.place)
            for each in (joined, waiting)
        ]
        return [(beat.answer, beat.agent, beat.ahead) for beat in standings]

    in_room, in_line = told()
    assert in_room == ("room", agent.user_id, 0)
    assert in_line[0] == "waiting"
    assert healing.watch_desks(0, 1)["rebuilt"] == 1
    assert told() == [("room", agent.user_id, 0), ("waiting", None, 0)]
    assert laws.check(line.desk.slug) == []


def test_who_beats_before_its_room_is_loaded_keeps_the_room(
    line: LineWorld, clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = line.agent("li", online=True)
    joined = visits.visit_join(queue=line.queue, name="a")
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    name, early = joined.visit.public_id, []
    running = healing._running

    def beats_first(desk: Desk) -> Any:
        early.append(beats.visit_beat(desk=desk, visit=name, place=joined.place).answer)
        return running(desk)

    monkeypatch.setattr(healing, "_running", beats_first)
    assert healing.watch_desks(0, 1)["rebuilt"] == 1
    assert early == ["room"]
    standing = beats.visit_beat(desk=line.desk, visit=name, place=joined.place)
    assert (standing.answer, standing.agent) == ("room", agent.user_id)


def test_who_leaves_while_the_desk_is_rebuilt_is_asked_to_say_so_again_and_does_not_come_back(
    line: LineWorld, clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [visits.visit_join(queue=line.queue, name=name).visit.public_id for name in "abc"]
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    refused: list[str] = []

    def leave(visit: str) -> None:
        with pytest.raises(LineError, match="is being restored"):
            visits.visit_leave(desk=line.desk, visit=visit)
        refused.append(visit)

    leave(names[0])  # Redis does not have the desk
    running = healing._running

    def leaves_first(desk: Desk) -> Any:
        leave(names[1])  # the desk is there, its visits are not loaded
        return running(desk)

    monkeypatch.setattr(healing, "_running", leaves_first)
    assert healing.watch_desks(0, 1)["rebuilt"] == 1
    assert refused == names[:2]
    for name in refused:
        assert visits.visit_leave(desk=line.desk, visit=name).answer == "ended"
    line.drain()
    outcomes = Visit.objects.filter(outcome=Visit.Outcome.LEFT).values_list("public_id", flat=True)
    assert set(outcomes) == set(refused)
    assert beats.visit_beat(desk=line.desk, visit=names[2]).answer == "waiting"


def test_agents_on_shift_are_online_or_paused_as_before_a_loss(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    free, paused, gone = (line.agent(name, online=True) for name in ("li", "wu", "he"))
    hotpath.run(commands.pause(line.desk.slug, paused.user_id, "lunch"))
    hotpath.run(commands.logout(line.desk.slug, gone.user_id))
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    assert healing.watch_desks(0, 1)["rebuilt"] == 1

    def stands(agent: Agent) -> tuple[str, str]:
        state = hotpath.run(commands.agent_state(line.desk.slug, agent.user_id))
        return state.state, state.word

    assert [stands(agent)[0] for agent in (free, paused, gone)] == ["online", "paused", "offline"]
    assert stands(paused)[1] == "lunch"
    line.drain()
    assert AgentShift.objects.filter(ended_at=None).count() == 2
    assert laws.check(line.desk.slug) == []


def test_a_supervisor_moves_takes_over_ends_and_logs_out(line: LineWorld) -> None:
    first, second = (visits.visit_join(queue=line.queue, name=name).visit for name in "ab")
    front = rooms.visit_move(actor="test", visit=second, queue=line.queue, front=True)
    assert front.ahead == 0
    agent = line.agent("li", online=True)
    line.drain()
    other = line.agent("wu")
    assert rooms.visit_end_by_supervisor(actor="test", visit=first, reason="x").answer == "ended"
    hotpath.run(commands.login(line.desk.slug, other.user_id))
    assert rooms.visit_take_over(actor="test", visit=second, agent=other).agent == other.user_id
    assert rooms.agent_log_out_now(actor="test", agent=agent, reason="x").state == "offline"


# -- a desk's generations ----------------------------------------------------------------------


def lives(line: LineWorld) -> dict[int, list[int]]:
    """Return each generation's entries in SQL, by their numbers."""
    found: dict[int, list[int]] = {}
    for generation, seq in LineEvent.objects.order_by("seq").values_list("generation", "seq"):
        found.setdefault(generation, []).append(seq)
    return found


def test_a_desk_where_nobody_ever_waited_begins_a_new_life_too(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    line.agent("li", online=True)
    line.drain()
    first = line.desk.generation
    with clean_redis.client() as client:
        client.flushall()
    assert healing.watch_desks(0, 1)["rebuilt"] == 1
    line.drain()
    line.desk.refresh_from_db()
    assert line.desk.generation > first
    told = lives(line)
    assert set(told) == {first, line.desk.generation}
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in told.values())
    assert healing.watch_desks(0, 1)["rebuilt"] == 0


def test_a_worker_that_was_held_up_does_not_undo_a_later_life(
    line: LineWorld, clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = visits.visit_join(queue=line.queue, name="a")
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    recover, later = commands.recover, []

    def held_up(
        slug: str, generation: int, *, log_limit: int
    ) -> hotpath.Command[commands.DeskReply]:
        """Let this worker sleep between SQL and Redis, while another one does all of it."""
        monkeypatch.setattr(commands, "recover", recover)
        assert healing.watch_desks(0, 1)["rebuilt"] == 1
        incidents.close(type=healing.INCIDENT, object=slug)  # as when the desk opens
        later.append(visits.visit_join(queue=line.queue, name="b"))
        return recover(slug, generation, log_limit=log_limit)

    monkeypatch.setattr(commands, "recover", held_up)
    assert healing.watch_desks(0, 1)["rebuilt"] == 0
    line.desk.refresh_from_db()
    figures = hotpath.run(commands.show(line.desk.slug))
    assert figures is not None
    assert figures.generation == line.desk.generation
    names = [each.visit.public_id for each in (first, *later)]
    places = [hotpath.run(commands.place(line.desk.slug, name)) for name in names]
    assert [(place.answer, place.ahead) for place in places] == [("waiting", 0), ("waiting", 1)]
    assert not Incident.objects.filter(until=None).exists()


def test_a_worker_that_was_held_up_does_not_open_a_later_life_early(
    line: LineWorld, clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis is lost again while one worker has loaded, and the next is about to load."""
    visits.visit_join(queue=line.queue, name="a")
    line.drain()
    open_after, apply_desk, seen = commands.open_after, healing.apply_desk, []

    def lost_again(
        slug: str, generation: int, seconds: float
    ) -> hotpath.Command[commands.DeskReply]:
        monkeypatch.setattr(commands, "open_after", open_after)
        with clean_redis.client() as client:
            client.flushall()
        monkeypatch.setattr(healing, "apply_desk", meanwhile(open_after(slug, generation, seconds)))
        assert healing.watch_desks(0, 1)["rebuilt"] == 1
        return open_after(slug, generation, seconds)

    def meanwhile(late: hotpath.Command[commands.DeskReply]) -> Callable[[Desk], None]:
        """Let the first worker wake up when the second has begun, and has loaded nothing yet."""

        def load(desk: Desk) -> None:
            seen.append(hotpath.run(late).answer)
            figures = hotpath.run(commands.show(desk.slug))
            seen.append((figures.status, figures.opens_at_ms))
            apply_desk(desk)

        return load

    with clean_redis.client() as client:
        client.flushall()
    monkeypatch.setattr(commands, "open_after", lost_again)
    healing.watch_desks(0, 1)
    assert seen == ["other generation", ("recovering", 0)]
    figures = hotpath.run(commands.show(line.desk.slug))
    assert figures.status == "recovering"
    assert figures.opens_at_ms > 0  # by the worker of this generation


def test_a_drain_that_comes_after_the_rebuild_does_not_begin_another(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    visits.visit_join(queue=line.queue, name="a")
    line.drain()
    with clean_redis.client() as client:
        client.flushall()
    healing.watch_desks(0, 1)
    line.desk.refresh_from_db()
    second = line.desk.generation
    drain_source, desk = source(healing.KIND), history.Aggregate(line.desk.tag, line.desk.pk)
    drain_source.behind(desk, "emptied")  # what a drain had read before the rebuild
    line.desk.refresh_from_db()
    assert line.desk.generation == second
    line.drain()
    drain_source.behind(desk, "went back")  # this very generation is behind SQL
    line.desk.refresh_from_db()
    assert line.desk.generation > second
