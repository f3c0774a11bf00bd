"""What reconcile found: where SQL and Redis differ, in the words of its report."""

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
    """What was found. `drift`: kind → how many; `samples`: kind → the first numbers.

    `foreign`: numbers here that SQL has in another pool → that pool; listed, no drift.
    `status`: open, paused, recovering or lost; nothing is compared in the last two.
    """

    pool: str
    status: str = "open"
    numbers: int = 0
    drift: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)
    foreign: dict[str, str] = field(default_factory=dict)
    mended: bool = False

    def add(self, kind: str, values: Iterable[str]) -> None:
        """Count what differs in one way."""
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
