"""The newest entries of one aggregate's stream, read once for all topics of this process.

An aggregate's entries stand in `{tag}:log` with the stream ids `<seq>-0`, gapless; the hash at
the tag's key holds `generation` and `seq` (docs/architecture.md).
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from poolsite import hotpath

REMEMBERED = 5_000
FIRST_ENTRIES = 1_000  # read at the start, for browsers that come back with an older version
ENTRIES_PER_READ = 5_000
_SEQ_BITS = 40
_GENERATION_MASK = 0xFFF

_LOOPS: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, "Tail"]] = (
    WeakKeyDictionary()
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of the aggregate's state: its sequence number and the stream's fields."""

    seq: int
    fields: dict[str, str]


class Tail:
    """A window on one stream. Use `tail_of`, so that all topics of a tag share one."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.generation = 0
        self.exists = False
        self._floor = 0  # the entries begin after this seq
        self._seq = 0
        self._entries: deque[Entry] = deque()
        self._started = False
        self._next: asyncio.Future[None] | None = None
        self._turn = asyncio.Lock()

    @property
    def wake_channel(self) -> str:
        return f"{self.tag}:wake"

    @property
    def version(self) -> int:
        """Generation and sequence number in one whole number that a browser counts exactly."""
        return ((self.generation & _GENERATION_MASK) << _SEQ_BITS) | self._seq

    def since(self, version: int, until: int | None = None) -> list[Entry] | None:
        """Return the entries after `version` (up to `until`); None when some are not known."""
        first = self._seq_of(version)
        last = self._seq if until is None else self._seq_of(until)
        if first is None or last is None or not self._floor <= first <= last <= self._seq:
            return None
        if first == last:
            return []
        begin = first - self._floor
        end = last - self._floor
        if begin < len(self._entries) - begin:
            return [self._entries[index] for index in range(begin, end)]
        return list(self._entries)[begin:end]

    def _seq_of(self, version: int) -> int | None:
        if version >> _SEQ_BITS != self.generation & _GENERATION_MASK:
            return None
        return version & ((1 << _SEQ_BITS) - 1)

    async def read(self) -> None:
        """Take in everything that was appended before this call. Raises what Redis raised.

        Calls that wait for their turn share one read; a read that is under way may have been
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
            head, entries = await self._fetch(self._seq, ENTRIES_PER_READ)
            if not self._follows(head, entries):
                await self._begin()
                return
            self._entries.extend(entries)
            if entries:
                self._seq = entries[-1].seq
            while len(self._entries) > REMEMBERED:
                self._entries.popleft()
                self._floor += 1
            if len(entries) < ENTRIES_PER_READ:
                return

    async def _begin(self) -> None:
        """Start afresh: everything that was handed out before is a gap."""
        seq = int((await hotpath.aclient().hget(self.tag, "seq")) or 0)
        head, entries = await self._fetch(max(0, seq - FIRST_ENTRIES), ENTRIES_PER_READ)
        self.exists = bool(head["generation"])
        self.generation = int(head["generation"] or 0)
        self._entries = deque(entries)
        self._seq = entries[-1].seq if entries else int(head["seq"] or 0)
        self._floor = entries[0].seq - 1 if entries else self._seq
        self._started = True

    def _follows(self, head: dict[str, str], entries: list[Entry]) -> bool:
        if bool(head["generation"]) != self.exists:
            return False
        if int(head["generation"] or 0) != self.generation:
            return False
        seq = int(head["seq"] or 0)
        if entries:
            return entries[0].seq == self._seq + 1
        return seq == self._seq

    async def _fetch(self, after: int, count: int) -> tuple[dict[str, str], list[Entry]]:
        pipeline = hotpath.aclient().pipeline(transaction=False)
        pipeline.hmget(self.tag, ["generation", "seq"])
        pipeline.xrange(f"{self.tag}:log", min=f"{after + 1}-0", max="+", count=count)
        (generation, seq), found = await pipeline.execute()
        entries = [_entry(stream_id, fields) for stream_id, fields in found]
        return {"generation": generation, "seq": seq}, entries


def _entry(stream_id: str, fields: dict[str, Any]) -> Entry:
    return Entry(int(stream_id.partition("-")[0]), fields)


def tail_of(tag: str) -> Tail:
    """Return the running loop's tail of a tag; it lives as long as somebody holds it."""
    tails = _LOOPS.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    tail = tails.get(tag)
    if tail is None:
        tail = tails[tag] = Tail(tag)
    return tail
