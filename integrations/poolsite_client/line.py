"""The waiting line for programs: `Queue`, `Visit` and `Agent`, each also for asyncio."""

from typing import Unpack

from . import visits
from .clients import AsyncClient, AsyncOptions, Client, Options
from .visits import AgentState, JoinWords, Said, Standing


class Queue(Client):
    """One queue. `token` is an API token that may add visitors at its desk."""

    def __init__(self, url: str, token: str, queue: str, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.queue = queue

    def join(self, **words: Unpack[JoinWords]) -> Standing:
        """Add a new visitor. Return `room` or `waiting`, the visit's ID, `token` and `place`.

        Raise RejectedError with the kind `queue-closed`, `queue-full`, `no-agent` …, or with
        `idempotency-done` if an earlier attempt joined and its response was lost. That visit ends
        because it gets no heartbeats.
        """
        return self._runner.run(visits.join(self.queue, words))


class Visit(Client):
    """One visit, with the token that its join returned or an API token of its desk.

    place: as returned by the join. Heartbeats send it, so that the place survives a loss of data.
    """

    def __init__(
        self, url: str, token: str, visit: str, *, place: str = "", **options: Unpack[Options]
    ) -> None:
        super().__init__(url, token, **options)
        self.visit = visit
        self.place = place

    def beat(self) -> Standing:
        """Send a heartbeat: the visitor is still waiting.

        Do this at least once per heartbeat timeout of the desk.
        """
        return self._runner.run(visits.beat(self.visit, self.place))

    def look(self) -> Standing:
        """Return the visit's current state, without a heartbeat."""
        return self._runner.run(visits.look(self.visit))

    def say(self, text: str, *, message_id: str = "") -> Said:
        """Send a message.

        A repeat with the same ID is not stored again. Without an ID, each call is new.
        """
        return self._runner.run(visits.say(self.visit, text, message_id))

    def messages(self, after: int = 0) -> list[Said]:
        """Return up to 200 messages with a number greater than `after`."""
        return self._runner.run(visits.messages(self.visit, after))

    def leave(self) -> None:
        """End the visit."""
        self._runner.run(visits.leave(self.visit))


class Agent(Client):
    """One agent, identified by the user ID. The API token must be allowed to serve at the desk."""

    def __init__(self, url: str, token: str, agent: int, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.agent = agent

    def rooms(self) -> AgentState:
        """Return the agent's state, rooms and offers, without a heartbeat."""
        return self._runner.run(visits.rooms(self.agent))

    def login(self) -> AgentState:
        """Go online, or continue after a pause."""
        return self._does("login")

    def beat(self) -> AgentState:
        """Send a heartbeat: the agent is still online.

        Do this at least once per heartbeat timeout of the desk.
        """
        return self._does("beat")

    def pause(self, reason: str) -> AgentState:
        """Pause for one of the desk's reasons, as soon as the last room has ended."""
        return self._does("pause", reason=reason)

    def logout(self, reason: str = "") -> AgentState:
        """Go offline, as soon as the last room has ended."""
        return self._does("logout", reason=reason)

    def ready(self) -> AgentState:
        """End the wrap-up early."""
        return self._does("ready")

    def take(self, visit: str = "") -> AgentState:
        """Take the given visitor, or the next one. `visit` in the answer is the visitor's visit."""
        return self._does("take", visit=visit or None)

    def accept(self, visit: str, offer_token: str) -> AgentState:
        """Accept an offer.

        Raise RejectedError with the kind `offer-over` if someone else has it.
        """
        return self._does("accept", visit=visit, token=offer_token)

    def decline(self, visit: str, offer_token: str) -> AgentState:
        """Decline an offer. The visitor keeps the place in line."""
        return self._does("decline", visit=visit, token=offer_token)

    def finish(self, visit: str) -> AgentState:
        """End a room."""
        return self._does("finish", visit=visit)

    def say(self, visit: str, text: str, *, message_id: str = "") -> Said:
        """Send a message in a room. A repeat with the same ID is not stored again."""
        return self._runner.run(visits.say_as_agent(self.agent, visit, text, message_id))

    def _does(self, verb: str, **body: str | None) -> AgentState:
        return self._runner.run(visits.of_agent(self.agent, verb, body))


class AsyncQueue(AsyncClient):
    """Like `Queue`, for asyncio."""

    def __init__(self, url: str, token: str, queue: str, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.queue = queue

    async def join(self, **words: Unpack[JoinWords]) -> Standing:
        """Add a new visitor. Return `room` or `waiting`, the visit's ID, `token` and `place`.

        See `Queue.join` for the errors.
        """
        return await self._runner.run(visits.join(self.queue, words))


class AsyncVisit(AsyncClient):
    """Like `Visit`, for asyncio."""

    def __init__(
        self, url: str, token: str, visit: str, *, place: str = "", **options: Unpack[AsyncOptions]
    ) -> None:
        super().__init__(url, token, **options)
        self.visit = visit
        self.place = place

    async def beat(self) -> Standing:
        """Send a heartbeat: the visitor is still waiting.

        Do this at least once per heartbeat timeout of the desk.
        """
        return await self._runner.run(visits.beat(self.visit, self.place))

    async def look(self) -> Standing:
        """Return the visit's current state, without a heartbeat."""
        return await self._runner.run(visits.look(self.visit))

    async def say(self, text: str, *, message_id: str = "") -> Said:
        """Send a message.

        A repeat with the same ID is not stored again. Without an ID, each call is new.
        """
        return await self._runner.run(visits.say(self.visit, text, message_id))

    async def messages(self, after: int = 0) -> list[Said]:
        """Return up to 200 messages with a number greater than `after`."""
        return await self._runner.run(visits.messages(self.visit, after))

    async def leave(self) -> None:
        """End the visit."""
        await self._runner.run(visits.leave(self.visit))


class AsyncAgent(AsyncClient):
    """Like `Agent`, for asyncio."""

    def __init__(self, url: str, token: str, agent: int, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.agent = agent

    async def rooms(self) -> AgentState:
        """Return the agent's state, rooms and offers, without a heartbeat."""
        return await self._runner.run(visits.rooms(self.agent))

    async def login(self) -> AgentState:
        """Go online, or continue after a pause."""
        return await self._does("login")

    async def beat(self) -> AgentState:
        """Send a heartbeat: the agent is still online.

        Do this at least once per heartbeat timeout of the desk.
        """
        return await self._does("beat")

    async def pause(self, reason: str) -> AgentState:
        """Pause for one of the desk's reasons, as soon as the last room has ended."""
        return await self._does("pause", reason=reason)

    async def logout(self, reason: str = "") -> AgentState:
        """Go offline, as soon as the last room has ended."""
        return await self._does("logout", reason=reason)

    async def ready(self) -> AgentState:
        """End the wrap-up early."""
        return await self._does("ready")

    async def take(self, visit: str = "") -> AgentState:
        """Take the given visitor, or the next one. `visit` in the answer is the visitor's visit."""
        return await self._does("take", visit=visit or None)

    async def accept(self, visit: str, offer_token: str) -> AgentState:
        """Accept an offer.

        Raise RejectedError with the kind `offer-over` if someone else has it.
        """
        return await self._does("accept", visit=visit, token=offer_token)

    async def decline(self, visit: str, offer_token: str) -> AgentState:
        """Decline an offer. The visitor keeps the place in line."""
        return await self._does("decline", visit=visit, token=offer_token)

    async def finish(self, visit: str) -> AgentState:
        """End a room."""
        return await self._does("finish", visit=visit)

    async def say(self, visit: str, text: str, *, message_id: str = "") -> Said:
        """Send a message in a room. A repeat with the same ID is not stored again."""
        return await self._runner.run(visits.say_as_agent(self.agent, visit, text, message_id))

    async def _does(self, verb: str, **body: str | None) -> AgentState:
        return await self._runner.run(visits.of_agent(self.agent, verb, body))
