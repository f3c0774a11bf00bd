"""An acquire that waits. Its turn is in the gate's line, and this process asks for it again.

The gate's wake channel reports changes. Listeners ask at once, together in one list, and once more
a moment later, because changes within a tenth of a second are reported once. Requests that don't
listen ask again at intervals.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from poolsite import hotpath
from poolsite.api import waiting
from queueing.admission import gate as commands
from queueing.admission.schemas import AcquireIn

logger = logging.getLogger(__name__)

Ask = Callable[[commands.Request[Any]], Awaitable[Any]]
LISTENERS: Final = commands.REQUESTS_LIMIT  # per gate and process: as many as fit into one list
AGAIN_SECONDS: Final = 0.1
IDLE_SECONDS: Final = 1.0


async def acquire(slug: str, given: AcquireIn, ask: Ask) -> commands.Permit:
    """Request a permit, for up to `given.wait_ms`. Raise what `ask` raises.

    If there is no permit in the end, the turn is given up too, unless `keep_place` is set. If the
    client gives up (the task is cancelled), neither a turn nor a permit remains.
    """
    room = waiting.room()
    if not given.wait_ms or room.is_full:
        permit: commands.Permit = await ask(commands.to_acquire(given.holder, given.weight))
        return permit
    with room.one_more():
        return await _Wait(slug, given, ask).run()


class _Wait:
    """An acquire while it waits."""

    def __init__(self, slug: str, given: AcquireIn, ask: Ask) -> None:
        self._given = given
        self._ask = ask
        self._channel = commands.GateKeys(slug).wake_channel
        self._began_at = asyncio.get_running_loop().time()
        self._ends_at = self._began_at + given.wait_ms / 1_000
        self._news: asyncio.Event | None = None
        self._last: commands.Permit | None = None

    async def run(self) -> commands.Permit:
        """Ask until there is a permit or the time is up."""
        try:
            async with contextlib.AsyncExitStack() as stack:
                permit = await self._told(is_waiting=True)
                is_again, is_last = False, False
                while not (permit.granted or is_last):
                    if self._news is None and not self._others_listen():
                        listening = waiting.waiters().listening(self._channel, "")
                        self._news = await stack.enter_async_context(listening)
                    else:
                        is_again = await self._pause(is_again)
                    is_last = self._left() <= 0
                    permit = await self._told(is_waiting=not is_last)
        except asyncio.CancelledError:
            await asyncio.shield(self._leave())
            raise
        if not permit.granted and not self._given.keep_place:
            await self._leave()
        return permit

    def _left(self) -> float:
        return self._ends_at - asyncio.get_running_loop().time()

    def _others_listen(self) -> bool:
        return waiting.waiters().count(self._channel) >= LISTENERS

    async def _pause(self, is_again: bool) -> bool:
        """Wait for a change, or until it is time to ask again. Return whether it changed."""
        seconds = min(self._left(), AGAIN_SECONDS if is_again else IDLE_SECONDS)
        if self._news is None:
            await asyncio.sleep(max(0.0, seconds))
            return False
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), max(0.0, seconds))
        was_woken = self._news.is_set()
        self._news.clear()
        return was_woken

    async def _told(self, *, is_waiting: bool) -> commands.Permit:
        """Ask once. If cancelled, wait for the reply first: it may be a permit to return."""
        request = commands.to_acquire(self._given.holder, self._given.weight, waits=is_waiting)
        waited_seconds = asyncio.get_running_loop().time() - self._began_at
        asked = asyncio.ensure_future(self._ask(request))
        try:
            told: commands.Permit = await asyncio.shield(asked)
            self._last = replace(told, waited_ms=int(waited_seconds * 1_000))
        except asyncio.CancelledError:
            with contextlib.suppress(hotpath.HotPathError, commands.GateRefusedError):
                self._last = await asked
            raise
        return self._last

    async def _leave(self) -> None:
        last = self._last
        if last is None or last.reason == commands.reasons.REPEAT:
            return  # the holder already had its permit
        token, at_us = (last.token, None) if last.granted else (None, last.now_us)
        try:
            await self._ask(commands.to_leave(self._given.holder, token, at_us))
        except hotpath.HotPathError as error:
            logger.info("admission: a waiting acquire could not leave: %s", error)
