"""A wallet's settings, and the fixed columns in which the scripts read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from billing.money import LIMIT
from poolsite.moments import midnights

DAYS_AHEAD: Final = 14
COLUMNS_WIDTH: Final = 75
FIRST_DAY: Final = "00001"  # the number of the day on which the data is created

# Name and width: columns 2 to 61 of `conf`; then the next midnight (10) and the day's number (5).
_COLUMNS: Final = (
    ("daily_limit", 16),
    ("log_limit", 10),
    ("unsent_message_seconds", 7),
    ("unsent_call_seconds", 7),
    ("report_seconds", 7),
    ("keep_seconds", 7),
    ("parked_limit", 6),
)


@dataclass(frozen=True, slots=True)
class WalletSettings:
    """The rules of a wallet, apart from its money. Amounts are in units of 1/10 000."""

    daily_limit: int = 0  # spending limit per day in the account's time zone; 0 = none
    log_limit: int = 1_000_000  # entries not in SQL at which new holds are refused
    unsent_message_seconds: int = 600
    unsent_call_seconds: int = 60
    report_seconds: int = 72 * 3600
    keep_seconds: int = 7 * 86_400  # final messages and receipts
    parked_limit: int = 10_000
    credit_limit: int = 0  # how far the balance may go below zero; not among the columns
    zone: str = "UTC"

    def midnights(self, now: datetime | None = None) -> list[int]:
        """Return the coming midnights of the time zone, in seconds since 1970, soonest first."""
        return midnights(self.zone, DAYS_AHEAD, now)

    def columns(self, now: datetime | None = None) -> str:
        """Return columns 2 to 76 of `conf`. Raise ValueError if a number is out of range."""
        cells = []
        for name, width in _COLUMNS:
            value = int(getattr(self, name))
            if value < 0 or len(str(value)) > width:
                raise ValueError(f"{name}: {value} is out of range")
            cells.append(f"{value:0{width}d}")
        if self.log_limit < 1:
            raise ValueError(f"log_limit: {self.log_limit} is out of range")
        if not 0 <= self.credit_limit < LIMIT:
            raise ValueError(f"credit_limit: {self.credit_limit} is out of range")
        cells += [f"{self.midnights(now)[0]:010d}", FIRST_DAY]
        return "".join(cells)

    @classmethod
    def from_conf(cls, conf: str, credit_limit: int = 0) -> "WalletSettings":
        """Return the settings stored in Redis, which do not include the time zone."""
        values: dict[str, Any] = {"credit_limit": credit_limit}
        place = 1
        for name, width in _COLUMNS:
            values[name] = int(conf[place : place + width])
            place += width
        return cls(**values)
