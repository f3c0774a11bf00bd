"""A dispatcher's group of a given size in a private Redis, filled by its own scripts."""

import redis

from poolsite.hotpath import Command
from queueing.dispatch import dispatcher
from tests.bench.pools import words
from tests.bench.redis_cpu import send_pipelined

SLUG = "bench"
TAG = dispatcher.GroupKeys(SLUG).tag
GENERATION = 1_600_000_000_000_000
BACKS = 20
FRONTS = 10
CHUNK = 500  # frames that a peer may leave unacknowledged while filling


def front(number: int) -> str:
    """Return a front-end's ID of the usual length."""
    return f"sip-{number:02d}"


def make(client: redis.Redis, capacity: int) -> list[str]:
    """Make the group with its peers. Return the keys of the instances."""
    settings = dispatcher.GroupSettings(
        out_limit=10_000, ends_limit=20_000, heartbeat_seconds=3_600
    )
    commands: list[Command] = [dispatcher.create(SLUG, GENERATION, settings)]
    commands += [
        dispatcher.register_front(SLUG, front(number), "BICC", "boot", "link", "web")
        for number in range(FRONTS)
    ]
    commands += [
        dispatcher.register_back(
            *(SLUG, f"b-{number:02d}", f"b-{number:02d}", "boot", f"as-{number:02d}"),
            *("1.0", capacity, 1, "link", "web"),
        )
        for number in range(BACKS)
    ]
    replies = send_pipelined(client, words(client, commands))
    assert all(reply[0] == "1" for reply in replies), replies
    return [str(reply[1]) for reply in replies[1 + FRONTS :]]


def begin(client: redis.Redis, backs: list[str], count: int) -> None:
    """Begin `count` sessions. The instances acknowledge them, so their outboxes are empty."""
    sent = dict.fromkeys(range(FRONTS), 0)
    for first in range(0, count, CHUNK):
        commands: list[Command] = []
        for place in range(first, min(first + CHUNK, count)):
            number = place % FRONTS
            sent[number] += 1
            peer = dispatcher.front(front(number))
            commands.append(
                dispatcher.start(SLUG, peer, "link", sent[number], f"{place:08d}", body="{}")
            )
        replies = send_pipelined(client, words(client, commands))
        assert all(reply[0] == "1" for reply in replies), replies[0]
        last = client.hmget(f"{TAG}:seqs", [f"o{back}" for back in backs])
        acks = [
            dispatcher.ack(SLUG, back, "link", int(seq or 0))
            for back, seq in zip(backs, last, strict=True)
        ]
        send_pipelined(client, words(client, acks))


def bytes_per_route(client: redis.Redis, count: int) -> float:
    """Return Redis' bytes for each of `count` open sessions.

    Acknowledged frames are already deleted.
    """
    client.flushall()
    backs = make(client, capacity=count)
    before = int(client.info("memory")["used_memory"])
    begin(client, backs, count)
    assert client.hlen(f"{TAG}:routes") == count
    assert client.hlen(f"{TAG}:out") == 0
    return (int(client.info("memory")["used_memory"]) - before) / count
