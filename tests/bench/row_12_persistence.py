"""Row 12: 100 000 dirty accounts to PostgreSQL.

Load: each account has had one message since its last batch: a hold, sent at once, and its report,
so two change entries, one message, one batch. Ours is the sweep's whole turn: the read of every
wallet, closing, SQL, trimming; with one worker process (one thread of it uses Redis, one SQL), and
with two that share the shards. Reference: the same rows of the same tables by COPY in one process,
and one UPDATE of the wallets from a COPYed table, one transaction with its foreign keys checked,
no Redis, rows ready in memory. PostgreSQL (fsync off) and Redis (AOF off) on this machine. The
books are audited afterwards. Also reported: the CPU of all processes per account, which other
work on the machine changes less than the time, and what the search for dirty accounts costs when
there are none.
Left out: fsync, the network, wallets on Redis servers of their own; of the reference the commit
itself, since it is rolled back.
"""

import os
from typing import Any

from tests.bench.result import Row, at_most
from tests.bench.sql_site import Servers, SqlSite, servers
from tests.bench.workers import Spent, run_together

ACCOUNTS = 100_000
WORKERS = 2
PROGRAM = "tests/bench/books_work.py"


def run() -> list[Row]:
    """Fill, then measure one worker, two workers, COPY, and the search alone."""
    pair = servers()
    site = pair.site("books")
    site.work("fill", str(ACCOUNTS), program=PROGRAM)
    site.work("dirty", "1", program=PROGRAM)
    _together(pair, site, 1)  # so that tables and caches have been used once
    site.work("dirty", "2", program=PROGRAM)
    one = _together(pair, site, 1)
    site.work("dirty", "3", program=PROGRAM)
    two = _together(pair, site, WORKERS)
    copied = site.work("copy", program=PROGRAM)
    idle = site.work("scan", program=PROGRAM)
    site.run("manage.py", "audit")
    assert copied["billing_journalentry"] == 2 * ACCOUNTS, copied
    assert copied["billing_message"] == copied["wallets"] == ACCOUNTS, copied
    look = f"the look alone, nothing dirty: {idle['seconds']:.2f} s"
    return [
        _row(f"{ACCOUNTS:,} dirty accounts persisted, one worker", one, copied, look),
        _row(f"the same, {WORKERS} workers by shards", two, copied, look),
    ]


def _row(name: str, ours: Spent, copied: dict[str, Any], look: str) -> Row:
    ratio = ours.seconds / copied["seconds"]
    each, its = (cpu * 1e6 / ACCOUNTS for cpu in (ours.cpu, copied["cpu"]))
    return Row(
        row="12",
        name=name,
        ours=f"{ours.seconds:.2f} s",
        reference=f"COPY {copied['seconds']:.2f} s",
        ratio=ratio,
        mark="≤ 2×",
        verdict=at_most(2.0, ratio),
        notes=f"CPU for an account {each:.0f} µs, COPY {its:.0f} µs; {look}",
        figures={
            "seconds": ours.seconds,
            "copy": copied["seconds"],
            "cpu_us": each,
            "copy_cpu_us": its,
            "load": os.getloadavg()[0],
        },
    )


def _together(pair: Servers, site: SqlSite, workers: int) -> Spent:
    """Run one turn of every shard, each in its own process."""
    spent, turns = run_together(pair, site, PROGRAM, "persist", workers)
    assert sum(turn["accounts"] for turn in turns) == ACCOUNTS, turns
    return spent
