"""The outcome of a frame that a peer has sent."""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["accepted", "refused", "unknown"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the dispatcher has accepted a frame or refused it, or whether that is unknown.

    `reason` states why it was refused, or why its outcome is unknown. `instance` is the name of the
    instance that accepted a session, if `confirm` was set. It is empty if the dispatcher lost its
    data in the meantime.
    """

    state: State
    reason: str = ""
    instance: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the frame was carried out."""
        return self.state == "accepted"


@dataclass(frozen=True, slots=True)
class Started:
    """A session that has begun, and the name of its instance (see `Outcome`)."""

    session: str
    instance: str


class Sent:
    """A frame that was queued for sending. `await` it for its outcome, or ignore it.

    `session` is empty for a message outside any session. `outcome` is None until it is known, which
    happens no later than when the peer stops.
    """

    __slots__ = ("__weakref__", "_known", "outcome", "session")

    def __init__(self, session: str = "") -> None:
        self.session = session
        self.outcome: Outcome | None = None
        self._known: asyncio.Event | None = None  # created only if a caller waits

    def __await__(self) -> Generator[Any, None, Outcome]:
        return self.wait().__await__()

    async def wait(self) -> Outcome:
        """Wait for the outcome. Any number of callers may wait."""
        while self.outcome is None:
            self._known = self._known or asyncio.Event()
            await self._known.wait()
        return self.outcome

    def settle(self, outcome: Outcome) -> None:
        """Set the outcome; later calls change nothing. For the library's own use."""
        if self.outcome is None:
            self.outcome = outcome
            if self._known is not None:
                self._known.set()
