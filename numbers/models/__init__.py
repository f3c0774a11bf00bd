"""What SQL remembers of the pools: settings, numbers, switches, calls and every event."""

from numbers.models.imports import ImportPart, ImportRow, NumberImport
from numbers.models.pools import (
    NUMBER_LENGTH,
    Number,
    NumberTag,
    Pool,
    Switch,
    UnsentChange,
)
from numbers.models.records import CallRecord, Direction, MinuteSample, PoolEvent
from poolsite.hotpath.rows import SLUG_PATTERN

__all__ = [
    "NUMBER_LENGTH",
    "SLUG_PATTERN",
    "CallRecord",
    "Direction",
    "ImportPart",
    "ImportRow",
    "MinuteSample",
    "Number",
    "NumberImport",
    "NumberTag",
    "Pool",
    "PoolEvent",
    "Switch",
    "UnsentChange",
]
