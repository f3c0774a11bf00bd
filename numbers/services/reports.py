"""The report of reconcile: where SQL and Redis differ."""

from collections.abc import Iterable
from dataclasses import dataclass, field

SAMPLES = 20

MISSING = "not in Redis"
EXTRA = "not in SQL"
QUARANTINE = "quarantine differs"
UNCONFIRMED = "not confirmed"
SETTINGS = "settings differ"
STATUS = "status differs"
CALL_UNKNOWN = "call not in SQL"
CALL_OVER = "call over in Redis"


@dataclass
class PoolReport:
    """The result of a comparison. `drift`: kind → how many; `samples`: kind → the first numbers.

    `foreign`: numbers here that SQL has in another pool → that pool; listed, but not drift.
    `status`: open, paused, recovering or lost. A lost pool is not compared.
    """

    pool: str
    status: str = "open"
    numbers: int = 0
    drift: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)
    foreign: dict[str, str] = field(default_factory=dict)
    mended: bool = False

    def add(self, kind: str, values: Iterable[str]) -> None:
        """Count differences of one kind."""
        for value in values:
            self.drift[kind] = self.drift.get(kind, 0) + 1
            names = self.samples.setdefault(kind, [])
            if len(names) < SAMPLES:
                names.append(value)

    def __len__(self) -> int:
        return sum(self.drift.values())

    @property
    def clean(self) -> bool:
        """Whether SQL and Redis agree."""
        return not self.drift and self.status != "lost"
