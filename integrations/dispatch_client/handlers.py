"""What a peer does with what it hears: to be overridden where needed."""

from typing import Any


class Handler:
    """What both kinds of peers hear.

    The calls of one session come one after another, in the order of the frames; those of
    different sessions side by side. A frame is acknowledged when its call has returned.
    """

    async def linked(self, arrival: str) -> None:
        """A link is up: `new`, `reconnect`, `takeover` or `restart`."""

    async def message(self, session: str, body: Any) -> None:
        """The other end sent a message."""

    async def ended(self, session: str, reason: str, body: Any) -> None:
        """The session is over: free what it holds.

        Called exactly once for each session that this end has not ended itself, whoever or
        whatever ended it: the other end (only then is there a `body`), the dispatcher, a message
        that was refused with `no such session`, a link that was refused for good, or `stop`.
        """

    async def refused(self, session: str, what: str, reason: str) -> None:
        """The dispatcher did not take a `start`, `message` or `deliver`.

        `what` was sent is told by what `send`, `deliver` and `begin` return. A session whose
        `start` was refused never began: there is no `ended` for it. `link lost`: where each
        connection is a new one, nobody knows whether it arrived.
        """

    async def delivered(self, sender: str, body: Any) -> None:
        """A message outside any session came."""


class FrontHandler(Handler):
    """What a front-end hears."""


class InstanceHandler(Handler):
    """What an instance hears."""

    async def started(self, session: str, front: str, body: Any) -> None:
        """A front-end began a session."""
