"""A pool for switches: `Pool` with blocking calls, `AsyncPool` with asyncio."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from . import calls
from .calls import CallWords, EventResult, HangupWords, LiveResult, NumberWords, Origin, PoolState
from .clients import AsyncClient, AsyncOptions, Client, Options
from .errors import RejectedError


class Pool(Client):
    """One pool of numbers. `token`: an API token that may send its events.

    Each method may be repeated with the same call ID. RejectedError: the pool does not allow it;
    `kind` is `exhausted`, `insufficient-balance`, `conflict` …, `body["reason"]` says more.
    """

    def __init__(self, url: str, token: str, pool: str, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.state = PoolState(pool)

    def call(self, call_id: str, **words: Unpack[CallWords]) -> EventResult:
        """Begin a call: the number that it has, and for how long."""
        return self._runner.run(calls.call(self.state, call_id, words))

    def hangup(self, call_id: str, **words: Unpack[HangupWords]) -> EventResult:
        """End a call."""
        return self._runner.run(calls.hangup(self.state, call_id, words))

    def renew(self, call_id: str, **words: Unpack[Origin]) -> EventResult:
        """Keep a call's number for another lease."""
        return self._runner.run(calls.renew(self.state, call_id, words))

    def add(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Add a number, if the pool takes numbers from programs."""
        return self._runner.run(calls.about_number(self.state, "add", number, words))

    def remove(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Delete a number."""
        return self._runner.run(calls.about_number(self.state, "del", number, words))

    def register(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """The number's phone has registered."""
        return self._runner.run(calls.about_number(self.state, "reg", number, words))

    def unregister(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """The number's phone has gone."""
        return self._runner.run(calls.about_number(self.state, "unreg", number, words))

    def send(self, events: Sequence[Mapping[str, Any]]) -> list[EventResult | RejectedError]:
        """Send events as the interface has them, in order; a result for each."""
        return self._runner.run(calls.send(self.state, events))

    def live(self, switch: str, incarnation: str, current: Iterable[tuple[str, str]]) -> LiveResult:
        """Tell which calls a switch has now: pairs of call ID and number ("" = unknown)."""
        return self._runner.run(calls.live(self.state, switch, incarnation, current))


class AsyncPool(AsyncClient):
    """One pool of numbers, for asyncio; otherwise as `Pool`."""

    def __init__(self, url: str, token: str, pool: str, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.state = PoolState(pool)

    async def call(self, call_id: str, **words: Unpack[CallWords]) -> EventResult:
        """Begin a call: the number that it has, and for how long."""
        return await self._runner.run(calls.call(self.state, call_id, words))

    async def hangup(self, call_id: str, **words: Unpack[HangupWords]) -> EventResult:
        """End a call."""
        return await self._runner.run(calls.hangup(self.state, call_id, words))

    async def renew(self, call_id: str, **words: Unpack[Origin]) -> EventResult:
        """Keep a call's number for another lease."""
        return await self._runner.run(calls.renew(self.state, call_id, words))

    async def add(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Add a number, if the pool takes numbers from programs."""
        return await self._runner.run(calls.about_number(self.state, "add", number, words))

    async def remove(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """Delete a number."""
        return await self._runner.run(calls.about_number(self.state, "del", number, words))

    async def register(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """The number's phone has registered."""
        return await self._runner.run(calls.about_number(self.state, "reg", number, words))

    async def unregister(self, number: str, **words: Unpack[NumberWords]) -> EventResult:
        """The number's phone has gone."""
        return await self._runner.run(calls.about_number(self.state, "unreg", number, words))

    async def send(self, events: Sequence[Mapping[str, Any]]) -> list[EventResult | RejectedError]:
        """Send events as the interface has them, in order; a result for each."""
        return await self._runner.run(calls.send(self.state, events))

    async def live(
        self, switch: str, incarnation: str, current: Iterable[tuple[str, str]]
    ) -> LiveResult:
        """Tell which calls a switch has now: pairs of call ID and number ("" = unknown)."""
        return await self._runner.run(calls.live(self.state, switch, incarnation, current))
