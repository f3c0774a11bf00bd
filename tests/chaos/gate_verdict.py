"""The size of the gate's proof, and what must be true of its counts."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

LEAST_USE = 0.95
SPREAD = 0.2  # each task takes 0.8 to 1.2 times the mean


class BrokenProofError(AssertionError):
    """The claim that was to be proven is false."""


@dataclass(frozen=True)
class Size:
    """The size of the proof. A task takes `work_seconds` × (1 ± SPREAD), at least five periods."""

    devices: int
    cap: int
    period_seconds: int
    work_seconds: float
    permit_seconds: int
    margin_seconds: int
    kill_seconds: float

    def __post_init__(self) -> None:
        assert self.work_seconds * (1 - SPREAD) >= 5 * self.period_seconds
        assert self.work_seconds * (1 + SPREAD) < self.permit_seconds - self.margin_seconds
        assert self.devices >= 5 * self.cap, "so that three times the cap wait for long enough"


SMALL = Size(160, 24, 1, 6.25, 30, 2, 9.0)


def large(devices: int) -> Size:
    """Return the size for many devices: a fifth of them at once."""
    return Size(devices, devices // 5, 24, 150.0, 215, 10, 60.0)


@dataclass
class Verdict:
    """What was counted."""

    size: Size
    seconds: float = 0.0
    most: int = 0
    pieces: int = 0
    mean_external: float = 0.0
    use: float = 0.0
    samples: int = 0
    kills: int = 0
    devices: dict[str, Any] = field(default_factory=dict)
    sql: dict[str, Any] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)

    def check(self) -> None:
        """Raise BrokenProofError for the first condition that is not met."""
        size, batch = self.size, self.sql["batch"]
        problems = {
            f"the external system counted {self.most}, the cap is {size.cap}": self.most > size.cap,
            "no web process was killed": not self.kills,
            f"tasks by how often they ended: {self.sql['ends']}": (
                self.sql["ends"] != {"1": size.devices}
            ),
            f"tasks without an end: {batch}": batch["pending"] + batch["issued"] > 0,
            f"tasks do not add up: {batch}": (
                batch["done"] + batch["failed"] + batch["expired"] != size.devices
            ),
            f"left over in Redis: {self.left}": any(self.left.values()),
            f"only {self.pieces} pieces of work": self.pieces < batch["done"],
            f"{self.use:.1%} of the cap in use": self.use < LEAST_USE,
            f"only {self.samples} samples with enough waiting": self.samples < 5,
        }
        for problem, holds in problems.items():
            if holds:
                raise BrokenProofError(problem)


def mean_while_full(moves: Sequence[dict[str, Any]], size: Size) -> float:
    """Return the external system's own mean count while three times the cap were still to come."""
    began = 0
    area = since = 0.0
    for before, move in itertools.pairwise(moves):
        began += before["step"] == 1
        if began > size.cap and size.devices - began >= 3 * size.cap:
            area += before["count"] * (move["at"] - before["at"])
            since += move["at"] - before["at"]
    return area / since if since else 0.0
