"""The result of a shard's turn of the persistence, and its fencing number."""

import os
import socket
import time
from dataclasses import dataclass, field

from billing.models import WriterRun
from billing.persistence.alarms import BookAlarms


@dataclass
class Turn:
    """The result of a shard's turn.

    lag_seconds: how long the oldest entry had waited when the turn came to it.
    lost: wallets that Redis lost, or that went back in time.
    """

    shard: int = 0
    shards: int = 1
    looked_at: int = 0
    accounts: int = 0
    entries: int = 0
    repeats: int = 0
    refused: int = 0
    faults: int = 0
    failed: int = 0
    left: int = 0
    lag_seconds: int = 0
    lost: dict[int, str] = field(default_factory=dict)
    alarms: BookAlarms = field(default_factory=BookAlarms)
    run: WriterRun | None = None
    begun: float = field(default_factory=time.monotonic)

    def fence(self) -> int:
        """Return this turn's fencing number. SQL assigns it when it is first needed."""
        if self.run is None:
            worker = f"{socket.gethostname()}:{os.getpid()}"
            self.run = WriterRun.objects.create(
                shard=self.shard, shards=self.shards, worker=worker[:120]
            )
        return self.run.pk

    def figures(self) -> dict[str, int]:
        """Return the figures for the system page and the metrics."""
        return {
            "looked_at": self.looked_at,
            "accounts": self.accounts,
            "entries": self.entries,
            "repeats": self.repeats,
            "refused": self.refused,
            "faults": self.faults,
            "failed": self.failed,
            "left": self.left,
            "lag_seconds": self.lag_seconds,
            "lost": len(self.lost),
        }

    @property
    def seconds(self) -> float:
        """How many seconds the turn has lasted."""
        return time.monotonic() - self.begun

    def note_lag(self, at_us: int) -> None:
        """Note that an entry of this time is about to be written."""
        self.lag_seconds = max(self.lag_seconds, int(time.time() - at_us / 1_000_000))
