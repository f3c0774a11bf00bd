"""How long holders and devices waited for their permits, as counts per bucket."""

from dataclasses import dataclass
from typing import Final

PERCENTILES: Final = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits from the first request to the permit. Without a line, nothing is counted.

    `bounds_ms`: the upper bound of each bucket except the last. `recent`: counts of the last 15
    minutes. `total`, `total_us`: since the gate's data began.
    """

    bounds_ms: tuple[int, ...]
    recent: tuple[int, ...]
    total: tuple[int, ...]
    total_us: int

    def percentile(self, percent: int) -> float | None:
        """Return the seconds within which `percent` % of recent waits ended, or None without any.

        Waits are assumed to be evenly spread within a bucket. In the last bucket, its lower bound
        is used.
        """
        wanted = sum(self.recent) * percent / 100
        if not wanted:
            return None
        before, low = 0, 0
        for count, high in zip(self.recent, self.bounds_ms, strict=False):
            if count and before + count >= wanted:
                return round((low + (high - low) * (wanted - before) / count) / 1_000, 1)
            before, low = before + count, high
        return low / 1_000

    def percentiles(self) -> dict[str, float | None]:
        """Return p50, p95 and p99 of the recent waits, in seconds."""
        return {f"p{percent}": self.percentile(percent) for percent in PERCENTILES}


def read_waits(bounds_ms: str, recent: str, total: str, total_us: str) -> Waits:
    """Parse the values of a reply."""
    return Waits(
        tuple(map(int, bounds_ms.split())),
        tuple(map(int, recent.split())),
        tuple(map(int, total.split())),
        int(total_us),
    )
