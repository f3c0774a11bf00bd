"""Which kinds of aggregates have something that happens at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from poolsite.hotpath import Command, HotPath

IDLE_SECONDS = 5.0


class Visited(Protocol):
    """What a visit says.

    more: something else is due already; visit again at once. now_us: Redis' time at the visit.
    next_us: the earliest time, by Redis, at which something may be due; an aggregate is not
    visited before it, so it counts what may still begin after this visit.
    """

    @property
    def more(self) -> bool: ...

    @property
    def now_us(self) -> int: ...

    @property
    def next_us(self) -> int: ...


@dataclass(frozen=True)
class TimerKind:
    """One kind of aggregate.

    prefix: what the tags of its aggregates begin with, before the slug: "gate." for "{gate.x}";
    "" for tags without a dot. visit: the command that does what is due at one aggregate (by its
    slug), a bounded piece; it answers None when there is no such aggregate.
    idle_seconds: no aggregate is left alone for longer than this.
    """

    name: str
    prefix: str
    visit: Callable[[str], Command["Visited | None"]]
    idle_seconds: float = IDLE_SECONDS

    def slug_of(self, tag: str) -> str:
        """The slug in a tag of this kind."""
        return tag[1 + len(self.prefix) : -1]


Servers = Callable[[], Mapping[str, HotPath]]
_KINDS: dict[str, TimerKind] = {}
_SERVERS: dict[Servers, None] = {}


def register(kind: TimerKind) -> None:
    """Have the aggregates of a kind visited; called in AppConfig.ready()."""
    _KINDS[kind.prefix] = kind


def register_servers(servers: Servers) -> None:
    """Have the aggregates on further servers visited: their hot paths by name, never "".

    Called in AppConfig.ready(); `servers` is asked when the timers start.
    """
    _SERVERS[servers] = None


def further_servers() -> dict[str, HotPath]:
    """The hot paths of every registered further server, by name."""
    return {name: path for servers in _SERVERS for name, path in servers().items()}


def kinds() -> list[TimerKind]:
    """Every registered kind."""
    return list(_KINDS.values())


def kind_of(tag: str) -> TimerKind | None:
    """The kind of "{gate.x}"; None for a key that is no tag of a registered kind."""
    if not (tag.startswith("{") and tag.endswith("}")):
        return None
    before, dot, _ = tag[1:-1].partition(".")
    return _KINDS.get(before + dot if dot else "")
