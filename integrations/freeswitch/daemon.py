"""Connects one FreeSWITCH to one pool while `run` runs."""

import asyncio
import contextlib
import logging
import random
from collections.abc import Mapping

import httpx

from . import switch
from .calls import Calls
from .clock import SwitchClock
from .connection import Connection, Lost, Refused
from .delivery import Delivery
from .lines import Lines
from .outbox import Outbox
from .pool import TIMEOUT_SECONDS, Pool, Rejected, Unreachable
from .pushes import listen
from .reports import hang_up
from .retrying import pause_seconds
from .settings import Settings

logger = logging.getLogger(__name__)

_ENDS = frozenset({"CHANNEL_HANGUP", "CHANNEL_HANGUP_COMPLETE", "CHANNEL_DESTROY"})
_LIVES = frozenset({"CHANNEL_CREATE", "CHANNEL_ANSWER"})
FLUSH_SECONDS = 5.0
TROUBLED_SECONDS = 2.0  # shortest time between two readings of all lists


class Daemon:
    """Reports FreeSWITCH's events, and reads its lists whenever events may be missing.

    Both are needed: events arrive at once but can be lost; lists are complete but late.
    """

    def __init__(
        self, settings: Settings, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._settings = settings
        self._http = httpx.AsyncClient(
            base_url=settings.url, timeout=TIMEOUT_SECONDS, transport=transport
        )
        self.pool = Pool(self._http, slug=settings.pool, token=settings.token)
        self.outbox = Outbox(settings.reports_limit)
        self._delivery = Delivery(self.pool, self.outbox)
        self.clock = SwitchClock()
        self.calls = Calls()
        self.lines = Lines(
            pattern=settings.number_pattern,
            multiple=settings.multiple_registrations,
            gateways=settings.gateways,
            clock=self.clock,
        )
        self.core = ""
        self._sequence = 0
        self._has_read = False  # whether all lists were read on this connection
        self._trouble = asyncio.Event()
        self._must_end: asyncio.Queue[str] = asyncio.Queue(10_000)

    async def run(self, stop: asyncio.Event | None = None) -> None:
        """Run until cancelled or until `stop` is set.

        After `stop`, waiting reports are still sent for a few seconds.
        """
        works = [
            asyncio.create_task(each)
            for each in (
                self._stay_connected(),
                self._delivery.run(),
                listen(self._settings, self._on_hang_up),
            )
        ]
        waiting = asyncio.create_task((stop or asyncio.Event()).wait())
        try:
            await asyncio.wait([*works, waiting], return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                works[0].cancel()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FLUSH_SECONDS):
                        await self.outbox.emptied()
        finally:
            for task in (*works, waiting):
                task.cancel()
            ends = await asyncio.gather(*works, return_exceptions=True)
            await self._http.aclose()
        for end in ends:
            if isinstance(end, Exception):
                raise end

    # -- FreeSWITCH --------------------------------------------------------------------------

    async def _stay_connected(self) -> None:
        failures = 0
        while True:
            connection = Connection(self._on_event, timeout_seconds=self._settings.reply_seconds)
            self._has_read = False
            try:
                await connection.open(
                    self._settings.host, self._settings.port, self._settings.password
                )
                await self._begin(connection)
                await self._serve(connection)
            except Lost as error:
                level = logging.ERROR if isinstance(error, Refused) else logging.WARNING
                logger.log(level, "FreeSWITCH: %s", error)
            finally:
                await connection.close()
            # Also slow down if FreeSWITCH accepts the login but cannot answer.
            failures = 0 if self._has_read else failures + 1
            await asyncio.sleep(pause_seconds(failures))

    async def _begin(self, connection: Connection) -> None:
        """Learn which run of FreeSWITCH this is. The calls of an earlier run are over."""
        core = await switch.core_uuid(connection)
        if core != self.core:
            if self.core:
                logger.warning("FreeSWITCH has restarted: its calls are over")
            self.core, self.calls = core, Calls()
            self._delivery.speak_as(self._settings.switch, core)
        self._sequence = 0
        await switch.subscribe(connection, every_event=self._settings.every_event)
        logger.info("connected to FreeSWITCH %s", core)

    async def _serve(self, connection: Connection) -> None:
        """Serve the connection until it ends, then raise Lost."""
        works = [
            asyncio.create_task(each)
            for each in (
                connection.closed(),
                self._read_lists(connection),
                self._hang_up(connection),
            )
        ]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in works:
                task.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    def _on_event(self, event: Mapping[str, str]) -> None:
        try:
            self._take(event)
        except Exception:  # an unreadable event must not block the next one
            logger.exception("could not handle an event")
            self._trouble.set()

    def _take(self, event: Mapping[str, str]) -> None:
        self._watch_sequence(event)
        name = event.get("Event-Name", "")
        if name in _ENDS:
            self.clock.at_us(event)
            ended = self.calls.end(event)
            if ended is not None:
                self.outbox.put([hang_up(*ended)])
        elif name in _LIVES:
            self.calls.see(event)
        elif name == "CUSTOM":
            self.outbox.put(self.lines.event(event))
        elif name == "HEARTBEAT":
            self.clock.at_us(event)
        elif name == "SHUTDOWN":
            logger.warning("FreeSWITCH is shutting down")

    def _watch_sequence(self, event: Mapping[str, str]) -> None:
        """Notice lost events by gaps in their numbers.

        FreeSWITCH numbers all of its events, including those that we did not subscribe to. So a gap
        means a loss only if we subscribed to every event.
        """
        told = event.get("Event-Sequence", "")
        if not self._settings.every_event or not (told.isascii() and told.isdecimal()):
            return
        before, self._sequence = self._sequence, max(self._sequence, int(told))
        if before and int(told) > before + 1:
            logger.info("events %d to %d did not come", before + 1, int(told) - 1)
            self._trouble.set()

    # -- lists -------------------------------------------------------------------------------

    async def _read_lists(self, connection: Connection) -> None:
        """Read all lists at intervals and after lost events. Send the live list more often."""
        loop = asyncio.get_running_loop()
        settings = self._settings
        all_again_at = 0.0
        while True:
            everything = self._trouble.is_set() or loop.time() >= all_again_at
            self._trouble.clear()
            if self.outbox.overflowed:
                self.outbox.overflowed, everything = False, True
            if everything:
                await self._report_registrations(connection)
                all_again_at = loop.time() + _spread(settings.registrations_seconds)
            await self._report_calls(connection, ask_all=everything)
            self._has_read = True
            await self._pause(_spread(settings.live_seconds))

    async def _pause(self, seconds: float) -> None:
        """Wait `seconds`, or less if events are missing.

        The shorter wait is still TROUBLED_SECONDS, so that reading lists doesn't become a storm.
        """
        shortest = min(seconds, TROUBLED_SECONDS)
        await asyncio.sleep(shortest)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds - shortest):
                await self._trouble.wait()

    async def _report_registrations(self, connection: Connection) -> None:
        at_us = self.clock.now_us()
        self.lines.begin_list()
        rows = await switch.registrations(connection)
        self.outbox.put(self.lines.listed(rows, at_us))
        for name in self.lines.gateways:
            state = await switch.gateway_state(connection, name)
            self.outbox.put(self.lines.gateway_listed(name, state))

    async def _report_calls(self, connection: Connection, *, ask_all: bool) -> None:
        """Send the live list. It names the newest server time known before the list was read."""
        as_of_us = self.pool.as_of_us
        listed = await switch.channels(connection)
        for channel in self.calls.unknown(listed, ask_all=ask_all):
            call_id, number = await switch.call_of(connection, channel)
            self.calls.carries(channel, call_id, number)
        self.calls.listed(listed)
        try:
            answer = await self.pool.send_live_list(
                {
                    "switch": self._settings.switch,
                    "incarnation": self.core,
                    "as_of": as_of_us,
                    "calls": self.calls.live(),
                }
            )
        except (Unreachable, Rejected) as error:
            logger.warning("the live list was not taken: %s", error)
            return
        if conflicts := answer.get("conflict"):
            logger.warning("the pool has other calls on these numbers: %s", conflicts)
        for call_id in answer.get("hang_up") or []:
            self._on_hang_up(str(call_id))

    # -- hang-ups that the platform requests -----------------------------------------------------

    def _on_hang_up(self, call_id: str) -> None:
        with contextlib.suppress(asyncio.QueueFull):  # the next live list repeats it
            self._must_end.put_nowait(call_id)

    async def _hang_up(self, connection: Connection) -> None:
        while True:
            call_id = await self._must_end.get()
            for channel in self.calls.channels_of(call_id):
                await switch.kill(connection, channel)


def _spread(seconds: float) -> float:
    return seconds * random.uniform(0.9, 1.1)  # noqa: S311  spread, not secrecy
