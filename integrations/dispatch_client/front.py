"""A protocol front-end: it begins sessions and sends their messages."""

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
    """What a start may say. `number`: the front-end's own name for the session, unique among its
    sessions. `key`: in a group that shares by key, sessions of one key go to one instance.
    `ttl_seconds`: its life in a profile with timed routes.
    """

    number: str
    key: str
    ttl_seconds: int | None


class BeginWords(StartWords, total=False):
    """`confirm`: the outcome comes when an instance has accepted the session, and names it.
    Otherwise it comes when the dispatcher has chosen one.
    """

    confirm: bool


class FrontEnd(Peer):
    """A front-end of one of the profiles SIP, BICC, SMP, CMPP, HTTP.

    `peer_id` is its own id; without one (CMPP, HTTP) the dispatcher gives one, another for each
    link. A SIP front-end that starts anew says `clear` first, as the profile has it.
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
        self.keeps_sessions = profile == "SMP"  # its routes run out by their timers
        self._assigned = not peer_id
        self._numbers = itertools.count(1)
        if profile == "SIP":
            self._outgoing.first({"op": "clear"})

    async def start(self, body: Any = None, **words: Unpack[StartWords]) -> Started:
        """Begin a session and wait until an instance has accepted it: until its handler is done.

        The instance may send before this has returned; `begin` tells the session's ID earlier.
        Raises NotStartedError when it is refused, or ends before; UnknownOutcomeError when nobody
        knows. In the latter case, and when the wait is cancelled, the session is ended.
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
        """Have a session begun; waits for the first link, and for room, but for no answer.

        What it returns has the session's ID, and is awaited for the outcome. Raises ValueError
        when the session is there already.
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
