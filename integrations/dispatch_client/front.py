"""A protocol front-end. It starts sessions and sends their messages."""

import asyncio
import itertools
from contextlib import suppress
from typing import Any, TypedDict, Unpack

from .codec import Frame
from .errors import DispatchError, NotStartedError, UnknownOutcomeError
from .handlers import FrontHandler
from .outcomes import Sent, Started
from .peer import Peer
from .settings import Settings


class StartWords(TypedDict, total=False):
    """The options of a start.

    `number` is the front-end's own name for the session, unique among its sessions. `key`: in a
    group that shares by key, all sessions with the same key are assigned to one instance.
    `ttl_seconds` is the session's lifetime in a profile with timed routes.
    """

    number: str
    key: str
    ttl_seconds: int | None


class BeginWords(StartWords, total=False):
    """The options of `FrontEnd.begin`.

    With `confirm`, the outcome is known when an instance has accepted the session, and contains the
    instance's name. Without it, the outcome is known when the dispatcher has chosen an instance.
    """

    confirm: bool


class FrontEnd(Peer):
    """A front-end of one of the profiles SIP, BICC, SMP, CMPP, HTTP.

    `peer_id` is the front-end's own ID. Without one (CMPP, HTTP), the dispatcher assigns a new ID
    for each link. A SIP front-end that restarts sends `clear` first, as its profile requires.
    """

    side = "front"

    def __init__(
        self,
        settings: Settings,
        handler: FrontHandler,
        *,
        profile: str,
        peer_id: str = "",
        incarnation: str = "",
    ) -> None:
        super().__init__(settings, handler, peer_id=peer_id, incarnation=incarnation)
        self.profile = profile
        self.keeps_sessions = profile == "SMP"  # the timers of the routes end them
        self._assigned = not peer_id
        self._numbers = itertools.count(1)
        if profile == "SIP":
            self._outgoing.first({"op": "clear"})

    async def start(self, body: Any = None, **words: Unpack[StartWords]) -> Started:
        """Start a session and wait until an instance has accepted it.

        It has accepted it when its handler has returned. The instance may send messages before this
        returns; `begin` returns the session's ID earlier. Raise NotStartedError if the start is
        refused or the session ends before. Raise UnknownOutcomeError if the outcome stays unknown.
        In that case, and if the wait is cancelled, the session is ended.
        """
        sent = await self.begin(body, **words, confirm=True)
        try:
            outcome = await sent
        except asyncio.CancelledError:
            await self._give_up(sent.session, "cancelled")
            raise
        match outcome.state:
            case "refused":
                raise NotStartedError(sent.session, outcome.reason)
            case "unknown":
                await self._give_up(sent.session, "unknown")
                raise UnknownOutcomeError(sent.session, outcome.reason)
        return Started(sent.session, outcome.instance)

    async def _give_up(self, session: str, reason: str) -> None:
        with suppress(DispatchError):
            await self.end(session, reason)

    async def begin(self, body: Any = None, **words: Unpack[BeginWords]) -> Sent:
        """Start a session, without waiting for the answer.

        Wait only for the first link and for room in the queue. The returned object has the
        session's ID; `await` it for the outcome. Raise ValueError if the session exists already.
        """
        if not self.id or self._assigned:
            await self.wait_registered()
        word = words.get("number") or f"{self.incarnation[:12]}-{next(self._numbers)}"
        session = f"{self.id}/{word}"
        if session in self.sessions:
            raise ValueError(f"the session {session} is there already")
        frame: Frame = {"op": "start", "session": session, "body": body}
        if key := words.get("key"):
            frame["key"] = key
        if words.get("confirm"):
            frame["confirm"] = True
        if (ttl_seconds := words.get("ttl_seconds")) is not None:
            frame["ttl_seconds"] = ttl_seconds
        self.sessions.add(session, ttl_seconds=ttl_seconds)
        try:
            return await self._outgoing.put(frame)
        except BaseException:
            self.sessions.remove(session)
            raise

    def on_registration(self, hello: Frame) -> Frame:
        frame: Frame = {
            "op": "register",
            "profile": self.profile,
            "incarnation": self.incarnation,
            "received": self.received,
        }
        return frame if self._assigned else {**frame, "id": self.id}

    def is_void(self, frame: Frame) -> bool:
        session = str(frame.get("session", ""))
        return self._assigned and bool(session) and not session.startswith(f"{self.id}/")
