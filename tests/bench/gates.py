"""Gates of a given size in a private Redis, and traffic on them as plain EVALSHA arguments."""

import redis

from poolsite.hotpath import Command
from queueing.admission import gate
from tests.bench.pools import words
from tests.bench.redis_cpu import send_pipelined

SLUG = "bench"
TAG = gate.GateKeys(SLUG).tag
GENERATION = 1_600_000_000_000_000


def holder(index: int) -> str:
    """Return a holder's name of the length that a device's name usually has."""
    return f"tower-7-{index:08d}"


def fill(client: redis.Redis, holders: int, *, cap: int) -> list[int]:
    """Make the gate with `holders` permits held. Return their tokens."""
    settings = gate.GateSettings(cap=cap, permit_seconds=86_000, longest_seconds=86_400)
    commands: list[Command] = [gate.create(SLUG, GENERATION, settings)]
    commands += [gate.acquire(SLUG, holder(index)) for index in range(holders)]
    replies = send_pipelined(client, words(client, commands))
    assert all(reply[0] == "1" for reply in replies), replies[0]
    return [int(reply[1]) for reply in replies[1:]]


def bytes_per_permit(client: redis.Redis, count: int) -> float:
    """Return Redis' bytes for each of `count` permits, without the history, which moves to SQL."""
    client.flushall()
    settings = gate.GateSettings(cap=count, permit_seconds=86_000, longest_seconds=86_400)
    list(send_pipelined(client, words(client, [gate.create(SLUG, GENERATION, settings)])))
    before = int(client.info("memory")["used_memory"])
    commands = [gate.acquire(SLUG, holder(index)) for index in range(count)]
    send_pipelined(client, words(client, commands))
    client.delete(f"{TAG}:log")
    assert client.zcard(f"{TAG}:permits") == count
    return (int(client.info("memory")["used_memory"]) - before) / count
