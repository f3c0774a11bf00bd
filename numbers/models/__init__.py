"""What SQL remembers of the pools: settings, numbers, switches, calls and every event."""

from numbers.models.pools import (
    NUMBER_LENGTH,
    SLUG_PATTERN,
    Number,
    NumberTag,
    Pool,
    Switch,
    UnsentChange,
)
from numbers.models.records import CallRecord, Direction, MinuteSample, PoolEvent

__all__ = [
    "NUMBER_LENGTH",
    "SLUG_PATTERN",
    "CallRecord",
    "Direction",
    "MinuteSample",
    "Number",
    "NumberTag",
    "Pool",
    "PoolEvent",
    "Switch",
    "UnsentChange",
]
