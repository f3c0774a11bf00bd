"""The newest entries of one aggregate's stream, read once for all topics of this process.

An aggregate's entries are in `{tag}:log` with the stream IDs `<seq>-0`, without gaps. The hash at
the tag's key has `generation` and `seq` (docs/architecture.md).
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any
from weakref import WeakValueDictionary

from poolsite import hotpath
from poolsite.per_loop import PerLoop

REMEMBERED = 5_000
FIRST_ENTRIES = 1_000  # read at the start, for browsers that come back with an older version
ENTRIES_PER_READ = 5_000
_SEQ_BITS = 40
_GENERATION_MASK = 0xFFF
_BETWEEN = "\0"

_TAILS: PerLoop[WeakValueDictionary[str, "Tail"]] = PerLoop(WeakValueDictionary)


class TailEntry:
    """One change of the aggregate's state, as the stream has it.

    Thousands of entries a second pass here, so an entry is not parsed before it is needed, and an
    entry that is only remembered is one text, which the garbage collector does not traverse.
    """

    __slots__ = ("_text", "seq")

    def __init__(self, seq: int, text: str) -> None:
        self.seq = seq
        self._text = text  # name, value, name, value … with NUL between: scripts refuse it in texts

    @property
    def fields(self) -> dict[str, str]:
        words = self._text.split(_BETWEEN)
        return dict(zip(words[::2], words[1::2], strict=False))

    def value(self, name: str) -> str:
        """Return one field. Raise ValueError if it is missing."""
        return _value(self._text, name)


def _value(text: str, name: str) -> str:
    words = text.split(_BETWEEN)
    return words[2 * words[::2].index(name) + 1]


class Entries(Sequence[TailEntry]):
    """Some entries in their order. Each is parsed when it is read."""

    __slots__ = ("_first", "_texts")

    def __init__(self, first: int, texts: list[str]) -> None:
        self._first = first
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        return TailEntry(self._first + place, self._texts[place])

    def values(self, name: str) -> list[str]:
        """Return one field of each entry. Raise ValueError if an entry lacks it."""
        begin = f"{_BETWEEN}{name}{_BETWEEN}"
        found = []
        for text in self._texts:
            _, mark, rest = text.partition(begin)
            if mark and _BETWEEN not in rest:
                found.append(rest)
            else:  # the first field, or not the last
                found.append(_value(text, name))
        return found


class Tail:
    """A window on one stream. Use `tail_of`, so that all topics of a tag share one."""

    def __init__(self, tag: str, path: hotpath.HotPath | None = None) -> None:
        self.tag = tag
        self._path = path
        self.generation = 0
        self.exists = False
        self._floor = 0  # the entries begin after this seq
        self._seq = 0
        self._entries: deque[str] = deque()
        self._started = False
        self._next: asyncio.Future[None] | None = None
        self._turn = asyncio.Lock()

    @property
    def version(self) -> int:
        """The version after the newest entry that was read."""
        return version_at(self.generation, self._seq)

    def remembered(self) -> Entries:
        """Return every entry that is stored here, oldest first: the newest thousands."""
        return Entries(self._floor + 1, list(self._entries))

    def since(self, version: int, until: int | None = None) -> Entries | None:
        """Return the entries after `version` (up to `until`), or None if some are missing here."""
        first = self._seq_of(version)
        last = self._seq if until is None else self._seq_of(until)
        if first is None or last is None or not self._floor <= first <= last <= self._seq:
            return None
        newer = islice(reversed(self._entries), self._seq - last, self._seq - first)
        return Entries(first + 1, list(newer)[::-1])

    def _seq_of(self, version: int) -> int | None:
        if version >> _SEQ_BITS != self.generation & _GENERATION_MASK:
            return None
        return version & ((1 << _SEQ_BITS) - 1)

    async def read(self) -> None:
        """Read everything that was appended before this call. Raise the errors of Redis.

        Calls that wait for their turn share one read. A read that is already running may have been
        too early for them.
        """
        if self._next is None:
            self._next = asyncio.ensure_future(self._read_in_turn())
        await asyncio.shield(self._next)

    async def _read_in_turn(self) -> None:
        async with self._turn:
            self._next = None
            await self._read()

    async def _read(self) -> None:
        if not self._started:
            await self._begin()
            return
        while True:
            head, first, last, texts = await self._fetch(self._seq, ENTRIES_PER_READ)
            if not self._follows(head, first, last, texts):
                await self._begin()
                return
            self._entries.extend(texts)
            self._seq += len(texts)
            while len(self._entries) > REMEMBERED:
                self._entries.popleft()
                self._floor += 1
            if len(texts) < ENTRIES_PER_READ:
                return

    async def _begin(self) -> None:
        """Start again: all versions that were returned before are followed by a gap."""
        seq = int((await self._client().hget(self.tag, "seq")) or 0)
        after = max(0, seq - FIRST_ENTRIES)
        head, first, last, texts = await self._fetch(after, ENTRIES_PER_READ)
        self.exists = bool(head["generation"])
        self.generation = int(head["generation"] or 0)
        if last - first + 1 != len(texts):  # it has gaps, so it is not ours
            texts = []
        self._entries = deque(texts)
        self._seq = last or int(head["seq"] or 0)
        self._floor = self._seq - len(texts)
        self._started = True

    def _follows(self, head: dict[str, str], first: int, last: int, texts: list[str]) -> bool:
        if bool(head["generation"]) != self.exists:
            return False
        if int(head["generation"] or 0) != self.generation:
            return False
        if texts:
            return first == self._seq + 1 and last == self._seq + len(texts)
        return int(head["seq"] or 0) == self._seq

    def _client(self) -> Any:
        return hotpath.aclient() if self._path is None else self._path.aclient()

    async def _fetch(self, after: int, count: int) -> tuple[dict[str, str], int, int, list[str]]:
        """Return the hash's fields, the first and last entry's seq (0: none), and the entries."""
        pipeline = self._client().pipeline(transaction=False)
        pipeline.response_callbacks = {}  # the raw reply; a Cluster's makes dictionaries
        pipeline.hmget(self.tag, ["generation", "seq"])
        pipeline.xrange(f"{self.tag}:log", min=f"{after + 1}-0", max="+", count=count)
        (generation, seq), found = await pipeline.execute()
        head = {"generation": generation, "seq": seq}
        if not found:
            return head, 0, 0, []
        first, last = (int(found[place][0].partition("-")[0]) for place in (0, -1))
        if isinstance(found[0][1], dict):
            found = [(one, chain.from_iterable(fields.items())) for one, fields in found]
        return head, first, last, [_BETWEEN.join(pairs) for _, pairs in found]


def version_at(generation: int, seq: int) -> int:
    """Return generation and sequence number as one integer that a browser counts exactly."""
    return ((generation & _GENERATION_MASK) << _SEQ_BITS) | seq


def tail_of(tag: str, path: hotpath.HotPath | None = None) -> Tail:
    """Return the running loop's tail of a tag. It exists as long as a topic holds it.

    path: the Redis of an aggregate that is not on the common server. The wake messages of that
    Redis are not received here, so its topics read at intervals (`due_seconds`).
    """
    tails = _TAILS()
    name = tag if path is None else f"{tag}@{id(path)}"
    tail = tails.get(name)
    if tail is None:
        tail = tails[name] = Tail(tag, path)
    return tail
