"""Worker processes that each run one shard's turn at the same time, and what that took."""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from tests.bench.sql_site import Servers, SqlSite
from tests.live.servers import ROOT
from tests.support.processes import cpu_seconds


@dataclass(frozen=True)
class Spent:
    """Wall-clock seconds, and CPU seconds of the workers, of Redis and of PostgreSQL."""

    seconds: float
    workers: float
    redis: float
    sql: float

    @property
    def cpu(self) -> float:
        """Return the CPU seconds of all together."""
        return self.workers + self.redis + self.sql


def run_together(
    pair: Servers, site: SqlSite, program: str, step: str, shards: int
) -> tuple[Spent, list[dict[str, Any]]]:
    """Run `program step <shard> <shards>` for every shard at once.

    Return what it took, from the first start to the last end, and what each has printed last.
    Each prints a JSON object with `begun` (seconds since 1970), `seconds` and `cpu` of its turn.
    """
    assert pair.redis.process
    assert pair.postgres.process
    redis, sql = pair.redis.process.pid, pair.postgres.process.pid
    before = cpu_seconds(redis), cpu_seconds(sql)
    processes = [
        subprocess.Popen(
            [sys.executable, program, step, str(shard), str(shards)],
            cwd=ROOT,
            env=site.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for shard in range(shards)
    ]
    turns: list[dict[str, Any]] = []
    for process in processes:
        said, _ = process.communicate()
        assert process.returncode == 0
        turns.append(json.loads(said.splitlines()[-1]))
    begun = min(turn["begun"] for turn in turns)
    seconds = max(turn["begun"] + turn["seconds"] for turn in turns) - begun
    used = cpu_seconds(redis) - before[0], cpu_seconds(sql) - before[1]
    return Spent(seconds, sum(turn["cpu"] for turn in turns), *used), turns
