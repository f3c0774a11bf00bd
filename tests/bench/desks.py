"""Desks of a given size in a private Redis, and traffic on them as our processes send it."""

from dataclasses import dataclass, field
from typing import Any

import redis

from poolsite.hotpath import Command
from poolsite.hotpath.library import read_packed
from queueing.line import desk
from tests.bench.pools import library_words, words
from tests.bench.redis_cpu import CommandCost, measure_calls, send_pipelined

SLUG = "bench"
TAG = desk.DeskKeys(SLUG).tag
QUEUE = 1
FIRST_ARRIVAL_US = 1_700_000_000_000_000
DAY_SECONDS = 86_400  # how long a heartbeat is valid here: no traffic but what is measured


@dataclass
class Floor:
    """A desk whose agents all have a visitor, with a line behind them."""

    client: redis.Redis
    agents: int
    waiting: int
    rooms: dict[int, str] = field(default_factory=dict)  # agent → its visit
    come: int = 0

    def fill(self) -> "Floor":
        """Create the desk: every agent has one room and one visitor, the other visitors wait."""
        settings = desk.QueueSettings(ttl_seconds=DAY_SECONDS, max_length=10_000_000)
        commands: list[Command] = [desk.create(SLUG, 1), desk.queue_write(SLUG, QUEUE, settings)]
        serves = desk.AgentSettings(queues=[QUEUE], ttl_seconds=DAY_SECONDS)
        agents = range(1, self.agents + 1)
        commands += [desk.agent_write(SLUG, agent, serves) for agent in agents]
        self.rooms = {agent: visit(agent - 1) for agent in agents}
        self.come = self.agents + self.waiting
        there = [
            desk.Loaded(
                visit(number),
                QUEUE,
                5,
                FIRST_ARRIVAL_US + number,
                agent=number + 1 if number < self.agents else None,
            )
            for number in range(self.come)
        ]
        for start in range(0, self.come, desk.LOAD_LIMIT):
            commands.append(desk.load(SLUG, there[start : start + desk.LOAD_LIMIT]))
        self._send(commands)
        assert self.client.zcard(f"{TAG}:waiting") == self.waiting
        self.forget_history()
        return self

    def turns(self, count: int) -> CommandCost:
        """Do `count` turns: a visitor joins, an agent ends its room and gets the next visitor.

        Ending the room and the next match are one step.
        """
        agents = list(self.rooms)[:count]
        joins = self._joins(count)
        finishes = [desk.finish(SLUG, agent, self.rooms.pop(agent)) for agent in agents]
        commands: list[Command] = []
        for join, finish in zip(joins, finishes, strict=True):
            commands += [join, finish]
        cost, replies = self._measure(commands)
        assert all(reply[0] == "waiting" for reply in replies[0::2])
        for agent, reply in zip(agents, replies[1::2], strict=True):
            assert (reply[0], reply[3][0]) == ("ok", "r"), reply
            self.rooms[agent] = reply[3][1:]
        self.forget_history()
        return cost

    def joins(self, count: int, *, in_lists: bool) -> CommandCost:
        """Let `count` visitors join, singly or in lists of 32. Return the cost of each.

        Afterwards the visitors leave.
        """
        first = self.come
        self.come += count
        coming = [desk.Join(visit(number), QUEUE) for number in range(first, self.come)]
        if in_lists:
            size = desk.JOINS_LIMIT
            lists = [coming[start : start + size] for start in range(0, count, size)]
            commands: list[Command] = [desk.joins(SLUG, each) for each in lists]
        else:
            commands = [each.command(SLUG) for each in coming]
        cost = self._measure(commands)[0]
        self._send([desk.leave(SLUG, each.visit) for each in coming])
        self.forget_history()
        return cost.per(count)

    def forget_history(self) -> None:
        """Delete the history as if it were drained.

        Its sequence continues in the settings' hash.
        """
        self.client.delete(f"{TAG}:log")
        self.client.hset(TAG, "drained", self.client.hget(TAG, "seq"))

    def _measure(self, commands: list[Command]) -> tuple[CommandCost, list[list[str]]]:
        """Return what the commands cost as functions, and their replies."""
        sent = list(library_words(self.client, commands))
        packed: list[str] = []
        cost = measure_calls(
            self.client,
            lambda: packed.extend(send_pipelined(self.client, sent)),
            "fcall",
        )
        return cost, [read_packed(reply) for reply in packed]

    def words_of_a_join(self) -> tuple[object, ...]:
        """Return the keys and arguments of a join, for a no-op that receives the same amount."""
        command = desk.join(SLUG, visit(1), QUEUE)
        return (len(command.keys), *command.keys, *command.args)

    def _joins(self, count: int) -> list[Command]:
        first = self.come
        self.come += count
        return [desk.join(SLUG, visit(number), QUEUE) for number in range(first, self.come)]

    def _send(self, commands: list[Command]) -> list[list[str]]:
        found: Any = send_pipelined(self.client, words(self.client, commands))
        assert all(reply[0] in ("ok", "room", "waiting", "ended") for reply in found), found[0]
        return found


def visit(number: int) -> str:
    """Return a visit's ID of the usual length."""
    return f"Q7kd{number:08x}"


def bytes_per_waiting(client: redis.Redis, count: int) -> float:
    """Return Redis' bytes for each of `count` waiting visitors.

    The history is left out because it moves to SQL.
    """
    floor = Floor(client, 0, 0).fill()
    before = int(client.info("memory")["used_memory"])
    floor._send(floor._joins(count))
    floor.forget_history()
    assert client.zcard(f"{TAG}:waiting") == count
    return (int(client.info("memory")["used_memory"]) - before) / count
