"""Where a script has a path written out for plain desks, it does what its other path does."""

import random
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import redis

from poolsite.hotpath import Command, Script
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from tests.support.clock import ScriptClock

PLAIN = re.compile(r"^-- The path of most.*?^end$", re.MULTILINE | re.DOTALL)
WRITTEN_OUT = ("beat", "finish", "join")
STEPS = 120
QUEUES = {
    1: {},
    2: {"max_wait_seconds": 40, "max_length": 4, "overflow": 1},
    3: {"mode": "manual"},
    4: {"wrap_up_seconds": 10, "no_agent": "end", "no_agent_seconds": 20},
    5: {"mode": "offer"},
}
AGENTS = {11: [1], 12: [1, 2], 13: [2, 3], 14: [1, 4], 15: [1, 5], 16: [2]}


def other_path(script: Script) -> str:
    """The script's text without what is written out for plain desks."""
    text, cuts = PLAIN.subn("", script.text)
    assert cuts == (script.name in WRITTEN_OUT)
    return text


class Twin:
    """One of two desks to which the same happens; tells everything that can be seen of it."""

    def __init__(self, client: Any, heard: Any, slug: str, *, plain: bool) -> None:
        self.client, self.heard, self.slug, self.plain = client, heard, slug, plain

    def run(self, command: Command[Any]) -> Any:
        """The reply as Redis gave it."""
        text = command.script.text if self.plain else other_path(command.script)
        return self.client.eval(text, len(command.keys), *command.keys, *command.args)

    def state(self) -> dict[str, Any]:
        """Every key that there is, its own name left out."""
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
        """What was published since the last time; the other twin's is heard before."""
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


def events(chance: random.Random, visits: list[str], rooms: dict[int, list[str]]) -> Any:
    """One event, as a function of the desk's slug."""
    agent = chance.choice(list(AGENTS))
    visit = chance.choice(visits[-8:]) if visits else "nobody"
    queue = chance.choice(list(QUEUES))
    match chance.choice("jjjjjjbbflllppfffffffrtmao"):
        case "j":
            visits.append(f"v{len(visits)}-w")
            name, priority = visits[-1], chance.choice([1, 5, 5, 5])
            return lambda slug: desk.join(slug, name, queue, priority=priority)
        case "b":
            return lambda slug: desk.beat(slug, visit)
        case "l":
            return lambda slug: desk.login(slug, agent)
        case "p":
            return lambda slug: desk.pause(slug, agent, "why")
        case "r":
            return lambda slug: desk.ready(slug, agent)
        case "t":
            return lambda slug: desk.take(slug, agent)
        case "m":
            return lambda slug: desk.transfer_to_queue(slug, visit, queue)
        case "a":
            return lambda slug: desk.transfer_to_agent(slug, visit, agent)
        case "o":
            return lambda slug: desk.leave(slug, visit)
    busy = [one for one, mine in rooms.items() if mine]
    agent = chance.choice(busy) if busy else agent
    room = chance.choice(rooms[agent]) if busy else visit
    return lambda slug: desk.finish(slug, agent, room, by="somebody")


@pytest.fixture
def twins(clean_redis: RedisServer, test_clock: ScriptClock) -> Iterator[tuple[Twin, Twin]]:
    with (
        closing(redis.Redis.from_url(clean_redis.url, decode_responses=True)) as client,
        closing(client.pubsub()) as heard,
    ):
        heard.psubscribe("live:to:*", "{line.*:wake")
        yield (
            Twin(client, heard, "plain", plain=True),
            Twin(client, heard, "full", plain=False),
        )


@pytest.mark.parametrize("seed", range(12))
def test_both_paths_do_the_same(
    twins: tuple[Twin, Twin], test_clock: ScriptClock, seed: int
) -> None:
    chance = random.Random(seed)
    settings = [lambda slug: desk.create(slug, 1)]
    for queue, given in QUEUES.items():
        words = desk.QueueSettings(**given)  # type: ignore[arg-type]
        settings.append(lambda slug, queue=queue, words=words: desk.queue_write(slug, queue, words))
    for agent, queues in AGENTS.items():
        serves = desk.AgentSettings(queues=queues, capacity=1 + (agent + seed) % 3)
        settings.append(
            lambda slug, agent=agent, serves=serves: desk.agent_write(slug, agent, serves)
        )
    visits: list[str] = []
    rooms: dict[int, list[str]] = {}
    taken = dict.fromkeys(WRITTEN_OUT, 0)
    for step in range(len(settings) + STEPS):
        does = settings[step] if step < len(settings) else events(chance, visits, rooms)
        if step == len(settings) + STEPS // 2 and seed % 3 == 0:  # from here on with skills
            does = lambda slug: desk.join(slug, "skilled", 1, skills={"tax": 2})  # noqa: E731
        replies, states, heard = zip(
            *((twin.run(does(twin.slug)), twin.state(), twin.told()) for twin in twins), strict=True
        )
        assert replies[0] == replies[1], (seed, step)
        assert states[0] == states[1], (seed, step)
        assert heard[0] == heard[1], (seed, step)
        name = does("plain").script.name
        taken[name] = taken.get(name, 0) + (replies[0][0] in ("ok", "waiting", "room"))
        rooms = {
            agent: re.findall(
                r"\br([\w-]+)", twins[0].client.hget("{line.plain}:agents", agent) or ""
            )
            for agent in AGENTS
        }
        test_clock.advance(chance.choice([0, 0.001, 0.3, 1, 5]))
        if step % 50 == 49:
            test_clock.advance(chance.choice([-300, 300]))
        if chance.random() < 0.2:
            swept = [(twin.run(desk.sweep(twin.slug)), twin.state(), twin.told()) for twin in twins]
            assert swept[0] == swept[1], (seed, step)
    assert all(taken[name] for name in WRITTEN_OUT), taken
