"""A gate's settings, and the fixed columns in which the scripts read them."""

from dataclasses import dataclass
from typing import Any, Final

CAP_LIMIT: Final = 1_000_000
RATE_LIMIT: Final = 10_000
DAY_SECONDS: Final = 86_400

# Name, width: columns 6 to 56 of `conf`, after status, fair, rate, adaptive and "|".
_COLUMNS: Final = (
    ("cap", 7),
    ("permit_seconds", 6),
    ("margin_seconds", 5),
    ("longest_seconds", 7),
    ("attempts", 2),
    ("period_seconds", 5),
    ("look_ahead", 4),
    ("rate_per_second", 5),
    ("log_limit", 10),
)


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What an operator sets. The names are those of `queueing.admission.models.Gate`.

    `adaptive`: whether the cap changes automatically, that is, it is switched on and not pinned.
    """

    cap: int = 60
    permit_seconds: int = 300
    margin_seconds: int = 10
    longest_seconds: int = 3_600
    attempts: int = 3
    period_seconds: int = 60
    fair: bool = True
    look_ahead: int = 2
    rate_per_second: int = 0
    adaptive: bool = False
    adaptive_min: int = 1
    adaptive_max: int = 60
    adaptive_step: int = 1
    adaptive_down_percent: int = 70
    adaptive_error_percent: int = 10
    adaptive_latency_ms: int = 0
    adaptive_interval_seconds: int = 10
    log_limit: int = 1_000_000

    def columns(self) -> str:
        """Return columns 2 to 56 of `conf`. Raise ValueError if a value is out of range."""
        cells = []
        for name, width in _COLUMNS:
            value = int(getattr(self, name))
            if value < 0 or len(str(value)) > width:
                raise ValueError(f"{name}: {value} is out of range")
            cells.append(f"{value:0{width}d}")
        self._check()
        return f"{self.fair:d}{bool(self.rate_per_second):d}{self.adaptive:d}|{''.join(cells)}"

    def _check(self) -> None:
        if not 1 <= self.cap <= CAP_LIMIT:
            raise ValueError(f"cap: {self.cap} is not between 1 and {CAP_LIMIT}")
        if not 0 <= self.rate_per_second <= RATE_LIMIT:
            raise ValueError(f"rate_per_second: at most {RATE_LIMIT}")
        if self.permit_seconds <= self.margin_seconds:
            raise ValueError("margin_seconds: must be shorter than a permit")
        if self.longest_seconds < self.permit_seconds:
            raise ValueError("longest_seconds: must not be shorter than a permit")
        if not (self.attempts and self.period_seconds and self.look_ahead and self.log_limit):
            raise ValueError("attempts, period_seconds, look_ahead, log_limit: 1 at least")
        if not 1 <= self.adaptive_min <= self.adaptive_max <= CAP_LIMIT:
            raise ValueError("adaptive_min: between 1 and adaptive_max")

    def adapt(self) -> str:
        """Return the adaptive cap's settings as the scripts read them."""
        return " ".join(
            str(value)
            for value in (
                *(self.adaptive_min, self.adaptive_max, self.adaptive_step),
                *(self.adaptive_down_percent, self.adaptive_error_percent),
                *(self.adaptive_latency_ms, self.adaptive_interval_seconds),
            )
        )

    @classmethod
    def from_redis(cls, conf: str, adapt: str) -> "GateSettings":
        """Parse the settings in Redis. `cap` is the current one."""
        values: dict[str, Any] = {}
        place = 5
        for name, width in _COLUMNS:
            values[name] = int(conf[place : place + width])
            place += width
        names = ("min", "max", "step", "down_percent", "error_percent", "latency_ms")
        columns = adapt.split()
        for name, column in zip((*names, "interval_seconds"), columns, strict=False):
            values[f"adaptive_{name}"] = int(column)
        return cls(fair=conf[1] == "1", adaptive=conf[3] == "1", **values)
