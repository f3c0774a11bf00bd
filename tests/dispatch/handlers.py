"""Peers' handlers that log what they hear, for the library's own classes."""

from typing import Any

from integrations.dispatch_client import FrontEnd, FrontHandler, Instance, InstanceHandler
from tests.support.waiting import eventually, patient


class Heard:
    """What a peer heard: (what, session or sender, arguments)."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, ...]] = []
        self.arrivals: list[str] = []

    def of(self, session: str) -> list[tuple[Any, ...]]:
        """Return what was heard of one session, in order, without the session."""
        return [(what, *words) for what, where, *words in self.all if where == session]

    def some(self, what: str) -> list[tuple[Any, ...]]:
        """Return what was heard of one kind."""
        return [tuple(words) for kind, *words in self.all if kind == what]

    async def linked(self, arrival: str) -> None:
        self.arrivals.append(arrival)

    async def message(self, session: str, body: Any) -> None:
        self.all.append(("message", session, body))

    async def ended(self, session: str, reason: str, body: Any) -> None:
        self.all.append(("ended", session, reason))

    async def refused(self, session: str, what: str, reason: str) -> None:
        self.all.append(("refused", session, what, reason))

    async def delivered(self, sender: str, body: Any) -> None:
        self.all.append(("delivered", sender, body))


class Caller(Heard, FrontHandler):
    """A front-end's handler that logs."""


class Server(Heard, InstanceHandler):
    """An instance that logs everything and answers nothing."""

    async def started(self, session: str, front: str, body: Any) -> None:
        self.all.append(("started", session, body))


class Echo(Server):
    """An instance that sends every message back."""

    instance: Instance

    async def started(self, session: str, front: str, body: Any) -> None:
        await super().started(session, front, body)
        await self.instance.send(session, {"hello": body})

    async def message(self, session: str, body: Any) -> None:
        await super().message(session, body)
        await self.instance.send(session, {"echo": body})


class Talk:
    """A front-end that sends numbers in its sessions, and an instance that sends each back.

    While an end is pending, messages for it are refused at once; what was not refused arrives
    once and in order.
    """

    def __init__(self, front: FrontEnd, heard: Caller, echo: Echo, sessions: list[str]) -> None:
        self.front, self.heard, self.echo, self.sessions = front, heard, echo, sessions
        self.sent = 0

    async def say(self) -> None:
        """Send the next number in every session."""
        for session in self.sessions:
            await self.front.send(session, self.sent)
        self.sent += 1

    async def settle(self, seconds: float = 60.0) -> None:
        """Wait until each end's frames are done, and a number has come back in every session."""
        for end in (self.front, self.echo.instance):
            await end.wait_registered(patient(seconds))
        for end in (self.front, self.echo.instance):
            assert await end.flush(patient(seconds))
        await eventually(lambda: all(self._whole(session) for session in self.sessions), seconds)
        before = self.sent
        while not all(self.back(session)[-1:] >= [before] for session in self.sessions):
            await self.say()
            await eventually(lambda: all(map(self._whole, self.sessions)), seconds)

    def arrived(self, session: str) -> list[int]:
        """Return the numbers that the instance heard."""
        return [words[1] for words in self.echo.of(session) if words[0] == "message"]

    def back(self, session: str) -> list[int]:
        """Return the numbers that came back."""
        told = [words[1] for words in self.heard.of(session) if words[0] == "message"]
        return [body["echo"] for body in told if "echo" in body]

    def _whole(self, session: str) -> bool:
        """Return whether each number has arrived or been refused, in both directions."""
        there, back = self.arrived(session), self.back(session)
        return self.sent - len(there) == refusals(self.heard, session) and len(there) - len(
            back
        ) == refusals(self.echo, session)

    def assert_once_and_in_order(self) -> None:
        """Check that nothing was lost silently, doubled or reordered, and no session ended."""
        for session in self.sessions:
            for numbers in (self.arrived(session), self.back(session)):
                assert numbers == sorted(set(numbers))
            assert self._whole(session)
            assert session in self.echo.instance.sessions
        assert self.heard.some("ended") == []


def refusals(heard: Heard, session: str) -> int:
    """Return how many messages of a session were refused."""
    return sum(words[:2] == ("refused", "message") for words in heard.of(session))
