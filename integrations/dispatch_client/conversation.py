"""The messages of sessions: sends them, and turns received frames into calls of the handler."""

from collections.abc import Iterable
from typing import Any

from .codec import Frame
from .handlers import Handler
from .incoming import Job, Serial
from .outcomes import Outcome, Sent
from .outgoing import ENDED, Outgoing
from .sessions import Sessions

GONE = "no such session"
LATER = frozenset({"peer full", "recovering"})  # after these, an end is sent again


class Conversation:
    """A peer's end of all its sessions. The handler is called once for each session that ends."""

    def __init__(self, handler: Handler, unacknowledged_limit: int) -> None:
        self.sessions = Sessions()
        self._handler: Handler = handler
        self._outgoing = Outgoing(unacknowledged_limit)
        self._serial = Serial()

    # -- sending ----------------------------------------------------------------------------------

    async def send(self, session: str, body: Any = None) -> Sent:
        """Send a message of a session. Wait while too many frames are unacknowledged.

        This doesn't wait for an answer: `await` the returned object for the message's outcome.
        """
        frame: Frame = {"op": "message", "session": session, "body": body}
        return self._void(frame) or await self._outgoing.put(frame)

    async def end(
        self, session: str, reason: str = "", body: Any = None, *, failed: bool = False
    ) -> Sent:
        """End a session. The other end is notified; a lost notice is sent again.

        `failed` states that this instance could not serve the session. That counts towards its
        ejection.
        """
        self.sessions.remove(session)
        self._outgoing.over(session, Outcome("unknown", ENDED))
        frame: Frame = {"op": "end", "session": session, "reason": reason, "body": body}
        if failed:
            frame["failed"] = True
        return self._void(frame) or self._outgoing.put_nowait(frame)

    def is_void(self, frame: Frame) -> bool:
        """Whether a frame belongs to a session of an ID that this peer had on an earlier link."""
        return False

    def _void(self, frame: Frame) -> Sent | None:
        """Return the outcome of a frame that must not be sent, or None if it can be sent.

        The dispatcher would close the link if it received such a frame.
        """
        if not self.is_void(frame):
            return None
        sent = Sent(str(frame["session"]))
        sent.settle(Outcome("refused", GONE))
        return sent

    async def deliver(self, body: Any = None, to: str = "") -> Sent:
        """Send a message outside any session. An instance names the front-end in `to`."""
        frame = {"op": "deliver", "body": body}
        return await self._outgoing.put({**frame, "to": to} if to else frame)

    # -- received frames --------------------------------------------------------------------------

    def _jobs(self, frame: Frame) -> list[tuple[str, Job]]:
        """Return the jobs for a numbered frame. Jobs with the same key run one after another."""
        handler, session = self._handler, str(frame.get("session", ""))
        reason, body = str(frame.get("reason", "")), frame.get("body")
        match frame["op"]:
            case "message":
                return [(session, lambda: handler.message(session, body))]
            case "end" | "free":
                return self._over([session], reason, body)
            case "started":
                self._outgoing.started(session, str(frame.get("instance", "")))
            case "peer-lost":
                return self._over(self.sessions.of(str(frame["peer"])), reason)
            case "deliver":
                sender = str(frame.get("from", ""))
                return [("", lambda: handler.delivered(sender, body))]
            case "refused":
                what = str(frame.get("what", ""))
                again = what == "end" and reason in LATER
                self._outgoing.refuse(int(frame.get("of", 0)), reason, again=again)
                self._refused(what, session, reason)
        return []

    def _over(self, sessions: list[str], reason: str, body: Any = None) -> list[tuple[str, Job]]:
        """Return the jobs that report ended sessions to the handler, once for each session."""
        for session in sessions:
            self._outgoing.over(session, Outcome("refused", reason))

        def job(session: str) -> Job:
            return lambda: self._handler.ended(session, reason, body)

        return [(each, job(each)) for each in sessions if self.sessions.remove(each)]

    def _end_here(self, sessions: Iterable[str], reason: str) -> None:
        for key, job in self._over(list(sessions), reason):
            self._serial.submit(key, job)

    def _refused(self, what: str, session: str, reason: str) -> None:
        if what in ("end", "clear"):
            return  # both ends ended it at once, or it ended long ago, or the end is sent again
        if what == "start":
            self.sessions.remove(session)
        self._serial.submit(session, lambda: self._handler.refused(session, what, reason))
        if reason == GONE:
            self._end_here([session], reason)
