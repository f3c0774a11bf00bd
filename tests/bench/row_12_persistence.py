"""Row 12: 100 000 dirty accounts to PostgreSQL.

Load: each account has had one message since its last batch: a hold, sent at once, and its report,
so two change entries, one message, one batch. Ours is the whole of the sweep's turn: the look at
every wallet, closing, SQL, trimming; with one worker process, and with two that share the shards.
Reference: the same rows of the same tables by COPY in one process, and one UPDATE of the wallets
from a COPYed table, one transaction, no Redis, rows ready in memory. PostgreSQL (fsync off) and
Redis (AOF off) on this machine. The books are audited afterwards. Told beside it: what the look
for dirty accounts costs when there are none. Left out: fsync, the network, and wallets on Redis
servers of their own.
"""

import json
import subprocess
import sys
from typing import Any

from tests.bench.result import Row, at_most
from tests.bench.sql_site import SqlSite, servers
from tests.live.servers import ROOT

ACCOUNTS = 100_000
WORKERS = 2
PROGRAM = "tests/bench/books_work.py"


def run() -> list[Row]:
    """Fill, then measure one worker, two workers, COPY, and the look alone."""
    site = servers().site("books")
    _work(site, "fill", str(ACCOUNTS))
    _work(site, "dirty", "1")
    _together(site, 1)  # tables and caches have been used once
    _work(site, "dirty", "2")
    one = _together(site, 1)
    _work(site, "dirty", "3")
    two = _together(site, WORKERS)
    copied = _work(site, "copy")
    idle = _work(site, "scan")
    site.run("manage.py", "audit")
    assert copied["billing_journalentry"] == 2 * ACCOUNTS, copied
    assert copied["billing_message"] == copied["wallets"] == ACCOUNTS, copied
    look = f"the look alone, nothing dirty: {idle['seconds']:.2f} s"
    return [
        _row(f"{ACCOUNTS:,} dirty accounts persisted, one worker", one, copied, look),
        _row(f"the same, {WORKERS} workers by shards", two, copied, look),
    ]


def _row(name: str, seconds: float, copied: dict[str, Any], notes: str) -> Row:
    ratio = seconds / copied["seconds"]
    return Row(
        row="12",
        name=name,
        ours=f"{seconds:.2f} s",
        reference=f"COPY {copied['seconds']:.2f} s",
        ratio=ratio,
        mark="≤ 2×",
        verdict=at_most(2.0, ratio),
        notes=notes,
        figures={"seconds": seconds, "copy": copied["seconds"]},
    )


def _work(site: SqlSite, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(site.run(PROGRAM, *arguments).splitlines()[-1])
    return found


def _together(site: SqlSite, workers: int) -> float:
    """Run one turn of every shard, each in a process; returns the seconds from first to last."""
    processes = [
        subprocess.Popen(
            [sys.executable, PROGRAM, "persist", str(shard), str(workers)],
            cwd=ROOT,
            env=site.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for shard in range(workers)
    ]
    done = []
    for process in processes:
        said, _ = process.communicate()
        assert process.returncode == 0
        done.append(json.loads(said.splitlines()[-1]))
    assert sum(turn["accounts"] for turn in done) == ACCOUNTS, done
    begun = min(turn["begun"] for turn in done)
    return float(max(turn["begun"] + turn["seconds"] for turn in done) - begun)
