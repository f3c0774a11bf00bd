"""The waiting line for programs: `Queue`, `Visit` and `Agent`, each also for asyncio."""

from typing import Unpack

from . import visits
from .clients import AsyncClient, AsyncOptions, Client, Options
from .visits import AgentState, JoinWords, Said, Standing


class Queue(Client):
    """One queue. `token`: an API token that may bring visitors to its desk."""

    def __init__(self, url: str, token: str, queue: str, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.queue = queue

    def join(self, **words: Unpack[JoinWords]) -> Standing:
        """A new visitor: `room` or `waiting`, with the visit's ID, `token` and `place`.

        RejectedError: `queue-closed`, `queue-full`, `no-agent` …; `idempotency-done` when an
        earlier attempt joined and its response was lost: that visit ends without heartbeats.
        """
        return self._runner.run(visits.join(self.queue, words))


class Visit(Client):
    """One visit, with the token of its join or an API token of its desk.

    place: from the join; heartbeats send it, so that the place outlives a loss of data.
    """

    def __init__(
        self, url: str, token: str, visit: str, *, place: str = "", **options: Unpack[Options]
    ) -> None:
        super().__init__(url, token, **options)
        self.visit = visit
        self.place = place

    def beat(self) -> Standing:
        """The visitor is still there. At least once in the desk's heartbeat timeout."""
        return self._runner.run(visits.beat(self.visit, self.place))

    def look(self) -> Standing:
        """Where the visit is, without a heartbeat."""
        return self._runner.run(visits.look(self.visit))

    def say(self, text: str, *, message_id: str = "") -> Said:
        """Send a message. The same ID is the same message; without one, each call is another."""
        return self._runner.run(visits.say(self.visit, text, message_id))

    def messages(self, after: int = 0) -> list[Said]:
        """What was said after this number, 200 messages at most."""
        return self._runner.run(visits.messages(self.visit, after))

    def leave(self) -> None:
        """End the visit."""
        self._runner.run(visits.leave(self.visit))


class Agent(Client):
    """One agent, by the user ID, with an API token that may serve at the desk."""

    def __init__(self, url: str, token: str, agent: int, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.agent = agent

    def rooms(self) -> AgentState:
        """The agent's state, rooms and offers; no heartbeat."""
        return self._runner.run(visits.rooms(self.agent))

    def login(self) -> AgentState:
        """Go online, or on after a pause."""
        return self._does("login")

    def beat(self) -> AgentState:
        """The agent is still there. At least once in the desk's heartbeat timeout."""
        return self._does("beat")

    def pause(self, reason: str) -> AgentState:
        """Pause for one of the desk's reasons, when the last room has ended."""
        return self._does("pause", reason=reason)

    def logout(self, reason: str = "") -> AgentState:
        """Go offline, when the last room has ended."""
        return self._does("logout", reason=reason)

    def ready(self) -> AgentState:
        """End the wrap-up early."""
        return self._does("ready")

    def take(self, visit: str = "") -> AgentState:
        """Take a given visitor, or the next one: `visit` says whom."""
        return self._does("take", visit=visit or None)

    def accept(self, visit: str, offer_token: str) -> AgentState:
        """Accept an offer. RejectedError `offer-over`: somebody else has it."""
        return self._does("accept", visit=visit, token=offer_token)

    def decline(self, visit: str, offer_token: str) -> AgentState:
        """Decline an offer: the visitor keeps the place."""
        return self._does("decline", visit=visit, token=offer_token)

    def finish(self, visit: str) -> AgentState:
        """End a room."""
        return self._does("finish", visit=visit)

    def say(self, visit: str, text: str, *, message_id: str = "") -> Said:
        """Send a message in a room. The same ID is the same message."""
        return self._runner.run(visits.say_as_agent(self.agent, visit, text, message_id))

    def _does(self, verb: str, **body: str | None) -> AgentState:
        return self._runner.run(visits.of_agent(self.agent, verb, body))


class AsyncQueue(AsyncClient):
    """One queue, for asyncio; otherwise as `Queue`."""

    def __init__(self, url: str, token: str, queue: str, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.queue = queue

    async def join(self, **words: Unpack[JoinWords]) -> Standing:
        """A new visitor: `room` or `waiting`, with the visit's ID, `token` and `place`."""
        return await self._runner.run(visits.join(self.queue, words))


class AsyncVisit(AsyncClient):
    """One visit, for asyncio; otherwise as `Visit`."""

    def __init__(
        self, url: str, token: str, visit: str, *, place: str = "", **options: Unpack[AsyncOptions]
    ) -> None:
        super().__init__(url, token, **options)
        self.visit = visit
        self.place = place

    async def beat(self) -> Standing:
        """The visitor is still there. At least once in the desk's heartbeat timeout."""
        return await self._runner.run(visits.beat(self.visit, self.place))

    async def look(self) -> Standing:
        """Where the visit is, without a heartbeat."""
        return await self._runner.run(visits.look(self.visit))

    async def say(self, text: str, *, message_id: str = "") -> Said:
        """Send a message. The same ID is the same message; without one, each call is another."""
        return await self._runner.run(visits.say(self.visit, text, message_id))

    async def messages(self, after: int = 0) -> list[Said]:
        """What was said after this number, 200 messages at most."""
        return await self._runner.run(visits.messages(self.visit, after))

    async def leave(self) -> None:
        """End the visit."""
        await self._runner.run(visits.leave(self.visit))


class AsyncAgent(AsyncClient):
    """One agent, for asyncio; otherwise as `Agent`."""

    def __init__(self, url: str, token: str, agent: int, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.agent = agent

    async def rooms(self) -> AgentState:
        """The agent's state, rooms and offers; no heartbeat."""
        return await self._runner.run(visits.rooms(self.agent))

    async def login(self) -> AgentState:
        """Go online, or on after a pause."""
        return await self._does("login")

    async def beat(self) -> AgentState:
        """The agent is still there. At least once in the desk's heartbeat timeout."""
        return await self._does("beat")

    async def pause(self, reason: str) -> AgentState:
        """Pause for one of the desk's reasons, when the last room has ended."""
        return await self._does("pause", reason=reason)

    async def logout(self, reason: str = "") -> AgentState:
        """Go offline, when the last room has ended."""
        return await self._does("logout", reason=reason)

    async def ready(self) -> AgentState:
        """End the wrap-up early."""
        return await self._does("ready")

    async def take(self, visit: str = "") -> AgentState:
        """Take a given visitor, or the next one: `visit` says whom."""
        return await self._does("take", visit=visit or None)

    async def accept(self, visit: str, offer_token: str) -> AgentState:
        """Accept an offer. RejectedError `offer-over`: somebody else has it."""
        return await self._does("accept", visit=visit, token=offer_token)

    async def decline(self, visit: str, offer_token: str) -> AgentState:
        """Decline an offer: the visitor keeps the place."""
        return await self._does("decline", visit=visit, token=offer_token)

    async def finish(self, visit: str) -> AgentState:
        """End a room."""
        return await self._does("finish", visit=visit)

    async def say(self, visit: str, text: str, *, message_id: str = "") -> Said:
        """Send a message in a room. The same ID is the same message."""
        return await self._runner.run(visits.say_as_agent(self.agent, visit, text, message_id))

    async def _does(self, verb: str, **body: str | None) -> AgentState:
        return await self._runner.run(visits.of_agent(self.agent, verb, body))
