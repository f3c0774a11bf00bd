"""A pool for switches: `Pool` with blocking calls, `AsyncPool` with asyncio."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from . import calls
from .calls import CallWords, EventResult, HangupWords, LiveResult, NumberWords, Origin, PoolState
from .clients import AsyncClient, AsyncOptions, Client, Options
from .errors import RejectedError


class Pool(Client):
    """One pool of numbers. `token` is an API token that may send its events.

    You can repeat each method with the same call ID. RejectedError means that the pool does not
    allow the event: `kind` is `exhausted`, `insufficient-balance`, `conflict` …, and
    `body["reason"]` has the details.
    """

    def __init__(self, url: str, token: str, pool: str, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.state = PoolState(pool)

    def call(self, call_id: str, **words: Unpack[CallWords]) -> EventResult:
        """Begin a call. Return its number, and how long the call has it."""
        return self._runner.run(calls.call(self.state, call_id, words))

    def hangup(self, call_id: str, **words: Unpack[HangupWords]) -> EventResult:
        """End a call."""
        return self._runner.run(calls.hangup(self.state, call_id, words))

    def renew(self, call_id: str, **words: Unpack[Origin]) -> EventResult:
        """Extend a call's use of its number for another lease."""
        return self._runner.run(calls.renew(self.state, call_id, words))

    def add(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Add a number, if the pool accepts numbers from programs."""
        return self._runner.run(calls.about_number(self.state, "add", number, words))

    def remove(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Delete a number."""
        return self._runner.run(calls.about_number(self.state, "del", number, words))

    def register(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Report that the number's phone has registered."""
        return self._runner.run(calls.about_number(self.state, "reg", number, words))

    def unregister(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Report that the number's phone is no longer registered."""
        return self._runner.run(calls.about_number(self.state, "unreg", number, words))

    def send(self, events: Sequence[Mapping[str, Any]]) -> list[EventResult | RejectedError]:
        """Send events in the format of the API, in order. Return a result for each."""
        return self._runner.run(calls.send(self.state, events))

    def live(self, switch: str, incarnation: str, current: Iterable[tuple[str, str]]) -> LiveResult:
        """Report a switch's current calls as pairs of call ID and number ("" if unknown)."""
        return self._runner.run(calls.live(self.state, switch, incarnation, current))


class AsyncPool(AsyncClient):
    """Like `Pool`, for asyncio."""

    def __init__(self, url: str, token: str, pool: str, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.state = PoolState(pool)

    async def call(self, call_id: str, **words: Unpack[CallWords]) -> EventResult:
        """Begin a call. Return its number, and how long the call has it."""
        return await self._runner.run(calls.call(self.state, call_id, words))

    async def hangup(self, call_id: str, **words: Unpack[HangupWords]) -> EventResult:
        """End a call."""
        return await self._runner.run(calls.hangup(self.state, call_id, words))

    async def renew(self, call_id: str, **words: Unpack[Origin]) -> EventResult:
        """Extend a call's use of its number for another lease."""
        return await self._runner.run(calls.renew(self.state, call_id, words))

    async def add(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Add a number, if the pool accepts numbers from programs."""
        return await self._runner.run(calls.about_number(self.state, "add", number, words))

    async def remove(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Delete a number."""
        return await self._runner.run(calls.about_number(self.state, "del", number, words))

    async def register(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Report that the number's phone has registered."""
        return await self._runner.run(calls.about_number(self.state, "reg", number, words))

    async def unregister(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Report that the number's phone is no longer registered."""
        return await self._runner.run(calls.about_number(self.state, "unreg", number, words))

    async def send(self, events: Sequence[Mapping[str, Any]]) -> list[EventResult | RejectedError]:
        """Send events in the format of the API, in order. Return a result for each."""
        return await self._runner.run(calls.send(self.state, events))

    async def live(
        self, switch: str, incarnation: str, current: Iterable[tuple[str, str]]
    ) -> LiveResult:
        """Report a switch's current calls as pairs of call ID and number ("" if unknown)."""
        return await self._runner.run(calls.live(self.state, switch, incarnation, current))
