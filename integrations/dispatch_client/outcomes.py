"""What became of a frame that a peer has sent."""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["accepted", "refused", "unknown"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The dispatcher has accepted a frame, or refused it, or nobody knows.

    `reason`: why it was refused, or why it is unknown. `instance`: the name of the instance that
    accepted a session, if this was asked; empty if the dispatcher lost its data meanwhile.
    """

    state: State
    reason: str = ""
    instance: str = ""

    @property
    def accepted(self) -> bool:
        """Whether it has been carried out."""
        return self.state == "accepted"


@dataclass(frozen=True, slots=True)
class Started:
    """A session that has begun, and the name of its instance (see `Outcome`)."""

    session: str
    instance: str


class Sent:
    """A frame on its way; `await` it for its outcome, or leave it: it needs no care.

    `session` is empty for a message outside any session. `outcome` is None until it is known, at
    the latest when the peer stops.
    """

    __slots__ = ("__weakref__", "_known", "outcome", "session")

    def __init__(self, session: str = "") -> None:
        self.session = session
        self.outcome: Outcome | None = None
        self._known: asyncio.Event | None = None  # only for those who wait

    def __await__(self) -> Generator[Any, None, Outcome]:
        return self.wait().__await__()

    async def wait(self) -> Outcome:
        """Wait for the outcome; any number of callers may."""
        while self.outcome is None:
            self._known = self._known or asyncio.Event()
            await self._known.wait()
        return self.outcome

    def settle(self, outcome: Outcome) -> None:
        """The outcome is known; the first word counts. For the library itself."""
        if self.outcome is None:
            self.outcome = outcome
            if self._known is not None:
                self._known.set()
