"""Many processes on few numbers: no number twice at once, judged by the callers' own logs."""

import itertools
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from numbers import pool
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.pool_support import SLUG, pool_on

pytestmark = [pytest.mark.prove, pytest.mark.alone]

CALLS = int(os.environ.get("POOL_SOAK_CALLS", "4000"))
PROCESSES = 8
NUMBERS = [f"138{n:08d}" for n in range(50)]
CALLER = Path(__file__).with_name("pool_caller.py")


def test_no_number_is_in_two_calls_at_once(clean_redis: RedisServer) -> None:
    with pool_on(clean_redis.url) as bench:
        bench.create(sticky_seconds=60)
        bench.add(*NUMBERS)
        sha = bench.client.script_load(pool.SCRIPTS["event"].text)
        callers = [
            subprocess.Popen(
                [sys.executable, CALLER, clean_redis.url, sha, f"caller{n}", str(CALLS), str(n)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(PROCESSES)
        ]
        logs = [caller.communicate()[0] for caller in callers]
        assert [caller.returncode for caller in callers] == [0] * PROCESSES

        spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for line in itertools.chain.from_iterable(log.splitlines() for log in logs):
            number, begin, end = line.split()
            spans[number].append((int(begin), int(end)))
        for number, its in spans.items():
            its.sort()
            for before, after in itertools.pairwise(its):
                assert before[1] <= after[0], f"{number} was lent twice"

        had = sum(len(its) for its in spans.values())
        figures = bench.figures()
        assert had > CALLS
        assert figures.carried == had
        assert figures.carried + figures.blocked == PROCESSES * CALLS
        assert (figures.busy_up, figures.busy_down, figures.numbers) == (0, 0, 50)
        assert bench.problems() == []
        assert bench.run(pool.scan(SLUG, "timers")).numbers == ()
        calls = [change for change in bench.changes() if change.event in ("call", "hangup")]
        assert len(calls) == 2 * had
