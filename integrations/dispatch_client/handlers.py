"""The handlers of a peer. Override the methods that you need."""

from typing import Any


class Handler:
    """The calls that both kinds of peers receive.

    The calls of one session are made one after another, in the order of the frames. Calls of
    different sessions run concurrently. A frame is acknowledged when its call has returned.
    """

    async def linked(self, arrival: str) -> None:
        """The link is registered. `arrival` is `new`, `reconnect`, `takeover` or `restart`."""

    async def message(self, session: str, body: Any) -> None:
        """The other end sent a message."""

    async def ended(self, session: str, reason: str, body: Any) -> None:
        """The session has ended. Free the resources that it uses.

        This is called exactly once for each session that this peer did not end itself, whatever
        ended it: the other end (only then is there a `body`), the dispatcher, a message that was
        refused with `no such session`, a link that was refused for good, or `stop`.
        """

    async def refused(self, session: str, what: str, reason: str) -> None:
        """The dispatcher did not accept a `start`, `message` or `deliver`; `what` names it.

        The object that `send`, `deliver` or `begin` returned has the same outcome. A session whose
        `start` was refused never began, so `ended` is not called for it. The reason
        `link lost` occurs where each connection counts as a new one: it is unknown whether the
        frame arrived.
        """

    async def delivered(self, sender: str, body: Any) -> None:
        """A message outside any session was received."""


class FrontHandler(Handler):
    """The calls that a front-end receives."""


class InstanceHandler(Handler):
    """The calls that an instance receives."""

    async def started(self, session: str, front: str, body: Any) -> None:
        """A front-end started a session."""
