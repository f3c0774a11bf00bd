"""An application-server instance: it serves the sessions that the dispatcher gives it."""

from typing import Any

from .codec import Frame
from .incoming import Job
from .peer import GONE, Peer
from .settings import Settings


class InstanceHandler:
    """What an instance does with what it hears; override what you need.

    The calls of one session come one after another, in the order of the frames; those of
    different sessions side by side. A frame is acknowledged when its call has returned.
    """

    async def linked(self, arrival: str) -> None:
        """A link is up: `new`, `reconnect`, `takeover` or `restart`."""

    async def started(self, session: str, front: str, body: Any) -> None:
        """A front-end began a session."""

    async def message(self, session: str, body: Any) -> None:
        """The front-end sent a message."""

    async def ended(self, session: str, reason: str, body: Any) -> None:
        """The session is over: free what it holds. By the front-end, or by the dispatcher."""

    async def refused(self, session: str, what: str, reason: str) -> None:
        """The dispatcher did not take a `message` or `deliver`."""

    async def delivered(self, sender: str, body: Any) -> None:
        """A message outside any session came from a front-end."""


class Instance(Peer):
    """An instance of the group: `name` is stable and unique there, the id is offered and kept."""

    side = "back"

    def __init__(
        self,
        settings: Settings,
        handler: InstanceHandler,
        *,
        name: str,
        version: str,
        capacity: int,
        weight: int = 1,
        peer_id: str = "",
        incarnation: str = "",
    ) -> None:
        super().__init__(settings, peer_id=peer_id, incarnation=incarnation)
        self.name = name
        self.version = version
        self.capacity = capacity
        self.weight = weight
        self._handler = handler

    def on_registration(self, hello: Frame) -> Frame:
        return {
            "op": "register",
            "id": self.id or hello["offer"],
            "name": self.name,
            "version": self.version,
            "capacity": self.capacity,
            "weight": self.weight,
            "incarnation": self.incarnation,
            "received": self.received,
        }

    def _jobs(self, frame: Frame) -> list[tuple[str, Job]]:
        handler, session = self._handler, str(frame.get("session", ""))
        match frame["op"]:
            case "start":
                front = str(frame["front"])
                self.sessions.add(session, front)
                return [(session, lambda: handler.started(session, front, frame.get("body")))]
            case "message":
                return [(session, lambda: handler.message(session, frame.get("body")))]
            case "end":
                reason = str(frame.get("reason", ""))
                held = self.sessions.remove(session)
                job = (session, lambda: handler.ended(session, reason, frame.get("body")))
                return [job] if held else []
            case "free":
                return self._ended([session], str(frame.get("reason", "")))
            case "peer-lost":
                lost = self.sessions.of(str(frame["peer"]))
                return self._ended(lost, str(frame.get("reason", "")))
            case "deliver":
                sender = str(frame.get("from", ""))
                return [("", lambda: handler.delivered(sender, frame.get("body")))]
            case "refused":
                self._refused(str(frame.get("what", "")), session, str(frame.get("reason", "")))
        return []

    def _ended(self, sessions: list[str], reason: str) -> list[tuple[str, Job]]:
        def job(session: str) -> Job:
            return lambda: self._handler.ended(session, reason, None)

        return [(each, job(each)) for each in sessions if self.sessions.remove(each)]

    def _refused(self, what: str, session: str, reason: str) -> None:
        if what == "end":
            return  # both ends ended it at once
        if reason == GONE:
            self.sessions.remove(session)
        self._serial.submit(session, lambda: self._handler.refused(session, what, reason))

    def _end_here(self, session: str, reason: str) -> None:
        for key, job in self._ended([session], reason):
            self._serial.submit(key, job)

    async def _tell_linked(self, arrival: str) -> None:
        await self._handler.linked(arrival)
