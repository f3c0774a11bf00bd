"""A group's settings, and the fixed columns in which the scripts read them."""

from dataclasses import dataclass
from typing import Any, Final

SHARINGS: Final = {"least": "l", "turn": "t", "key": "k"}
WEIGHT_LIMIT: Final = 32
CAPACITY_LIMIT: Final = 1_000_000

# Name, width, minimum, maximum: columns 4 to 79 of `conf`, after status, sharing and "|".
COLUMNS: Final = (
    ("heartbeat_seconds", 4, 1, 3_600),
    ("missed_limit", 2, 1, 99),
    ("disconnect_seconds", 5, 1, 86_400),
    ("route_limit_seconds", 8, 1, 31_536_000),
    ("timed_route_seconds", 7, 1, 2_592_000),
    ("out_limit", 5, 1, 10_000),
    ("ends_limit", 6, 1, 20_000),
    ("log_limit", 10, 1, 9_999_999_999),
    ("start_retries", 1, 0, 9),
    ("answer_seconds", 4, 1, 3_600),
    ("failure_threshold_percent", 3, 0, 100),
    ("failure_minimum_sessions", 5, 1, 10_000),
    ("failure_window_seconds", 4, 1, 3_600),
    ("ejection_seconds", 5, 1, 86_400),
    ("max_ejection_percent", 3, 1, 100),
    ("slow_start_seconds", 4, 0, 3_600),
)
OLD_LENGTH: Final = 50  # the length of `conf` as written by an earlier release
LACKING: Final = "00010000000200030000300500000"  # modules/settings.lua has the same text


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """What an operator sets. The names are those of `queueing.dispatch.models.Group`.

    After `missed_limit` intervals of `heartbeat_seconds` without a frame a peer is pending, and
    `disconnect_seconds` later it is stopped. `sharing`: least (sessions by weight), turn (round
    robin by weight), key (consistent hashing). An untimed route lasts at most
    `route_limit_seconds`, a timed one `timed_route_seconds` unless its start sets another time.
    `out_limit`: frames that a peer may leave unacknowledged; `ends_limit`: session ends in addition
    to those, and the dispatcher's own frames.

    `start_retries`: how many more instances are offered a start that was not accepted. An instance
    is ejected if it had at least `failure_minimum_sessions` within `failure_window_seconds` and
    `failure_threshold_percent` of them failed (0: never). A session without an answer within
    `answer_seconds` has failed. An ejection lasts `ejection_seconds` times the number of ejections,
    and applies to at most `max_ejection_percent` of the instances. `slow_start_seconds`: how long
    the share of an instance grows (0: off).
    """

    heartbeat_seconds: int = 5
    missed_limit: int = 3
    disconnect_seconds: int = 60
    sharing: str = "least"
    route_limit_seconds: int = 86_400
    timed_route_seconds: int = 300
    out_limit: int = 1_000
    ends_limit: int = 10_000
    log_limit: int = 1_000_000
    start_retries: int = 2
    answer_seconds: int = 10
    failure_threshold_percent: int = 0
    failure_minimum_sessions: int = 20
    failure_window_seconds: int = 30
    ejection_seconds: int = 30
    max_ejection_percent: int = 50
    slow_start_seconds: int = 0

    def columns(self) -> str:
        """Return columns 2 to 79 of `conf`. Raise ValueError that names an invalid setting."""
        if self.sharing not in SHARINGS:
            raise ValueError(f"sharing: one of {', '.join(SHARINGS)}")
        cells = []
        for name, width, least, most in COLUMNS:
            value = int(getattr(self, name))
            if not least <= value <= most:
                raise ValueError(f"{name}: {value} is not between {least} and {most}")
            cells.append(f"{value:0{width}d}")
        return f"{SHARINGS[self.sharing]}|{''.join(cells)}"

    @classmethod
    def from_redis(cls, conf: str) -> "GroupSettings":
        """Parse the settings in Redis."""
        conf = conf + LACKING if len(conf) == OLD_LENGTH else conf
        values: dict[str, Any] = {}
        place = 3
        for name, width, _, _ in COLUMNS:
            values[name] = int(conf[place : place + width])
            place += width
        letters = {letter: word for word, letter in SHARINGS.items()}
        return cls(sharing=letters[conf[1]], **values)
