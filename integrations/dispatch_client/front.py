"""A protocol front-end: it begins sessions and sends their messages."""

import itertools
from typing import Any

from .codec import Frame
from .incoming import Job
from .peer import GONE, Peer
from .settings import Settings


class FrontHandler:
    """What a front-end does with what it hears; override what you need.

    The calls of one session come one after another, in the order of the frames; those of
    different sessions side by side. A frame is acknowledged when its call has returned.
    """

    async def linked(self, arrival: str) -> None:
        """A link is up: `new`, `reconnect`, `takeover` or `restart`."""

    async def message(self, session: str, body: Any) -> None:
        """The instance sent a message."""

    async def ended(self, session: str, reason: str, body: Any) -> None:
        """The session is over, by the instance or by the dispatcher (then `body` is None)."""

    async def refused(self, session: str, what: str, reason: str) -> None:
        """The dispatcher did not take a `start`, `message` or `deliver`; a refused start is over.

        `link lost`: where each connection is a new one, nobody knows whether it arrived.
        """

    async def delivered(self, sender: str, body: Any) -> None:
        """A message outside any session came from an instance."""


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
        super().__init__(settings, peer_id=peer_id, incarnation=incarnation)
        self.profile = profile
        self.keeps_sessions = profile == "SMP"  # its routes run out by their timers
        self._handler = handler
        self._assigned = not peer_id
        self._numbers = itertools.count(1)
        if profile == "SIP":
            self._outgoing.first({"op": "clear"})

    async def start(
        self,
        body: Any = None,
        *,
        number: str = "",
        key: str = "",
        ttl_seconds: int | None = None,
    ) -> str:
        """Begin a session and return its id; waits for the first link.

        `number` is the front-end's own name for it, unique among its sessions. `key`: in a group
        that shares by key, sessions of one key go to one instance. `ttl_seconds`: its life in
        a profile with timed routes.
        """
        if not self.id or self._assigned:
            await self.wait_registered()
        word = number or f"{self.incarnation[:12]}-{next(self._numbers)}"
        session = f"{self.id}/{word}"
        frame: Frame = {"op": "start", "session": session, "body": body}
        if key:
            frame["key"] = key
        if ttl_seconds is not None:
            frame["ttl_seconds"] = ttl_seconds
        self.sessions.add(session, ttl_seconds=ttl_seconds)
        await self._outgoing.put(frame)
        return session

    def on_registration(self, hello: Frame) -> Frame:
        frame: Frame = {
            "op": "register",
            "profile": self.profile,
            "incarnation": self.incarnation,
            "received": self.received,
        }
        return frame if self._assigned else {**frame, "id": self.id}

    def _jobs(self, frame: Frame) -> list[tuple[str, Job]]:
        handler, session = self._handler, str(frame.get("session", ""))
        match frame["op"]:
            case "message":
                return [(session, lambda: handler.message(session, frame.get("body")))]
            case "end":
                reason = str(frame.get("reason", ""))
                held = self.sessions.remove(session)
                job = (session, lambda: handler.ended(session, reason, frame.get("body")))
                return [job] if held else []
            case "free":
                held = self.sessions.remove(session)
                reason = str(frame.get("reason", ""))
                return [(session, lambda: handler.ended(session, reason, None))] if held else []
            case "deliver":
                sender = str(frame.get("from", ""))
                return [("", lambda: handler.delivered(sender, frame.get("body")))]
            case "refused":
                self._refused(str(frame.get("what", "")), session, str(frame.get("reason", "")))
        return []

    def _refused(self, what: str, session: str, reason: str) -> None:
        if what in ("end", "clear"):
            return  # both ends ended it at once, or it is long gone
        if what == "start" or reason == GONE:
            self.sessions.remove(session)
        self._serial.submit(session, lambda: self._handler.refused(session, what, reason))

    def _end_here(self, session: str, reason: str) -> None:
        self.sessions.remove(session)
        self._serial.submit(session, lambda: self._handler.ended(session, reason, None))

    async def _tell_linked(self, arrival: str) -> None:
        await self._handler.linked(arrival)
