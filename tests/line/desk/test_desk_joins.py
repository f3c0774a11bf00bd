"""A list of joins answers, and stores, what the same joins do one by one."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poolsite.hotpath.routing import SERVER
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.hotpath.starving import everything
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest, desk_on
from tests.support.clock import ScriptClock
from tests.support.needs import require

ALIKE = "twin"  # the desk to which the same visitors come one by one
START_US = 1_700_000_000_000_000
QUEUES: dict[int, dict[str, Any]] = {
    1: {"max_length": 2, "overflow": 2, "skills_relax_seconds": 5},
    2: {"max_wait_seconds": 40, "wrap_up_seconds": 5},
    3: {"mode": "offer", "no_agent": "end"},
    4: {"mode": "manual", "max_length": 3},
    5: {"is_open": False},
}
SKILLS: tuple[dict[str, int], ...] = ({}, {}, {"tax": 2}, {"tax": 4, "law": 1})
JOINS = st.builds(
    desk.Join,
    st.sampled_from([*(f"visit-{place}" for place in range(12)), "no visit"]),
    st.sampled_from([1, 1, 2, 3, 4, 5, 99]),
    st.sampled_from([1, 5, 5, 0]),
    st.sampled_from(SKILLS),
    st.sampled_from([None, None, None, START_US - 1_000_000, START_US * 10]),
    st.booleans(),
)
LISTS = st.lists(
    st.tuples(st.lists(JOINS, min_size=1, max_size=12), st.sampled_from([0, 1, 20, 61])),
    min_size=2,
    max_size=4,
)


@pytest.fixture(params=["functions", "scripts"])
def line(
    request: pytest.FixtureRequest, clean_redis: RedisServer, test_clock: ScriptClock
) -> Iterator[DeskUnderTest]:
    """A desk whose operations run as functions, or as scripts."""
    with desk_on(clean_redis.url, test_clock) as bench:
        if request.param == "scripts":
            bench.path.planner.scripts_only.add(SERVER)
        elif bench.client.info("server")["redis_version"].startswith("6."):
            require("redis-7")
        bench.create()
        bench.queue(1)
        yield bench
        assert bench.wrong() == []


class Twins:
    """Two desks with the same history: visitors come to one in lists, to the other singly."""

    def __init__(self, bench: DeskUnderTest) -> None:
        self.bench = bench
        bench.begin_anew(START_US // 1_000_000)
        bench.run(desk.create(ALIKE, 1))
        for slug in (SLUG, ALIKE):
            for queue, given_settings in QUEUES.items():
                bench.run(desk.queue_write(slug, queue, desk.QueueSettings(**given_settings)))
            for agent, skills in enumerate(SKILLS, start=1):
                serves = desk.AgentSettings(queues=(1, 2, 3), capacity=agent % 2 + 1, skills=skills)
                bench.run(desk.agent_write(slug, agent, serves))
                bench.run(desk.login(slug, agent))

    def come(self, batch: Sequence[desk.Join]) -> None:
        together = self.bench.run(desk.joins(SLUG, batch))
        assert together == [self.bench.run(each.command(ALIKE)) for each in batch]

    def check_alike(self) -> None:
        found = everything(self.bench.client)
        mine, alike = (
            {key.removeprefix(tag): found[key] for key in found if key.startswith(tag)}
            for tag in (KEYS.tag, desk.DeskKeys(ALIKE).tag)
        )
        assert mine == alike
        assert self.bench.wrong() == []


def names(*visits: str) -> list[desk.Join]:
    return [desk.Join(visit, 1) for visit in visits]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lists=LISTS)
@example(lists=[(names("a", "b", "c", "d", "e", "f", "g", "h"), 20), (names("h", "i", "i"), 0)])
def test_a_list_does_what_its_joins_do_one_by_one(
    line: DeskUnderTest, lists: list[tuple[list[desk.Join], int]]
) -> None:
    twins = Twins(line)
    for batch, seconds in lists:
        twins.come(batch)
        twins.check_alike()
        assert line.clock is not None
        line.clock.advance(seconds)
        line.client.hset(KEYS.tag, mapping={"heard": 0, "walked": line.clock.now_us // 1_000})
        line.client.hset(
            desk.DeskKeys(ALIKE).tag, mapping={"heard": 0, "walked": line.clock.now_us // 1_000}
        )


def test_each_visitor_has_all_the_silent_agents_whom_one_call_may_pass_over(
    line: DeskUnderTest,
) -> None:
    line.queue(1, agent_grace_seconds=60)
    for agent in range(1, 31):
        line.agent(agent, 1, online=True)
    assert line.clock is not None
    line.clock.advance(14)
    line.agent_beat(30)
    line.sweep()
    line.clock.advance(2)
    first, second = line.run(desk.joins(SLUG, names("a", "b")))
    assert first.answer == "waiting"
    assert (second.answer, second.agent) == ("room", 30)
    assert line.agent_beat(1).slots[0].visit == "a"


def test_a_malformed_visitor_is_refused_alone_and_the_others_come(line: DeskUnderTest) -> None:
    batch = [
        desk.Join("a", 1),
        desk.Join("no visit", 1),
        desk.Join("b", 99),
        desk.Join("c", 1, 0),
        desk.Join("d", 1, skills={"A": 1}),
        desk.Join("e", 1, arrived_us=1),
        desk.Join("f\t", 1),
        desk.Join("g", 1),
    ]
    standings = line.run(desk.joins(SLUG, batch))
    assert [each.answer for each in standings] == [
        *("waiting", "malformed visit", "no such queue", "malformed class", "malformed skills"),
        *("malformed arrived", "malformed join", "waiting"),
    ]
    assert [each.ahead for each in standings if each.is_there] == [0, 1]
    assert [entry["v"] for entry in line.log() if entry["k"] == "join"] == ["a", "g"]


def test_the_same_visitor_twice_in_a_list_has_one_place(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    served, again, first, other, first_again = line.run(
        desk.joins(SLUG, names("a", "a", "b", "c", "b"))
    )
    assert (served.answer, again) == ("room", served)
    assert (first.ahead, other.ahead, first_again.ticket) == (0, 1, first.ticket)
    assert line.figures().joined == 3
    assert line.run(desk.joins(SLUG, names("a", "b"))) == [
        line.beat("a"),
        line.beat("b"),
    ]  # after a lost reply


def test_32_come_in_their_order_and_the_desk_is_read_and_written_once(line: DeskUnderTest) -> None:
    batch = names(*(f"v{place}" for place in range(32)))
    line.join("before")
    before = line.client.info("commandstats")
    standings = line.run(desk.joins(SLUG, batch))
    after = line.client.info("commandstats")
    assert [each.ahead for each in standings] == list(range(1, 33))
    asked = {
        name: after[f"cmdstat_{name}"]["calls"] - before[f"cmdstat_{name}"]["calls"]
        for name in ("time", "hmget")
        if f"cmdstat_{name}" in before
    }
    assert set(asked.values()) <= {0, 1}, asked
    assert line.figures().seq == int(line.client.hget(KEYS.tag, "seq")) == standings[-1].seq


@pytest.mark.parametrize("count", [0, 33])
def test_no_visitor_and_more_than_32_are_refused_whole(line: DeskUnderTest, count: int) -> None:
    batch = names(*(f"v{place}" for place in range(count)))
    script = desk.SCRIPTS["joins"]
    rows = ["\t".join(each.words()) for each in batch]
    reply = line.client.eval(script.text, len(KEYS.all), *KEYS.all, *rows)
    assert reply == ["malformed joins"]
    assert line.figures().joined == 0
    with pytest.raises(ValueError, match=f"1 to 32 visitors, not {count}"):
        desk.joins(SLUG, batch)


def test_what_the_desk_refuses_as_a_whole_reaches_every_visitor(line: DeskUnderTest) -> None:
    refused = line.run(desk.joins("nowhere", names("a", "b")))
    assert [each.answer for each in refused] == ["no such desk"] * 2


def test_a_list_comes_to_each_server(each_redis: RedisServer) -> None:
    with desk_on(each_redis.url) as bench:
        bench.create()
        bench.queue(1)
        bench.agent(7, 1, online=True)
        standings = bench.run(desk.joins(SLUG, names("a", "b", "a")))
        assert [each.answer for each in standings] == ["room", "waiting", "room"]
        assert bench.wrong() == []
