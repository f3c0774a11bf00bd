"""Row 8: one event per HTTP request on the hot lane, under uvicorn and under daphne.

Load: wrk, 1 thread, 32 connections, alternately `call` and `hangup` with call ID, agent, callee,
switch and incarnation, on a pool of 2 000 numbers; token and validation on; one server process.
Reference: Starlette with orjson and one no-op EVALSHA, the same bodies, the same server. Each
round runs all four, and the medians are compared. Left out: TLS, and the network.
"""

import shutil
from statistics import median

import redis

from tests.bench.hot_load import OURS, REFERENCE, SLUG, requests_per_second, site_with_pool
from tests.bench.result import Row, at_least
from tests.live.servers import Site, WebServer

ROUNDS = 5
SECONDS = 3.0
MARK = 0.6
UVICORN_TO_DAPHNE = 2.0
KINDS = ("uvicorn", "daphne")


def run() -> list[Row]:
    """Measure both servers. Return a row for each, and one for their ratio."""
    if shutil.which("wrk") is None:
        raise RuntimeError("wrk is missing: apt-get install wrk")
    with site_with_pool() as (site, token, client):
        rates = _measure(site, token)
        _check_state(client)
    rows = [_row(kind, rates[kind, OURS], rates[kind, REFERENCE]) for kind in KINDS]
    uvicorn, daphne = (rates[kind, OURS] for kind in KINDS)
    rows.append(
        Row(
            row="8c",
            name="hot lane, uvicorn against daphne",
            ours=f"{uvicorn:,.0f}/s",
            reference=f"{daphne:,.0f}/s",
            ratio=uvicorn / daphne,
            mark=f">= {UVICORN_TO_DAPHNE}",
            verdict=at_least(UVICORN_TO_DAPHNE, uvicorn / daphne),
        )
    )
    return rows


def _measure(site: Site, token: str) -> dict[tuple[str, str], float]:
    """Return the requests per second by server and application: medians of the rounds.

    Each round runs all four.
    """
    servers: dict[tuple[str, str], WebServer] = {}
    rates: dict[tuple[str, str], list[float]] = {}
    try:
        for kind in KINDS:
            for application in (OURS, REFERENCE):
                server = servers[kind, application] = WebServer(site, kind, application).start()
                requests_per_second(server, token, f"{kind}-warm", 1)
        for turn in range(ROUNDS):
            for which, server in servers.items():
                rate = requests_per_second(server, token, f"{which[0]}-{turn}", SECONDS)
                rates.setdefault(which, []).append(rate)
    finally:
        for server in servers.values():
            server.stop()
    return {which: median(found) for which, found in rates.items()}


def _check_state(client: redis.Redis) -> None:
    """Check that nothing was lost: the history has every carried call, and none was blocked."""
    carried, blocked, seq = client.hmget("{" + SLUG + "}", "carried", "blocked", "seq")
    if int(blocked) or not 0 < int(carried) < int(seq):
        raise AssertionError(f"carried {carried}, blocked {blocked}, seq {seq}")


def _row(kind: str, ours: float, reference: float) -> Row:
    ratio = ours / reference
    return Row(
        row="8a" if kind == "uvicorn" else "8b",
        name=f"one event per request, {kind}",
        ours=f"{ours:,.0f}/s",
        reference=f"{reference:,.0f}/s",
        ratio=ratio,
        mark=f">= {MARK}",
        verdict=at_least(MARK, ratio),
        notes="wrk 32 connections, token and validation on; reference: toolkit + no-op EVALSHA",
    )
