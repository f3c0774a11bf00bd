"""What people can watch: topics, their snapshots and changes, and the registry of topics.

An address is `<name>:<key>`, for example `numbers.pool:retail-east`. The key comes from the
browser, so a topic checks it in `__init__` and raises ValueError if it is invalid.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

if TYPE_CHECKING:
    from poolsite.access import Decision, Principal

ADDRESS_LENGTH = 200
_VERSION_BITS = 52  # browsers count exactly up to 2^53
_TOPICS: dict[str, type["Topic"]] = {}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole state at a version. `data` is anything that JSON can represent."""

    version: int
    data: Any


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes from the requested version to `version`.

    data: None if the source moved on, but nothing that this topic shows has changed.

    before: parts that are sent ahead of `data` in frames of their own, if one frame would become
    too large. Applying a part twice must have the same result as applying it once.

    The same version with data: time alone has changed what is shown (see `due_seconds`).
    """

    version: int
    data: Any
    before: tuple[Any, ...] = ()


class Topic(ABC):
    """Something to watch. One instance serves all sockets of a process, so it may store state."""

    name: ClassVar[str] = ""
    beats: ClassVar[bool] = False  # whether `beat` is called while a socket watches
    period_seconds: ClassVar[float] = 0.2  # between two frames to its sockets; a multiple of 0.2
    waiting_frames: ClassVar[int] = 8  # for one socket; a snapshot replaces more
    safety_seconds: ClassVar[float] = 5.0  # a lost wake message is made up for after this time

    tag: str = ""  # the aggregate in Redis that it shows, for traces; "" for none or several

    def __init__(self, key: str) -> None:
        self.key = key

    @property
    def address(self) -> str:
        return f"{self.name}:{self.key}"

    @abstractmethod
    async def allowed(self, principal: "Principal") -> "Decision":
        """Return whether this principal may watch. Called for each subscription of each socket."""

    def asks_again(self, principal: "Principal") -> bool:
        """Whether `allowed` may change while this principal watches, without its rights changing.

        If so, `allowed` is called again with each sign of presence, every few seconds.
        """
        return False

    @abstractmethod
    async def snapshot(self) -> Snapshot:
        """Return the current state."""

    @abstractmethod
    async def changes(self, since: int) -> Changes | None:
        """Return the changes after version `since`, or None if they are not known (a gap)."""

    async def between(self, since: int, until: int) -> Changes | None:
        """Return the changes from `since` to exactly `until`, for a browser that comes back.

        With None (the default) it gets a snapshot instead, which is as good for a small state.
        """
        return None

    def due_seconds(self) -> float | None:
        """Return in how many seconds time alone will change the state, or None if it will not."""
        return None

    def wake_channels(self) -> list[str]:
        """Return the Redis channels whose messages mean that something may have changed."""
        return [touch_channel(self.address)]

    async def beat(self, principal: "Principal") -> bool:
        """Record that a watcher of a socket is present (only with `beats`).

        Return whether that is newer than the last read. The topic is then read.
        """
        return False

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        """Return the state after one change. The browser's function must do the same.

        By default, a change is the new state.
        """
        return change


class SnapshotTopic(Topic):
    """A topic whose state is small, or comes from SQL: each change is the new state.

    Subclasses implement `read()`. The version is a hash of its result.
    """

    @abstractmethod
    async def read(self) -> Any:
        """Return the current state, in types of JSON."""

    async def snapshot(self) -> Snapshot:
        data = await self.read()
        return Snapshot(version_of(data), data)

    async def changes(self, since: int) -> Changes | None:
        now = await self.snapshot()
        return Changes(now.version, None if now.version == since else now.data)


class StateTopic(Topic):
    """A topic whose state is small and whose source counts its versions: each change is the new
    state. Subclasses implement `look()`.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._last: Any = None

    @property
    def last(self) -> Any:
        """The state that was read last, or None before the first read."""
        return self._last

    @abstractmethod
    async def look(self) -> Snapshot:
        """Return the current state."""

    async def snapshot(self) -> Snapshot:
        now = await self.look()
        self._last = now.data
        return now

    async def changes(self, since: int) -> Changes | None:
        before = self._last
        now = await self.snapshot()
        return Changes(now.version, None if now.data == before else now.data)


class RowsTopic(SnapshotTopic):
    """A topic that is a table: `read()` returns {id: row}. A change has the rows that differ.

    State: {"rows": {id: row}}. Change: {"set": {id: row}, "gone": [id]}.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._last = Snapshot(-1, {"rows": {}})

    async def snapshot(self) -> Snapshot:
        data = {"rows": await self.read()}
        self._last = Snapshot(version_of(data), data)
        return self._last

    async def changes(self, since: int) -> Changes | None:
        before = self._last
        now = await self.snapshot()
        if now.version == since:
            return Changes(since, None)
        if before.version != since:
            return None
        old, new = before.data["rows"], now.data["rows"]
        changed = {key: row for key, row in new.items() if old.get(key) != row}
        return Changes(
            now.version, {"set": changed, "gone": [key for key in old if key not in new]}
        )

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        rows = {key: row for key, row in data["rows"].items() if key not in change["gone"]}
        return {"rows": {**rows, **change["set"]}}


def version_of(data: Any) -> int:
    """Return a version for a state that has none: a hash of its content."""
    text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> (64 - _VERSION_BITS)


def touch_channel(address: str) -> str:
    """Return the channel that `live.touch(address)` publishes to."""
    return f"live:{address}"


def register(topic: type[Topic]) -> type[Topic]:
    """Register a topic (also as a class decorator). Raise ValueError if the name is taken."""
    if not topic.name or ":" in topic.name:
        raise ValueError(f"a topic needs a name without a colon: {topic!r}")
    known = _TOPICS.setdefault(topic.name, topic)
    if (known.__module__, known.__qualname__) != (topic.__module__, topic.__qualname__):
        raise ValueError(f"two topics are named {topic.name}")
    return topic


def resolve(address: str) -> Topic | None:
    """Return the topic at an address, or None if it does not exist or its key is invalid."""
    name, colon, key = address.partition(":")
    kind = _TOPICS.get(name)
    if kind is None or not colon or len(address) > ADDRESS_LENGTH:
        return None
    try:
        return kind(key)
    except ValueError:
        return None
