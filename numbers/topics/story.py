"""`numbers.number:<number>`: the past events of one number, and new ones live."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from numbers import pool
from numbers.api.directory import POOLS
from numbers.models import Number, PoolEvent
from numbers.pool.changes import may_name
from numbers.selectors.tile_layout import now_us
from numbers.topics.states import letter_of_code, letter_of_state
from poolsite import access, hotpath, live
from poolsite.live.tail import Tail, TailEntry, tail_of

STORY_LENGTH = 100
_NUMBER = re.compile(r"\+?[0-9]{1,32}")


@dataclass(frozen=True, slots=True)
class _Place:
    """The pool that a number belongs to."""

    slug: str
    pool_id: int


@live.register
class NumberTopic(live.Topic):
    """Snapshot {"pool", "letter", "events": newest first}; change {"letter", "events"}.

    Events of this number in its present pool: older ones from SQL, and from the stream's tail those
    that are not drained yet. `at_us`, `since_us`, `ready_us` are µs since 1970.
    """

    name = "numbers.number"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if not _NUMBER.fullmatch(key):
            raise ValueError(f"not a number: {key!r}")
        self._tail: Tail | None = None
        self._letter = "-"
        self._ready_us = 0
        self._wakes: list[str] = []

    async def allowed(self, principal: access.Principal) -> access.Decision:
        place = await live.in_thread(_place_of, self.key)
        known = await POOLS.get(place.slug) if place is not None else None
        if place is not None:
            self._wakes = [pool.PoolKeys(place.slug).wake_channel]
        return access.decide_found(principal, "numbers.view", known)

    def wake_channels(self) -> list[str]:
        """The pool's channel. It is known, because `allowed` runs before the feed begins."""
        return [*self._wakes, live.touch_channel(self.address)]

    async def snapshot(self) -> live.Snapshot:
        place = await live.in_thread(_place_of, self.key)
        if place is None:
            return live.Snapshot(0, {"pool": "", "letter": "-", "events": []})
        rows = await live.in_thread(_read_rows, self.key, place.pool_id)
        tail = self._tail = tail_of(pool.PoolKeys(place.slug).tag)
        await tail.read()
        version, entries, generation = tail.version, tail.remembered(), tail.generation
        text = await hotpath.aclient().hget(pool.PoolKeys(place.slug).numstate, self.key)
        self._letter, self._ready_us = letter_of_state(text, now_us())
        drained = max((row.seq for row in rows if row.generation == generation), default=0)
        late = self._events(entry for entry in entries if entry.seq > drained)
        events = [*late, *map(_event_of_row, rows)][:STORY_LENGTH]
        data = {"pool": place.slug, "letter": self._letter, "events": events}
        return live.Snapshot(version, data)

    def _events(self, entries: Iterable[TailEntry]) -> list[dict[str, Any]]:
        found = [
            _event_of_change(pool.read_change(entry.fields))
            for entry in entries
            if may_name(entry.value("e"), self.key)
        ]
        return [event for event in reversed(found) if event.pop("number") == self.key]

    async def changes(self, since: int) -> live.Changes | None:
        if self._tail is None:
            return None
        await self._tail.read()
        until = self._tail.version
        entries = self._tail.since(since, until)
        if entries is None:
            return None
        before = self._letter
        events = self._events(entries)
        if events:
            self._ready_us = max(events[0]["since_us"], events[0]["ready_us"])
            self._letter = letter_of_code(events[0]["after"], self._ready_us, now_us())
        elif before in "rp" and self._ready_us <= now_us():
            self._letter = "R"
        moved = events or self._letter != before
        return live.Changes(until, self._change(events) if moved else None)

    async def between(self, since: int, until: int) -> live.Changes | None:
        entries = None if self._tail is None else self._tail.since(since, until)
        return None if entries is None else live.Changes(until, self._change(self._events(entries)))

    def _change(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        return {"letter": self._letter, "events": events}

    def due_seconds(self) -> float | None:
        return max(0.0, (self._ready_us - now_us()) / 1e6) if self._letter in "rp" else None

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        events = [*change["events"], *data["events"]][:STORY_LENGTH]
        return {**data, "letter": change["letter"], "events": events}


def _place_of(number: str) -> _Place | None:
    row = Number.objects.filter(value=number).values_list("pool__slug", "pool_id").first()
    return None if row is None else _Place(*row)


def _read_rows(number: str, pool_id: int) -> list[PoolEvent]:
    rows = PoolEvent.objects.filter(number=number, aggregate_id=pool_id)
    return list(rows.order_by("-at_us", "-pk")[:STORY_LENGTH])


def _event_of_row(row: PoolEvent) -> dict[str, Any]:
    return {
        "at_us": row.at_us,
        "event": row.event,
        "before": row.state_before,
        "after": row.state_after,
        "reason": row.reason,
        "picked": row.detail.get("picked", ""),
        "since_us": row.detail.get("since_us", 0),
        "ready_us": row.detail.get("ready_us", 0),
        "call_id": row.call_id,
        "switch": row.switch,
        "agent": row.agent,
        "callee": row.callee,
        "direction": row.direction,
    }


def _event_of_change(change: pool.PoolChange) -> dict[str, Any]:
    return {
        "number": change.number,
        "at_us": change.at_us,
        "event": change.event,
        "before": change.before,
        "after": change.after,
        "reason": change.reason,
        "picked": change.picked,
        "since_us": change.since_us,
        "ready_us": change.ready_us,
        "call_id": change.call_id,
        "switch": change.switch,
        "agent": change.agent,
        "callee": change.callee,
        "direction": change.direction,
    }
