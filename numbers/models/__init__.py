"""The pools in SQL: settings, numbers, switches, calls and every event."""

from numbers.health_reasons import Measure
from numbers.models.health import HealthMark, HealthSlot, NumberHealth, SpamLabel, Window
from numbers.models.health_rules import HealthAction, HealthRule
from numbers.models.imports import ImportPart, ImportRow, NumberImport
from numbers.models.numbers import Number, NumberTag, UnconfirmedNumber
from numbers.models.pools import NUMBER_LENGTH, AddedByScript, Pool, UnsentChange
from numbers.models.records import CallRecord, Direction, MinuteSample, PoolEvent
from numbers.models.switches import Switch, SwitchKind
from poolsite.hotpath.rows import SLUG_PATTERN

__all__ = [
    "NUMBER_LENGTH",
    "SLUG_PATTERN",
    "AddedByScript",
    "CallRecord",
    "Direction",
    "HealthAction",
    "HealthMark",
    "HealthRule",
    "HealthSlot",
    "ImportPart",
    "ImportRow",
    "Measure",
    "MinuteSample",
    "Number",
    "NumberHealth",
    "NumberImport",
    "NumberTag",
    "Pool",
    "PoolEvent",
    "SpamLabel",
    "Switch",
    "SwitchKind",
    "UnconfirmedNumber",
    "UnsentChange",
    "Window",
]
