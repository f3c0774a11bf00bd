"""Row 9: batches of 1 000 events by HTTP and by websocket, one server process (uvicorn).

Load: 60 batches, each 500 calls and their 500 hangups with every field that a switch sends, from
another process, two batches under way. Reference: the same commands by a redis-py pipeline of
1 000 in one process that reads the replies and does nothing else. Rounds alternate; medians are
compared. Left out: TLS, the network, a second web process.
"""

import json
import sys
import time
from statistics import median

import redis

from numbers.pool import Event, event
from tests.bench.batch_client import EVENTS
from tests.bench.hot_load import OURS, SLUG, site_with_pool
from tests.bench.result import Row, at_least
from tests.live.servers import Site, WebServer

ROUNDS = 5
BATCHES = 60
MARK = 0.5


def run() -> list[Row]:
    """Measure both ways and return a row for each."""
    with site_with_pool() as (site, token, client):
        server = WebServer(site, "uvicorn", OURS, extra=("--ws-max-size", "2000000")).start()
        rates: dict[str, list[float]] = {"http": [], "websocket": [], "pipeline": []}
        try:
            for how in ("http", "websocket"):
                _send(site, server, token, how, "warm", 5)
            for turn in range(ROUNDS):
                for how in ("http", "websocket"):
                    rates[how].append(_send(site, server, token, how, str(turn), BATCHES))
                rates["pipeline"].append(_pipeline(client, turn))
        finally:
            server.stop()
        _check_state(client)
    reference = median(rates["pipeline"])
    return [
        _row(letter, how, median(rates[how]), reference)
        for letter, how in (("a", "http"), ("b", "websocket"))
    ]


def _send(site: Site, server: WebServer, token: str, how: str, turn: str, count: int) -> float:
    printed = site.run(
        "tests/bench/batch_client.py",
        *(how, f"http://127.0.0.1:{server.port}", token, str(count), f"{how}-{turn}"),
    )
    done = json.loads(printed)
    if done["events"] != count * EVENTS:
        raise AssertionError(done)
    return float(done["events"]) / float(done["seconds"])


def _pipeline(client: redis.Redis, turn: int) -> float:
    """Send the same commands by redis-py alone."""
    batches = [_words(client, f"pipe-{turn}-{batch}") for batch in range(BATCHES)]
    start = time.perf_counter()
    for words in batches:
        pipeline = client.pipeline(transaction=False)
        for command in words:
            pipeline.execute_command(*command)
        pipeline.execute()
    return BATCHES * EVENTS / (time.perf_counter() - start)


def _words(client: redis.Redis, run: str) -> list[tuple[object, ...]]:
    ids = [f"{run}-{index}@fs-01" for index in range(EVENTS // 2)]
    who = {"switch": "fs-01", "incarnation": "boot-1"}
    calls = [
        Event.of("call", call_id=its, agent="agent 17", callee="+8613900001234", **who)
        for its in ids
    ]
    hangups = [Event.of("hangup", call_id=its, **who) for its in ids]
    commands = [event(SLUG, its) for its in [*calls, *hangups]]
    client.script_load(commands[0].script.text)
    return [command.evalsha() for command in commands]


def _check_state(client: redis.Redis) -> None:
    """Check that every call was carried and has ended."""
    carried, blocked = client.hmget("{" + SLUG + "}", "carried", "blocked")
    sent = (ROUNDS * 3 * BATCHES + 2 * 5) * EVENTS // 2
    if (int(carried), int(blocked)) != (sent, 0):
        raise AssertionError(f"carried {carried} of {sent}, blocked {blocked}")


def _row(letter: str, how: str, ours: float, reference: float) -> Row:
    ratio = ours / reference
    return Row(
        row=f"9{letter}",
        name=f"batches of 1 000 by {how}",
        ours=f"{ours:,.0f} events/s",
        reference=f"{reference:,.0f} events/s",
        ratio=ratio,
        mark=f">= {MARK}",
        verdict=at_least(MARK, ratio),
        notes=f"Python {sys.version_info.major}.{sys.version_info.minor}; uvicorn, one process; "
        "reference: redis-py pipeline of 1 000",
    )
