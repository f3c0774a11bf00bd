"""`numbers.tiles:<slug>:<page>`: a letter for each number of a page, as it changes."""

import asyncio
import heapq
from collections.abc import Iterator
from typing import Any

from numbers.pool import state_letter
from numbers.pool.changes import NumberMove, may_come_or_go, number_in, read_move
from numbers.selectors.tile_layout import NOTHING, layout_of, now_us
from numbers.topics.packing import pack_tiles, unpack_tiles
from numbers.topics.scope import PoolTopic
from numbers.topics.states import letter_of_code, letter_of_state
from poolsite import hotpath, live

PAGES = 1_000
NUMBERS_PER_READ = 2_000  # Redis answers other requests in between
FRAME_LENGTH = 3_500  # a longer change is split, so that frames stay below 4 kB
SETTLE_SECONDS = (2.0, 4.0, 8.0, 16.0)  # SQL gets a number later than Redis
CHECK_SECONDS = 30.0  # the interval in which changes of SQL alone are found


@live.register
class TilesTopic(PoolTopic):
    """Snapshot {"layout": id, "states": "RRC…"}; change {"set": packed tiles} (packing.py).

    Tile n is the n-th number of the page, 10 000 per page, in the order of numbers. When numbers
    are added or removed, a new snapshot has another layout. A change sets letters, so it can be
    applied twice.
    """

    name = "numbers.tiles"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        page = key.partition(":")[2]
        if not (page.isascii() and page.isdecimal() and int(page) < PAGES):
            raise ValueError(f"not a page: {key!r}")
        self.page = int(page)
        self._layout = layout_of(self.slug)
        self._shown = NOTHING
        self._settling: list[float] = []
        self._resting: list[tuple[int, int]] = []  # a heap of (ready µs, tile)
        self._letters: list[str] = []
        self._timed_version = -1  # the latest version at which time alone changed a tile

    async def snapshot(self) -> live.Snapshot:
        await self.tail.read()
        version = self.tail.version
        shown = self._shown = await self._layout.page(self.page, newer_than=self._wanted_at())
        self._letters = []
        self._resting = []
        # The states read now may be newer than `version`: the following changes set the same again.
        for start in range(0, len(shown.numbers), NUMBERS_PER_READ):
            self._take_states(await self._read(shown.numbers[start : start + NUMBERS_PER_READ]))
        return live.Snapshot(version, {"layout": shown.id, "states": "".join(self._letters)})

    async def _read(self, numbers: list[str]) -> list[str | None]:
        states: list[str | None] = await hotpath.aclient().hmget(self.keys.numstate, numbers)
        return states

    def _take_states(self, states: list[str | None]) -> None:
        now = now_us()
        for state in states:
            letter, ready_us = letter_of_state(state, now)
            if ready_us:
                heapq.heappush(self._resting, (ready_us, len(self._letters)))
            self._letters.append(letter)

    async def changes(self, since: int) -> live.Changes | None:
        await self.tail.read()
        until = self.tail.version
        entries = self._texts(since, until)
        if entries is None or self._shown is NOTHING:
            return None
        if await self._is_laid_out_anew(entries):
            return None
        now = now_us()
        changed = self._apply_entries(entries, now)
        for tile in self._end_rests(now):
            changed[tile] = "R"
            self._timed_version = until
        return changes_of(until, changed)

    def _texts(self, since: int, until: int) -> list[str] | None:
        """Return the entries' field `e`, which numbers.pool.changes reads."""
        entries = self.tail.since(since, until)
        return None if entries is None else entries.values("e")

    def _apply_entries(self, entries: list[str], now: int) -> dict[int, str]:
        index = self._shown.index
        last: dict[int, NumberMove] = {}
        seen: set[str] = set()
        for text in reversed(entries):
            number = number_in(text)
            if number not in seen:
                seen.add(number)
                tile = index.get(number)
                if tile is not None:
                    last[tile] = read_move(text)
        changed = {}
        for tile, move in last.items():
            letter, ready_us = _after(move, now)
            if ready_us:
                heapq.heappush(self._resting, (ready_us, tile))
            if letter != self._letters[tile]:
                self._letters[tile] = changed[tile] = letter
        return changed

    def _end_rests(self, now: int) -> Iterator[int]:
        while self._resting and self._resting[0][0] <= now:
            _, tile = heapq.heappop(self._resting)
            if self._letters[tile] in "rp":
                self._letters[tile] = "R"
                yield tile

    def due_seconds(self) -> float | None:
        waits = [max(0.0, wait) for wait in self._waits()]
        return min(waits) if waits else None

    def _waits(self) -> Iterator[float]:
        if self._resting:
            yield (self._resting[0][0] - now_us()) / 1e6
        if self._settling:
            yield self._settling[0] - asyncio.get_running_loop().time()

    async def _is_laid_out_anew(self, entries: list[str]) -> bool:
        """Whether numbers were added to or removed from this page, as far as SQL knows."""
        now = asyncio.get_running_loop().time()
        if self._touches_layout(entries):
            first = self._settling[0] if self._settling else now
            self._settling = [first, *(now + seconds for seconds in SETTLE_SECONDS)]
        if not self._settling and now - self._layout.read_at(self.page) > CHECK_SECONDS:
            self._settling = [now]
        if not self._settling or self._settling[0] > now:
            return False
        wanted = self._settling[0]
        self._settling = [at for at in self._settling if at > now]
        page = await self._layout.page(self.page, newer_than=wanted)
        return page.id != self._shown.id

    def _wanted_at(self) -> float:
        return asyncio.get_running_loop().time() if self._shown is NOTHING else 0.0

    def _touches_layout(self, entries: list[str]) -> bool:
        for text in entries:
            if not may_come_or_go(text):
                continue
            move = read_move(text)
            if not move.comes_or_goes:
                continue
            if not self._shown.is_full or move.number <= self._shown.last:
                return True
        return False

    async def between(self, since: int, until: int) -> live.Changes | None:
        entries = self._texts(since, until)
        if entries is None or self._shown is NOTHING or self._touches_layout(entries):
            return None
        if since <= self._timed_version:
            return None
        tiles = {
            tile for text in entries if (tile := self._shown.index.get(number_in(text))) is not None
        }
        return changes_of(until, {tile: self._letters[tile] for tile in tiles})

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        letters = list(data["states"])
        for tile, letter in unpack_tiles(change["set"]):
            letters[tile] = letter
        return {"layout": data["layout"], "states": "".join(letters)}


def _after(move: NumberMove, now: int) -> tuple[str, int]:
    """Return the letter after an entry, and until when it rests (0: not resting)."""
    if not move.after.startswith("iu"):
        return state_letter(move.after), 0
    ready_us = max(move.since_us, move.ready_us)
    letter = letter_of_code(move.after, ready_us, now)
    return letter, ready_us if letter in "rp" else 0


def changes_of(version: int, tiles: dict[int, str]) -> live.Changes:
    """Pack the tiles into as few frames as their length allows."""
    if not tiles:
        return live.Changes(version, None)
    ordered = sorted(tiles.items())
    parts = [pack_tiles(ordered)]
    if len(parts[0]) > FRAME_LENGTH:
        pieces = -(-len(parts[0]) // FRAME_LENGTH)
        size = -(-len(ordered) // pieces)
        parts = [pack_tiles(ordered[i : i + size]) for i in range(0, len(ordered), size)]
    *before, last = ({"set": part} for part in parts)
    return live.Changes(version, last, tuple(before))
