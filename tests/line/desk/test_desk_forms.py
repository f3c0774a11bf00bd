"""A desk's operations do the same as scripts and as functions of a library."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
import redis

from poolsite.hotpath import Command
from poolsite.hotpath.library import library_of, read_packed
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.support.clock import ScriptClock

Event = Callable[[str], Command[Any]]  # desk slug → command
STEPS = 160
QUEUES: dict[int, dict[str, Any]] = {
    1: {"skills_relax_seconds": 5},
    2: {"max_wait_seconds": 40, "max_length": 4, "overflow": 1},
    3: {"mode": "manual"},
    4: {"wrap_up_seconds": 10, "no_agent": "end", "no_agent_seconds": 20},
    5: {"mode": "offer", "misses_limit": 2, "agent_grace_seconds": 5, "offer_seconds": 4},
    6: {"mode": "offer", "no_agent": "overflow", "no_agent_seconds": 10, "overflow": 2},
}
AGENTS = {11: [1], 12: [1, 2], 13: [2, 3], 14: [1, 4], 15: [1, 5], 16: [2, 5, 6]}
SKILLS = ({}, {}, {}, {"tax": 2}, {"tax": 4, "law": 1})


class Twin:
    """One of two desks that get the same commands. It returns everything visible of it."""

    def __init__(self, client: Any, heard: Any, slug: str) -> None:
        self.client, self.heard, self.slug = client, heard, slug

    def run(self, command: Command[Any]) -> list[str]:
        """Return the reply of the script."""
        reply = self.client.eval(
            command.script.text, len(command.keys), *command.keys, *command.args
        )
        return [str(word) for word in reply]

    def state(self) -> dict[str, Any]:
        """Return every existing key, without the desk's own name."""
        keys = desk.DeskKeys(self.slug).all
        with self.client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.type(key)
            kinds = {
                key: kind for key, kind in zip(keys, pipe.execute(), strict=True) if kind != "none"
            }
            for key, kind in kinds.items():
                self._read(pipe, key, kind)
            values = pipe.execute()
        return {key.partition("}")[2]: value for key, value in zip(kinds, values, strict=True)}

    @staticmethod
    def _read(pipe: Any, key: str, kind: str) -> None:
        match kind:
            case "hash":
                pipe.hgetall(key)
            case "zset":
                pipe.zrange(key, 0, -1, withscores=True)
            case "stream":
                pipe.xrange(key)
            case _:
                raise AssertionError(f"{key} is a {kind}")

    def told(self) -> list[tuple[str, str]]:
        """Return what was published since the last call, without the other twin's messages."""
        self.client.publish("live:to:here", "so far")
        found = []
        for _ in range(1_000):
            message = self.heard.get_message(timeout=1)
            if message is not None and message["type"] == "pmessage":
                if message["channel"] == "live:to:here":
                    return found
                _, closing, wake = message["channel"].partition("}")
                found.append((wake if closing else message["channel"], message["data"]))
        raise AssertionError("what was published is not heard")


class LibraryTwin(Twin):
    """A twin whose operations run by the library, which gets only the tag."""

    def run(self, command: Command[Any]) -> list[str]:
        library = library_of(command.script)
        assert library is not None
        words = command.fcall(library.function(command.script), whole=False)
        try:
            reply = self.client.execute_command(*words)
        except redis.ResponseError as error:
            if "Function not found" not in str(error):
                raise
            self.client.function_load(library.text)
            reply = self.client.execute_command(*words)
        return read_packed(reply)


class Happening:
    """Random events. `visits`: all visitors so far; `records`: the agents' present records."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.visits: list[str] = []
        self.records: dict[int, str] = {}
        self.offered: list[tuple[int, str, int]] = []
        self.operations: list[tuple[str, str]] = []

    def settings(self) -> list[Event]:
        made: list[Event] = [lambda slug: desk.create(slug, 1)]
        made += [self._queue(queue, given) for queue, given in QUEUES.items()]
        return made + [self._agent(agent, AGENTS[agent]) for agent in AGENTS]

    def next(self) -> Event:
        agent, visit = self.chance.choice(list(AGENTS)), self._visit()
        kind = self.chance.choices(
            (self._visitor, self._agents_own, self._room, self._call, self._rare, self._look),
            (8, 5, 9, 3, 2, 3),
        )[0]
        return kind(agent, visit)

    def _visit(self) -> str:
        return self.chance.choice(self.visits[-8:]) if self.visits else "nobody"

    def _queue(self, queue: int, given: dict[str, Any]) -> Event:
        words = desk.QueueSettings(**given)
        return lambda slug: desk.queue_write(slug, queue, words)

    def _agent(self, agent: int, queues: list[int]) -> Event:
        capacity, skills = self.chance.randint(1, 3), self.chance.choice(SKILLS)
        serves = desk.AgentSettings(queues=queues, capacity=capacity, skills=skills)
        return lambda slug: desk.agent_write(slug, agent, serves)

    def _visitor(self, _agent: int, visit: str) -> Event:
        queue = self.chance.choice(list(QUEUES))
        match self.chance.choice("jjjjjjnbbbomf"):
            case "n":
                coming = [
                    desk.Join(
                        f"v{len(self.visits) + place}-w", queue, 5, self.chance.choice(SKILLS)
                    )
                    for place in range(3)
                ]
                self.visits += [each.visit for each in coming]
                coming += [coming[0], desk.Join(visit, queue), desk.Join("no visit", queue)]
                return lambda slug: desk.joins(slug, coming)
            case "j":
                name, skills = f"v{len(self.visits)}-w", self.chance.choice(SKILLS)
                priority = self.chance.choice([1, 5, 5, 5])
                arrived = self.chance.choice([None, None, None, 1_700_000_000_000_000])
                self.visits.append(name)
                return lambda slug: desk.join(
                    slug, name, queue, priority=priority, skills=skills, arrived_us=arrived
                )
            case "b":
                return lambda slug: desk.beat(slug, visit)
            case "o":
                return lambda slug: desk.leave(slug, visit, by="some body")
            case "m":
                return lambda slug: desk.transfer_to_queue(slug, visit, queue)
        return lambda slug: desk.transfer_to_queue(slug, visit, queue, priority=2, front=True)

    def _agents_own(self, agent: int, _visit: str) -> Event:
        match self.chance.choice("lllpqkbbrmm"):
            case "l":
                return lambda slug: desk.login(slug, agent)
            case "p":
                return lambda slug: desk.pause(slug, agent, "why not")
            case "q":
                return lambda slug: desk.logout(slug, agent)
            case "k":
                return lambda slug: desk.log_out_now(slug, agent, "supervisor")
            case "b":
                return lambda slug: desk.agent_beat(slug, agent)
            case "m":
                wraps = re.findall(r"\bw(\d+)", self.records.get(agent, "")) or ["1"]
                return lambda slug: desk.more_time(slug, agent, int(wraps[0]))
        return lambda slug: desk.ready(slug, agent)

    def _room(self, agent: int, visit: str) -> Event:
        match self.chance.choice("ttaacccddfffffff"):
            case "t":
                return lambda slug: desk.take(slug, agent, by="some body")
            case "a":
                return lambda slug: desk.transfer_to_agent(slug, visit, agent, by="some body")
            case "c" if self.offered:
                whose, offered, token = self.chance.choice(self.offered)
                return lambda slug: desk.accept(slug, whose, offered, str(token))
            case "d" if self.offered:
                whose, offered, token = self.chance.choice(self.offered)
                return lambda slug: desk.decline(slug, whose, offered, str(token))
        in_room = [
            (whose, one)
            for whose, record in self.records.items()
            for one in re.findall(r"\br([\w-]+)", record)
        ]
        whose, room = self.chance.choice(in_room) if in_room else (agent, visit)
        return lambda slug: desk.finish(slug, whose, room, by="somebody")

    def _call(self, _agent: int, visit: str) -> Event:
        in_room = [
            (whose, one)
            for whose, record in self.records.items()
            for one in re.findall(r"\br([\w-]+)", record)
        ]
        operation = ""
        if self.operations:
            visit, operation = self.chance.choice(self.operations)
        match self.chance.choice("aakkef"):
            case "a" if in_room:
                whose, room = self.chance.choice(in_room)
                return lambda slug: desk.call_ask(
                    slug, whose, room, "+4930123456", pool="pool", look_after_seconds=20
                )
            case "k":
                return lambda slug: desk.call_keep(
                    slug, visit, operation, number="+4930999", look_after_seconds=20
                )
            case "e":
                return lambda slug: desk.call_end(slug, visit, look_after_seconds=20)
        return lambda slug: desk.call_forget(slug, visit, operation)

    def _rare(self, agent: int, visit: str) -> Event:
        match self.chance.choice("saqxol"):
            case "a":
                return self._agent(agent, self.chance.sample(list(QUEUES), 2))
            case "q":
                queue = self.chance.choice(list(QUEUES))
                return self._queue(queue, {**QUEUES[queue], "is_open": self.chance.random() < 0.8})
            case "x":
                return lambda slug: desk.agent_remove(slug, agent)
            case "o":
                return lambda slug: desk.open_after(slug, 2, 5)
            case "l":
                there = desk.Loaded(f"{visit}l", 2, 5, 1_700_000_000_000_000, agent, {"tax": 2})
                self.visits.append(there.visit)
                return lambda slug: desk.load(slug, [there])
        return lambda slug: desk.sweep(slug, heard_since_ms=None, patience_seconds=1)

    def _look(self, agent: int, visit: str) -> Event:
        looks: list[Event] = [
            lambda slug: desk.place(slug, visit),
            lambda slug: desk.show(slug),
            lambda slug: desk.why(slug, visit),
            lambda slug: desk.agents(slug),
            lambda slug: desk.agent_state(slug, agent),
            lambda slug: desk.visits(slug, [visit, "nobody"]),
            lambda slug: desk.waiting(slug, 1),
            lambda slug: desk.calls_due(slug),
            lambda slug: desk.calls_of(slug, [visit]),
            *[
                lambda slug, what=what: desk.check(slug, what)
                for what in ("visits", "agents", "waiting", "ready", "free", "idle")
            ],
        ]
        return self.chance.choice(looks)

    def see(self, twin: Twin) -> None:
        """Read the present state, for the events to come."""
        keys = desk.DeskKeys(twin.slug)
        records = twin.client.hgetall(f"{keys.tag}:agents")
        self.records = {int(agent): record for agent, record in records.items()}
        visits = twin.client.hgetall(f"{keys.tag}:visits")
        read = [desk.reading.read_visit(*each) for each in visits.items()]
        self.offered = [
            (each.agent or 0, each.visit, int(each.token))
            for each in read
            if each.state == "offered"
        ]
        self.operations = [
            (name.removeprefix("call:"), record.split(" ")[1])
            for name, record in twin.client.hgetall(keys.tag).items()
            if name.startswith("call:")
        ]


@pytest.fixture
def twins(clean_redis: RedisServer, test_clock: ScriptClock) -> Iterator[tuple[Twin, Twin]]:
    with (
        closing(redis.Redis.from_url(clean_redis.url, decode_responses=True)) as client,
        closing(client.pubsub()) as heard,
    ):
        heard.psubscribe("live:to:*", "{line.*:wake")
        yield Twin(client, heard, "script"), LibraryTwin(client, heard, "function")


@pytest.mark.parametrize("seed", range(12))
def test_both_forms_do_the_same(
    twins: tuple[Twin, Twin], test_clock: ScriptClock, seed: int
) -> None:
    happening = Happening(seed)
    chance = happening.chance
    settings = happening.settings()
    for step in range(len(settings) + STEPS):
        does = settings[step] if step < len(settings) else happening.next()
        if step == len(settings) + STEPS // 2 and seed % 4 == 0:  # the data is lost
            does = lambda slug: desk.recover(slug, 2)  # noqa: E731
        happens_to_both(twins, does, (seed, step))
        if chance.random() < 0.25:
            happens_to_both(twins, desk.sweep, (seed, step))
        happening.see(twins[0])
        test_clock.advance(chance.choice([0, 0.001, 0.3, 1, 5, 20]))
        if step % 50 == 49:
            test_clock.advance(chance.choice([-300, 300]))


def happens_to_both(twins: tuple[Twin, Twin], does: Event, when: tuple[int, int]) -> None:
    """Check that both give the same replies, data and messages."""
    title = does("x").script.title
    replies, states, heard = zip(
        *((twin.run(does(twin.slug)), twin.state(), twin.told()) for twin in twins), strict=True
    )
    assert replies[0] == replies[1], (title, when)
    assert states[0] == states[1], (title, when)
    assert heard[0] == heard[1], (title, when)
