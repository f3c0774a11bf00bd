"""A clock for Lua scripts that tests set: see test_prelude.lua."""

from dataclasses import dataclass
from pathlib import Path

import redis

TEST_PRELUDE = Path(__file__).parent / "test_prelude.lua"
KEY = "test:clock"


@dataclass
class ScriptClock:
    """The time that scripts read while the fixture `test_clock` is in use."""

    client: redis.Redis
    now_us: int = 1_700_000_000_000_000

    def __post_init__(self) -> None:
        self.set(self.now_us)

    def set(self, now_us: int) -> None:
        self.now_us = now_us
        self.client.set(KEY, now_us)

    def advance(self, seconds: float) -> int:
        """Move the clock forward (negative: back) and return the new time in µs."""
        self.set(self.now_us + round(seconds * 1_000_000))
        return self.now_us
