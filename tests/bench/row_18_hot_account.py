"""Row 18: p99 of cold accounts while one hot account takes 90 %.

Load: 500 holds a second on 200 cold accounts in turn, one at a time, from one process; the hot
account gets 4 500 a second from another process, nine in one write; Redis with AOF everysec.
Reference: only the cold load. Three rounds of each, in turns; the middle one counts. Measured is a
write's round trip as the cold process sees it, so on a machine with few cores it includes the hot
client's own CPU. At the end every hold of every account is valid. Left out: HTTP, persistence.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from poolsite.runtime.redis_server import RedisServer
from tests.bench.result import Row, at_most
from tests.bench.wallets import MONEY, QUOTE, figures, open_wallet

ROOT = Path(__file__).resolve().parents[2]
COLD = [f"cold-{place}" for place in range(200)]
HOT = "hot"
COLD_PER_SECOND, HOT_IN_ONE_WRITE = 500, 9
SECONDS, ROUNDS = 8, 3
START_SECONDS = 6.0  # until both processes have their commands ready


def run() -> list[Row]:
    """Measure with and without the hot account, in turn."""
    rounds: dict[bool, list[list[float]]] = {True: [], False: []}
    hot_holds = 0
    for _ in range(ROUNDS):
        for with_hot in (False, True):
            latencies, hot = _round(with_hot=with_hot)
            rounds[with_hot].append(latencies)
            hot_holds += hot
    p99 = {hot: statistics.median(map(_p99, parts)) for hot, parts in rounds.items()}
    p50 = {hot: statistics.median(map(statistics.median, parts)) for hot, parts in rounds.items()}
    share = hot_holds / (hot_holds + ROUNDS * SECONDS * COLD_PER_SECOND)
    ratio = p99[True] / p99[False]
    return [
        Row(
            row="18",
            name=f"p99 of cold accounts while a hot one takes {share:.0%}",
            ours=f"{p99[True]:.2f} ms",
            reference=f"without it {p99[False]:.2f} ms",
            ratio=ratio,
            mark="≤ 1.5×",
            verdict=at_most(1.5, ratio),
            notes=f"median {p50[True]:.2f} and {p50[False]:.2f} ms; rounds "
            + ", ".join(
                f"{_p99(a):.2f}/{_p99(b):.2f}" for a, b in zip(*rounds.values(), strict=True)
            ),
        )
    ]


def _p99(latencies: list[float]) -> float:
    return statistics.quantiles(latencies, n=100)[-1]


def _round(*, with_hot: bool) -> tuple[list[float], int]:
    """Return the cold writes' latencies, and how many holds the hot account got."""
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        server = RedisServer(folder=Path(folder), append_only=True).start()
        try:
            with server.client() as client:
                for slug in (*COLD, HOT):
                    open_wallet(client, slug)
                begin = time.time() + START_SECONDS
                loads = [_start(server.url, COLD, 1, begin, seed=1)]
                if with_hot:
                    loads.append(_start(server.url, [HOT], HOT_IN_ONE_WRITE, begin, seed=2))
                told: list[dict[str, Any]] = [json.loads(load.communicate()[0]) for load in loads]
                assert all(load.returncode == 0 for load in loads)
                assert all(each["refused"] == 0 for each in told)
                for slug in (*COLD, HOT):
                    now = figures(client, slug)
                    assert now["held"] == now["seq"] * QUOTE.quoted
                    assert now["bal"] == MONEY - now["held"]
                cold = sum(figures(client, slug)["seq"] for slug in COLD)
                assert cold == told[0]["holds"]
        finally:
            server.stop()
    return told[0]["ms"], told[1]["holds"] if with_hot else 0


def _start(url: str, slugs: list[str], size: int, begin: float, seed: int) -> subprocess.Popen[str]:
    arguments = (url, ",".join(slugs), COLD_PER_SECOND, size, SECONDS, begin, seed)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bench.hold_load", *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
