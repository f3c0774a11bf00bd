"""A simulated switch: it registers its lines, places calls, and has mishaps."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Coroutine

from integrations.simulator.answers import CallEnd, draw_end
from integrations.simulator.call_log import CallLog
from integrations.simulator.client import (
    PoolClient,
    UnreachableError,
    until_answered,
)
from integrations.simulator.config import Mishaps, PoolConfig, SwitchConfig
from integrations.simulator.counters import SwitchCounters
from integrations.simulator.lines import Lines

logger = logging.getLogger(__name__)

# A call that the pool may have decided without our knowing belongs in the live list before the pool
# would judge its absence (calls younger than 10 s are not judged).
PENDING_SECONDS = 4.0
BATCH_PAUSE_SECONDS = 0.2
CALLS_AT_ONCE_LIMIT = 2_000  # attempts and calls of one switch: a limit, not a target
STEADY_LOAD_SECONDS = 12.0  # how fast a starting switch reaches its usual load
RESTING_SECONDS = 30.0  # how long a pool's numbers rest after a restart of their switch
AGAIN_SECONDS = 10.0


class SimulatedSwitch:
    """Simulates one switch of one pool through the public interface.

    `self.calls` has the switch's real calls (call ID → number). The log is written before the pool
    is notified of an end, so that it shows the real use.
    """

    def __init__(
        self,
        *,
        pool: PoolConfig,
        switch: SwitchConfig,
        client: PoolClient,
        log: CallLog,
        mishaps: Mishaps,
        chance: random.Random,
    ) -> None:
        self.pool, self.switch, self.client, self.log = pool, switch, client, log
        self.mishaps, self.chance = mishaps, chance
        self.calls: dict[str, str] = {}
        self.ends: dict[str, CallEnd] = {}
        self.pending: dict[str, float] = {}
        self.counters = SwitchCounters()
        self.incarnation = self._new_incarnation()
        self._calls_made = 0
        self.lines = Lines(switch, chance)
        self._expires_seconds = 300
        self._off = False
        self.resting = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, *, live_list_seconds: float, register_expires_seconds: int) -> None:
        """Run until cancelled, whatever the answers contain."""
        self._expires_seconds = register_expires_seconds
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repeat(live_list_seconds, self.send_live_list))
            group.create_task(self._registrations())
            group.create_task(self._offer_calls())
            group.create_task(self._repeat(self.mishaps.line_flap_every_seconds, self._flap_a_line))
            group.create_task(self._restart_now_and_then())

    # -- registration -------------------------------------------------------------------

    async def _registrations(self) -> None:
        """Register every line that is up, repeatedly before the registration ends."""
        while True:
            done = await self._guarded(self.register)
            again = self._expires_seconds / 3 * self.chance.uniform(0.9, 1.1)
            await asyncio.sleep(again if done else self.client.reach.pause_seconds())

    async def register(self) -> None:
        """Register the lines that are up, in batches with pauses: phones don't act in step."""
        for events in self.lines.registrations(self._expires_seconds):
            if self._off:
                return
            await self.client.send_batch([self._event(**event) for event in events])
            await asyncio.sleep(BATCH_PAUSE_SECONDS)

    async def _flap_a_line(self) -> None:
        event = self.lines.flap(self._expires_seconds, resting=self.resting)
        if event is not None:
            await self.client.send(self._event(**event))

    # -- calls ----------------------------------------------------------------------------

    async def _offer_calls(self) -> None:
        """Place calls as Poisson arrivals. This switch has its share of the pool's offered load."""
        share = self.pool.offered_erlangs / len(self.pool.switches)
        calls_per_second = share / self.pool.mean_call_seconds
        # Exponential calls have no memory: a load that has been steady for long looks like this.
        resting_until = time.monotonic() + RESTING_SECONDS
        for _ in range(int(share)):
            blocked = self.counters.blocked
            self._start(self.place_call())
            await asyncio.sleep(STEADY_LOAD_SECONDS / share)
            if self.counters.blocked > blocked and time.monotonic() < resting_until:
                await asyncio.sleep(AGAIN_SECONDS)  # numbers of an earlier run's calls rest
        while True:
            await asyncio.sleep(self.chance.expovariate(calls_per_second))
            idle = self.resting or self._off or self.client.reach.away
            if not idle and len(self._tasks) < CALLS_AT_ONCE_LIMIT:
                self._start(self.place_call())

    async def place_call(self) -> None:
        """Run one call from its dialling to its end, as its agent experiences it."""
        self._calls_made += 1
        self.counters.offered += 1
        incarnation = self.incarnation
        call_id = f"{incarnation}-{self._calls_made}@{self.switch.name}"
        event = self._call_event(call_id)
        self.pending[call_id] = time.monotonic()
        try:
            answer = await until_answered(self.client, event)
            if (
                answer is not None
                and answer.ok
                and self.chance.random() < self.mishaps.duplicate_event
            ):
                self.counters.duplicates += 1
                answer = await until_answered(self.client, event) or answer
        finally:
            self.pending.pop(call_id, None)
        if answer is None:
            self.counters.unknown += 1
            await self._hang_up_unknown(call_id)
            return
        if not answer.ok:
            self.counters.refuse(answer.reason)
            return
        number = str(answer.body.get("number", ""))
        if self.resting or incarnation != self.incarnation or not number:
            # After a restart during the wait, the pool has released the call. When going to rest,
            # report it.
            await self._hang_up_unknown(call_id)
            return
        self.counters.carried += 1
        self.calls[call_id] = number
        self.log.begin(switch=self.switch.name, number=number, call_id=call_id)
        end = draw_end(self.chance, number, self.pool.mean_call_seconds)
        self.ends[call_id] = end
        await asyncio.sleep(end.seconds)
        await self.hang_up(call_id)

    async def _hang_up_unknown(self, call_id: str) -> None:
        """Give up an attempt whose outcome is unknown, or which is no longer wanted."""
        await until_answered(self.client, self._event("hangup", call_id=call_id))

    def _call_event(self, call_id: str) -> dict[str, object]:
        prefix = self.chance.choice(self.pool.callee_prefixes)
        callee = prefix + "".join(self.chance.choice("0123456789") for _ in range(9))
        event = self._event(
            "call", call_id=call_id, agent=self.chance.choice(self.pool.agents), callee=callee
        )
        if self.chance.random() < self.pool.inbound_share:
            event |= {"direction": "in", "number": self.chance.choice(self.switch.lines)}
        elif self.pool.wait_milliseconds:
            event["wait_ms"] = self.pool.wait_milliseconds
        return event

    async def hang_up(self, call_id: str) -> None:
        """End one of this switch's calls. The pool's notice may be late, doubled or lost."""
        number = self.calls.pop(call_id, None)
        end = self.ends.pop(call_id, None)
        if number is None:
            return
        self.log.end(switch=self.switch.name, number=number, call_id=call_id)
        draw = self.chance.random()
        if draw < self.mishaps.lost_hangup:
            self.counters.lost_hangups += 1
            return
        if draw < self.mishaps.lost_hangup + self.mishaps.late_hangup:
            await asyncio.sleep(self.chance.uniform(0, self.mishaps.late_seconds))
        told = end.told() if end is not None else {}
        event = self._event("hangup", number=number, call_id=call_id, **told)
        answer = await until_answered(self.client, event)
        if answer is not None and answer.ok:
            self.log.released(
                switch=self.switch.name,
                number=number,
                call_id=call_id,
                told=told,
                reason=str(answer.body.get("reason") or ""),
            )
        if self.chance.random() < self.mishaps.duplicate_event:
            self.counters.duplicates += 1
            await until_answered(self.client, event)

    async def rest(self) -> None:
        """Place no more calls and end the present ones. Live lists continue."""
        self.resting = True
        await asyncio.gather(
            *(self.hang_up(call_id) for call_id in list(self.calls)), return_exceptions=True
        )

    # -- live lists and restarts --------------------------------------------------------------

    def live_list(self) -> dict[str, object]:
        """Return the current calls, and requested calls without an answer yet."""
        now = time.monotonic()
        unheard = [key for key, since in self.pending.items() if now - since > PENDING_SECONDS]
        calls = [{"call_id": key, "number": value} for key, value in self.calls.items()]
        return {
            "switch": self.switch.name,
            "incarnation": self.incarnation,
            "as_of": self.client.as_of_us,
            "calls": calls + [{"call_id": key} for key in unheard if key not in self.calls],
        }

    async def send_live_list(self) -> None:
        """Report the current calls, and end those that the pool wants to end."""
        answer = await self.client.send_live_list(self.live_list())
        if not answer.ok and answer.as_of_us:  # the server's clock was set back: use its time
            self.client.as_of_us = answer.as_of_us
        if answer.ok:
            self.log.listed(switch=self.switch.name)
        adopted = answer.body.get("adopted")
        self.counters.adopted += len(adopted) if isinstance(adopted, list) else 0
        must_end = answer.body.get("hang_up")
        for call_id in must_end if isinstance(must_end, list) else []:
            self._start(self.hang_up(str(call_id)))

    async def _restart_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(self.chance.expovariate(1 / self.mishaps.restart_every_seconds))
            await self.restart()
            await self._guarded(self.register)

    async def restart(self) -> None:
        """Lose every call, be away for a moment, and come back with a new incarnation."""
        self.counters.restarts += 1
        self._off = True
        for task in self._tasks:
            task.cancel()
        for call_id, number in self.calls.items():
            self.log.end(switch=self.switch.name, number=number, call_id=call_id)
        self.calls.clear()
        self.ends.clear()
        self.pending.clear()
        # At once: a call that is answered while it is cancelled must not continue.
        self.incarnation = self._new_incarnation()
        await asyncio.sleep(self.chance.uniform(0.5, 3.0))
        self._off = False

    # -- helpers --------------------------------------------------------------------------------

    def _event(self, event: str, **fields: object) -> dict[str, object]:
        return {
            "event": event,
            "switch": self.switch.name,
            "incarnation": self.incarnation,
            **fields,
        }

    def _new_incarnation(self) -> str:
        return f"{time.time_ns() // 1_000_000:x}{self.chance.randrange(16**4):04x}"

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.counters.faults += 1
            logger.error("%s: a call failed", self.switch.name, exc_info=task.exception())

    async def _repeat(self, seconds: float, action: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds * self.chance.uniform(0.9, 1.1))
            if not self._off:
                await self._guarded(action)

    async def _guarded(self, action: Callable[[], Awaitable[None]]) -> bool:
        """Run the action. A missing or unexpected answer is counted, and the switch continues."""
        try:
            await action()
        except UnreachableError as error:
            self.counters.unreachable += 1
            logger.info("%s: %s", self.switch.name, error)
            return False
        except Exception:
            self.counters.faults += 1
            logger.exception("%s: went on after a fault", self.switch.name)
            return False
        return True
