"""What must happen at a certain time: which aggregates are visited, when, and by whom.

An app registers a `TimerKind` for each kind of aggregate. The process `manage.py timers` visits
each aggregate when something is due. See docs/decisions/0025-timers-are-a-process.md.
"""

from poolsite.timers.agenda import Agenda
from poolsite.timers.clock import AWAY, ClockGuard, what_is_said
from poolsite.timers.hearing import WEB_KEPT_SECONDS, WEB_KEY, heard_since_ms, here
from poolsite.timers.registry import (
    TimerKind,
    further_servers,
    kind_of,
    kinds,
    register,
    register_servers,
)
from poolsite.timers.state import SHARDS
from poolsite.timers.state import read as read_state

__all__ = [
    "AWAY",
    "SHARDS",
    "WEB_KEPT_SECONDS",
    "WEB_KEY",
    "Agenda",
    "ClockGuard",
    "TimerKind",
    "further_servers",
    "heard_since_ms",
    "here",
    "kind_of",
    "kinds",
    "read_state",
    "register",
    "register_servers",
    "what_is_said",
]
