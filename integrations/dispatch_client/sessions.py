"""The sessions that a peer holds, as it reports them in a resync."""

import asyncio
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

RESYNC_ENTRIES = 1_000


@dataclass(slots=True)
class Held:
    """A session: the ID of its other end ("" if unknown), and when it ends automatically."""

    other: str = ""
    deadline: float | None = None  # Unix seconds


class Sessions:
    """The peer's sessions by ID.

    Their number is limited by what the dispatcher lets a peer hold.
    """

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._none = asyncio.Event()
        self._none.set()

    def __contains__(self, session: str) -> bool:
        return session in self._held

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._held))

    def add(self, session: str, other: str = "", ttl_seconds: int | None = None) -> None:
        """Add a session that began."""
        deadline = None if ttl_seconds is None else time.time() + ttl_seconds
        self._held[session] = Held(other, deadline)
        self._none.clear()

    def remove(self, session: str) -> bool:
        """Remove a session that ended. Return whether it was held."""
        held = self._held.pop(session, None) is not None
        if not self._held:
            self._none.set()
        return held

    async def none_left(self) -> None:
        """Wait until no session is held."""
        await self._none.wait()

    def of(self, other: str) -> list[str]:
        """Return the sessions whose other end has this ID."""
        return [session for session, held in self._held.items() if held.other == other]

    def resync_frames(self, without: Collection[str] = ()) -> list[dict[str, Any]]:
        """Return the frames that list all sessions, up to 1,000 per frame; the last one is marked.

        Without sessions, this is one empty frame.
        """
        entries = [
            [name, held.other, held.deadline]
            for name, held in self._held.items()
            if name not in without
        ]
        starts = range(0, max(1, len(entries)), RESYNC_ENTRIES)
        return [
            {
                "op": "resync",
                "sessions": entries[start : start + RESYNC_ENTRIES],
                "last": start + RESYNC_ENTRIES >= len(entries),
            }
            for start in starts
        ]
