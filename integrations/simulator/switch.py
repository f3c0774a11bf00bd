"""One simulated switch: registers its lines, places calls, and suffers mishaps."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field

from integrations.simulator.call_log import CallLog
from integrations.simulator.client import Answer, PoolClient, UnreachableError, until_answered
from integrations.simulator.config import Mishaps, PoolConfig, SwitchConfig


@dataclass
class SwitchCounters:
    """What this switch saw, for the report at the end."""

    offered: int = 0
    carried: int = 0
    blocked: int = 0
    unknown: int = 0
    restarts: int = 0
    lost_hangups: int = 0
    duplicates: int = 0
    refused: dict[str, int] = field(default_factory=dict)


class SimulatedSwitch:
    """Plays one switch of one pool over the public interface.

    The calls that it really has stand in `self.calls` (call id → number); the log is
    written before the pool is told of an end, so that it shows true use.
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
        self.counters = SwitchCounters()
        self.incarnation = self._new_incarnation()
        self._as_of = 0
        self._calls_made = 0
        self._register_sequence = 0
        self._down: set[str] = set()
        self._resting = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, *, live_list_seconds: float, register_expires_seconds: int) -> None:
        """Play until cancelled."""
        await self._register_until_done(register_expires_seconds)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._offer_calls())
            group.create_task(self._repeat(live_list_seconds, self.send_live_list))
            group.create_task(
                self._repeat(
                    register_expires_seconds / 3,
                    lambda: self.register(register_expires_seconds),
                )
            )
            group.create_task(self._repeat(self.mishaps.line_flap_every_seconds, self._flap_a_line))
            group.create_task(
                self._restart_now_and_then(register_expires_seconds=register_expires_seconds)
            )

    # -- registration -------------------------------------------------------------------

    async def register(self, expires_seconds: int) -> None:
        """Register every line that is up, as phones do before their registration ends."""
        self._register_sequence += 1
        await self.client.send_many(
            [
                self._event("reg", number=line, **self._registration(line, expires_seconds))
                for line in self.switch.lines
                if line not in self._down
            ]
        )

    def _registration(self, line: str, expires_seconds: int) -> dict[str, object]:
        return {
            "contact": f"sip:{line.lstrip('+')}@{self.switch.name}",
            "expires": expires_seconds,
            "seq": self._register_sequence,
        }

    async def _register_until_done(self, expires_seconds: int) -> None:
        while True:
            try:
                await self.register(expires_seconds)
                return
            except UnreachableError:
                await asyncio.sleep(1.0)

    async def _flap_a_line(self) -> None:
        """One line goes down, or one that was down comes back."""
        if self._down and self.chance.random() < 0.6:
            line = self._down.pop()
            self._register_sequence += 1
            event = self._event("reg", number=line, **self._registration(line, 300))
        else:
            line = self.chance.choice(self.switch.lines)
            self._down.add(line)
            event = self._event("unreg", number=line)
        await self.client.send(event)

    # -- calls ----------------------------------------------------------------------------

    async def _offer_calls(self) -> None:
        """Poisson arrivals; this switch carries its share of the pool's offered load."""
        share = self.pool.offered_erlangs / len(self.pool.switches)
        calls_per_second = share / self.pool.mean_call_seconds
        while True:
            await asyncio.sleep(self.chance.expovariate(calls_per_second))
            if not self._resting:
                self._start(self.place_call())

    async def place_call(self) -> None:
        """One call from its dial to its end, as its agent lives it."""
        self._calls_made += 1
        self.counters.offered += 1
        call_id = f"{self.incarnation}-{self._calls_made}@{self.switch.name}"
        answer = await until_answered(self.client, self._call_event(call_id))
        if answer is None:
            self.counters.unknown += 1
            return
        if not answer.ok:
            self._count_refusal(answer)
            return
        if self._resting or not call_id.startswith(self.incarnation):
            # Restarted while it waited: the pool has released the call. Going to rest: say so.
            await until_answered(self.client, self._event("hangup", call_id=call_id))
            return
        number = str(answer.body["number"])
        self.counters.carried += 1
        self.calls[call_id] = number
        self.log.begin(switch=self.switch.name, number=number, call_id=call_id)
        await asyncio.sleep(self.chance.expovariate(1 / self.pool.mean_call_seconds))
        await self.hang_up(call_id)

    def _call_event(self, call_id: str) -> dict[str, object]:
        prefix = self.chance.choice(self.pool.callee_prefixes)
        callee = prefix + "".join(self.chance.choice("0123456789") for _ in range(9))
        event = self._event(
            "call", call_id=call_id, agent=self.chance.choice(self.pool.agents), callee=callee
        )
        if self.pool.wait_milliseconds:
            event["wait_ms"] = self.pool.wait_milliseconds
        if self.chance.random() < self.pool.inbound_share:
            event |= {"direction": "in", "number": self.chance.choice(self.switch.lines)}
        return event

    def _count_refusal(self, answer: Answer) -> None:
        if answer.reason == "exhausted":
            self.counters.blocked += 1
        else:
            refused = self.counters.refused
            refused[answer.reason] = refused.get(answer.reason, 0) + 1

    async def hang_up(self, call_id: str) -> None:
        """End a call of ours; the pool may hear of it late, twice, or never."""
        number = self.calls.pop(call_id, None)
        if number is None:
            return
        self.log.end(switch=self.switch.name, number=number, call_id=call_id)
        draw = self.chance.random()
        if draw < self.mishaps.lost_hangup:
            self.counters.lost_hangups += 1
            return
        if draw < self.mishaps.lost_hangup + self.mishaps.late_hangup:
            await asyncio.sleep(self.chance.uniform(0, self.mishaps.late_seconds))
        event = self._event("hangup", number=number, call_id=call_id)
        await until_answered(self.client, event)
        if self.chance.random() < self.mishaps.duplicate_event:
            self.counters.duplicates += 1
            await until_answered(self.client, event)

    async def rest(self) -> None:
        """Place no more calls, and end those there are; live lists go on."""
        self._resting = True
        await asyncio.gather(*(self.hang_up(call_id) for call_id in list(self.calls)))

    # -- live lists and restarts --------------------------------------------------------------

    async def send_live_list(self) -> None:
        """Report the calls we have; end those that the pool says must end."""
        report = {
            "switch": self.switch.name,
            "incarnation": self.incarnation,
            "as_of": self._as_of,
            "calls": [{"call_id": key, "number": value} for key, value in self.calls.items()],
        }
        answer = await self.client.send_live_list(report)
        self._as_of = int(answer.body.get("as_of", self._as_of))
        for call_id in answer.body.get("hang_up", []):
            await self.hang_up(call_id)

    async def _restart_now_and_then(self, *, register_expires_seconds: int) -> None:
        while True:
            await asyncio.sleep(self.chance.expovariate(1 / self.mishaps.restart_every_seconds))
            await self.restart()
            await self._register_until_done(register_expires_seconds)

    async def restart(self) -> None:
        """Die with every call, and come back under a new incarnation."""
        self.counters.restarts += 1
        for task in self._tasks:
            task.cancel()
        for call_id, number in self.calls.items():
            self.log.end(switch=self.switch.name, number=number, call_id=call_id)
        self.calls.clear()
        await asyncio.sleep(self.chance.uniform(0.5, 3.0))
        self.incarnation = self._new_incarnation()

    # -- small things ---------------------------------------------------------------------------

    def _event(self, name: str, **fields: object) -> dict[str, object]:
        return {
            "event": name,
            "switch": self.switch.name,
            "incarnation": self.incarnation,
            **fields,
        }

    def _new_incarnation(self) -> str:
        return f"{time.time_ns() // 1_000_000:x}{self.chance.randrange(16**4):04x}"

    def _start(self, call: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(call)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _repeat(self, seconds: float, action: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds * self.chance.uniform(0.9, 1.1))
            try:
                await action()
            except UnreachableError:
                continue
