"""Row 17: a pool of 1 000 000 rebuilt from SQL, and 100 000 rows imported from CSV.

Load: one worker process each, PostgreSQL (fsync off) and Redis (AOF off) on the same machine.
The rebuild is the service that runs when Redis lost the pool: read by keyset, loaded, reported
whole. The import is upload, preview and confirm. Reference: COPY of the same rows into the same
table with its indexes. Memory is the largest resident size (VmHWM) of each process, including
Redis. Left out: the browser's upload, and the switches' reports after a rebuild.
"""

import csv
import tempfile
from pathlib import Path

from tests.bench.machine import judged_here, machine_note
from tests.bench.result import Row
from tests.bench.sql_site import LARGE, sites

ROWS = 100_000
FIRST_IMPORTED = 15_000_000_000
LIMIT_SECONDS, LIMIT_MB = 60.0, 500.0


def run() -> list[Row]:
    """Measure the rebuild, then import into the small pool."""
    here = sites()
    rebuilt = here.large.work("rebuild", "large")
    with here.redis.client() as client:
        redis_mb = int(client.info("memory")["used_memory_peak"]) / 1e6
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        path = Path(folder) / "numbers.csv"
        _write(path)
        copied = here.small.work("copy", "small", str(path))
        imported = here.small.work("import", "small", str(path))
    assert rebuilt["numbers"] == LARGE
    assert imported["imported"] == ROWS
    return [
        _row(f"pool of {LARGE:,} rebuilt from SQL", rebuilt, "-", None, redis_mb),
        _row(
            f"import of {ROWS:,} rows from CSV",
            imported,
            f"COPY {copied['seconds']:.2f} s",
            imported["seconds"] / copied["seconds"],
            redis_mb,
        ),
    ]


def _row(
    name: str, done: dict[str, float], reference: str, ratio: float | None, redis_mb: float
) -> Row:
    within = done["seconds"] < LIMIT_SECONDS and done["peak_mb"] < LIMIT_MB and redis_mb < LIMIT_MB
    return Row(
        row="17",
        name=name,
        ours=f"{done['seconds']:.1f} s, {done['peak_mb']:.0f} MB",
        reference=reference,
        ratio=ratio,
        mark="< 60 s, < 500 MB each",
        verdict=judged_here(within),
        notes=f"Redis at its peak {redis_mb:.0f} MB with both pools; {machine_note()}",
        figures=dict(done) | {"redis_peak_mb": redis_mb},
    )


def _write(path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("number", "label"))
        writer.writerows((FIRST_IMPORTED + n, f"line {n}") for n in range(ROWS))
