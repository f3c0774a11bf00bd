"""A pool's settings, and the fixed columns in which the scripts read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from poolsite.moments import midnights

DAYS_AHEAD: Final = 14

# Name, width, factor: columns 6 to 103 of `conf`, after status, near, charged, special and "|".
_COLUMNS: Final = (
    ("lease_seconds", 10, 1000),
    ("suspect_seconds", 10, 1000),
    ("switch_interval_seconds", 10, 1000),
    ("cooldown_seconds", 10, 1000),
    ("restart_rest_seconds", 10, 1000),
    ("daily_cap", 6, 1),
    ("sticky_seconds", 8, 1),
    ("callback_window_seconds", 8, 1),
    ("waiters_limit", 6, 1),
)

AddedByScript = Literal["lend", "confirm", "refuse"]


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """The settings that an operator makes. Their names are those of `numbers.models.Pool`.

    `added_by_script`: what happens to a number that the event `add` adds. `media`: the names of the
    switches whose restart ends their calls. The calls of other switches continue.
    """

    lease_seconds: int = 14_400
    suspect_seconds: int = 3_600
    switch_interval_seconds: int = 30
    cooldown_seconds: int = 0
    restart_rest_seconds: int = 30
    daily_cap: int = 0
    sticky_seconds: int = 0
    near: bool = False
    callback_window_seconds: int = 86_400
    waiters_limit: int = 1_000
    charged: bool = False
    log_limit: int = 1_000_000
    zone: str = "UTC"
    added_by_script: AddedByScript = "lend"
    media: tuple[str, ...] = ()

    def midnights(self, now: datetime | None = None) -> list[int]:
        """Return the coming midnights of the zone, in seconds since 1970, soonest first."""
        return midnights(self.zone, DAYS_AHEAD, now)

    def columns(self, now: datetime | None = None) -> str:
        """Return columns 2 to 103 of `conf`. Raise ValueError if a number is out of range."""
        cells = []
        for name, width, factor in _COLUMNS:
            value = int(getattr(self, name)) * factor
            if value < 0 or len(str(value)) > width:
                raise ValueError(f"{name}: {getattr(self, name)} is out of range")
            cells.append(f"{value:0{width}d}")
        if not 1 <= self.log_limit < 10**10:
            raise ValueError(f"log_limit: {self.log_limit} is out of range")
        cells += [f"{self.midnights(now)[0]:010d}", f"{self.log_limit:010d}"]
        return f"{self.near:d}{self.charged:d}0|{''.join(cells)}"

    def beside(self) -> tuple[str, str]:
        """Return the settings stored outside the columns: the rule for adds, and `media`."""
        return self.added_by_script, "\t".join(sorted(self.media))

    @classmethod
    def from_conf(
        cls, conf: str, added_by_script: AddedByScript = "lend", media: str = ""
    ) -> "PoolSettings":
        """Return the settings that Redis has (without the zone)."""
        values: dict[str, Any] = {}
        place = 5
        for name, width, factor in _COLUMNS:
            values[name] = int(conf[place : place + width]) // factor
            place += width
        return cls(
            **values,
            near=conf[1] == "1",
            charged=conf[2] == "1",
            log_limit=int(conf[place + 10 : place + 20]),
            added_by_script=added_by_script,
            media=tuple(filter(None, media.split("\t"))),
        )
