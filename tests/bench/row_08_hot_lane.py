"""Row 8: one event per HTTP request on the hot lane, under uvicorn and under daphne.

Load: wrk, 1 thread, 32 connections, alternately `call` and `hangup` with call id, agent, callee,
switch and incarnation, on a pool of 2 000 numbers; token and validation on; one server process.
Reference: Starlette with orjson and one no-op EVALSHA, the same bodies, the same server. Rounds
of both alternate and the medians are compared. Left out: TLS, and the network.
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


def run() -> list[Row]:
    """Measure both servers; one row each, and one for their ratio."""
    if shutil.which("wrk") is None:
        raise RuntimeError("wrk is missing: apt-get install wrk")
    with site_with_pool() as (site, token, client):
        found = {kind: _measure(site, kind, token, client) for kind in ("uvicorn", "daphne")}
    rows = [_row(kind, *rates) for kind, rates in found.items()]
    ratio = found["uvicorn"][0] / found["daphne"][0]
    rows.append(
        Row(
            row="8c",
            name="hot lane, uvicorn against daphne",
            ours=f"{found['uvicorn'][0]:,.0f}/s",
            reference=f"{found['daphne'][0]:,.0f}/s",
            ratio=ratio,
            mark=f">= {UVICORN_TO_DAPHNE}",
            verdict=at_least(UVICORN_TO_DAPHNE, ratio),
        )
    )
    return rows


def _measure(site: Site, kind: str, token: str, client: redis.Redis) -> tuple[float, float]:
    """Ours and the reference, requests per second."""
    ours = WebServer(site, kind, OURS).start()
    reference = WebServer(site, kind, REFERENCE).start()
    rates: dict[str, list[float]] = {"ours": [], "reference": []}
    try:
        requests_per_second(ours, token, f"{kind}-warm", 1)
        requests_per_second(reference, token, "", 1)
        for turn in range(ROUNDS):
            rates["ours"].append(requests_per_second(ours, token, f"{kind}-{turn}", SECONDS))
            rates["reference"].append(requests_per_second(reference, token, "", SECONDS))
    finally:
        ours.stop()
        reference.stop()
    _check_state(client)
    return median(rates["ours"]), median(rates["reference"])


def _check_state(client: redis.Redis) -> None:
    """Nothing was lost: what was counted as carried stands in the history, none was blocked."""
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
