"""The kinds of aggregates in which something happens at a certain time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from poolsite.hotpath import Command, HotPath

IDLE_SECONDS = 5.0


class Visited(Protocol):
    """The result of a visit.

    more: more is due already, so visit again at once.
    now_us: Redis' time at the visit.
    next_us: the earliest time, by Redis, at which something may be due. The aggregate is not
        visited before it, so it must include what may still begin after this visit.
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

    prefix: the beginning of the tags of its aggregates, before the slug: "gate." for "{gate.x}", or
        "" for tags without a dot.
    visit: returns the command that does a limited part of what is due at the aggregate with a slug.
        The command's result is None if the aggregate does not exist.
    idle_seconds: each aggregate is visited at least this often.
    """

    name: str
    prefix: str
    visit: Callable[[str], Command["Visited | None"]]
    idle_seconds: float = IDLE_SECONDS

    def slug_of(self, tag: str) -> str:
        """Return the slug in a tag of this kind."""
        return tag[1 + len(self.prefix) : -1]


Servers = Callable[[], Mapping[str, HotPath]]
_KINDS: dict[str, TimerKind] = {}
_SERVERS: dict[Servers, None] = {}


def register(kind: TimerKind) -> None:
    """Have the aggregates of a kind visited. Call this in AppConfig.ready()."""
    _KINDS[kind.prefix] = kind


def register_servers(servers: Servers) -> None:
    """Have the aggregates on more servers visited: their hot paths by name, never "".

    Call this in AppConfig.ready(). `servers` is called when the timers start.
    """
    _SERVERS[servers] = None


def further_servers() -> dict[str, HotPath]:
    """Return the hot paths of all registered additional servers, by name."""
    return {name: path for servers in _SERVERS for name, path in servers().items()}


def kinds() -> list[TimerKind]:
    """Return every registered kind."""
    return list(_KINDS.values())


def kind_of(tag: str) -> TimerKind | None:
    """Return the kind of "{gate.x}", or None for a key that is not a tag of a registered kind."""
    if not (tag.startswith("{") and tag.endswith("}")):
        return None
    before, dot, _ = tag[1:-1].partition(".")
    return _KINDS.get(before + dot if dot else "")
