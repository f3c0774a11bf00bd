"""`python -m integrations.simulator.dispatch --config FILE --group SLUG --url ADDRESS`."""

import argparse
import asyncio
import contextlib
import logging
import random
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

import httpx

from integrations.simulator.dispatch.caller import Caller
from integrations.simulator.dispatch.config import GroupConfig, Mishaps, read_config, settings_of
from integrations.simulator.dispatch.fronts import SimulatedFront
from integrations.simulator.dispatch.instances import SimulatedInstance
from integrations.simulator.dispatch.supervisor import Supervisor
from integrations.simulator.kept import KeptTransport

SUMMARY_SECONDS = 10.0
TELL_SECONDS = 5.0
CONNECTIONS = 32


class Play:
    """The simulation of one group, until it is stopped."""

    def __init__(
        self, config: GroupConfig, url: str, http: httpx.AsyncClient, mishaps: Mishaps, seed: int
    ) -> None:
        self.config, self._http, self._mishaps = config, http, mishaps
        self._dice = random.Random(seed)  # noqa: S311  a simulation, not a secret
        settings = settings_of(config, url)
        self._caller = (
            Caller(http, config.pool, config.switch, config.pool_token) if config.pool else None
        )
        self.instances = {
            name: SimulatedInstance(settings, name, config.capacity, self._caller)
            for name in config.instances
        }
        self.fronts = [
            SimulatedFront(
                *(settings, peer_id, profile, random.Random(f"{seed}/{peer_id}")),  # noqa: S311
                session_seconds=config.session_seconds,
            )
            for peer_id, profile in config.fronts
        ]
        self.supervisor = Supervisor(http, config.slug, self.instances)

    async def run(self, stop: asyncio.Event) -> None:
        """Start all peers, run until `stop`, end all peers."""
        known = await self.supervisor.versions()
        for name, instance in self.instances.items():
            await instance.start(known.get(name, self.config.version))
        for front in self.fronts:
            await front.start()
        rate = self.config.sessions_per_second / len(self.fronts)
        works = [front.offer(rate) for front in self.fronts]
        works += [self.supervisor.run(), self._tell(), self._summarise(), *self._mishaps_of()]
        if self._caller is not None:
            works.append(self._caller.tell_what_is_live())
        tasks = [asyncio.create_task(work) for work in works]
        stopping: asyncio.Task[object] = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([*tasks, stopping], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()  # none of these tasks should end: raise its error
        finally:
            stopping.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for front in self.fronts:
                await front.stop()
            for instance in self.instances.values():
                await instance.die()

    # -- mishaps ----------------------------------------------------------------------------------

    def _mishaps_of(self) -> list[Coroutine[object, object, None]]:
        peers: list[SimulatedFront | SimulatedInstance] = [
            *self.fronts,
            *self.instances.values(),
        ]
        plans: list[tuple[float, Callable[[], object]]] = [
            (self._mishaps.flap_every_seconds, lambda: self._dice.choice(peers).flap()),
            (
                self._mishaps.front_restart_every_seconds,
                lambda: self._dice.choice(self.fronts).restart(),
            ),
            (self._mishaps.instance_death_every_seconds, self._kill),
        ]
        return [self._again(mean, what) for mean, what in plans if mean > 0]

    async def _again(self, mean_seconds: float, what: Callable[[], object]) -> None:
        while True:
            await asyncio.sleep(self._dice.expovariate(1 / mean_seconds))
            done = what()
            if asyncio.iscoroutine(done):
                await done

    async def _kill(self) -> None:
        """Kill an instance with all its sessions, and start it again."""
        instance = self._dice.choice(list(self.instances.values()))
        version = instance.version
        await instance.die()
        await asyncio.sleep(2.0)
        await instance.start(version)

    # -- reports ----------------------------------------------------------------------------------

    async def _tell(self) -> None:
        """Report each front-end's own count, for the group's page."""
        while True:
            await asyncio.sleep(TELL_SECONDS)
            for front in self.fronts:
                count = {"started": front.tally.started, "lost": front.tally.lost.total()}
                path = f"/api/v1/groups/{self.config.slug}/front-ends/{front.peer_id}/count"
                with contextlib.suppress(httpx.HTTPError, OSError):
                    await self._http.post(path, json=count)

    async def _summarise(self) -> None:
        while True:
            await asyncio.sleep(SUMMARY_SECONDS)
            print(self.summary(), flush=True)

    def summary(self) -> str:
        """Return one line with the current sessions and every front-end's count."""
        served = ", ".join(
            f"{each.name} {each.version}: {each.sessions}" for each in self.instances.values()
        )
        counts = "; ".join(f"{front.peer_id} {front.tally}" for front in self.fronts)
        return f"dispatch: {served} | {counts}"


async def play(options: argparse.Namespace, config: GroupConfig) -> Play:
    """Simulate until a signal or the end of the time. Return the simulation."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    if options.seconds:
        asyncio.get_running_loop().call_later(options.seconds, stop.set)
    mishaps = Mishaps(
        options.flap_every_seconds,
        options.front_restart_every_seconds,
        options.instance_death_every_seconds,
    )
    headers = {"Authorization": f"Bearer {config.token}"}
    async with httpx.AsyncClient(
        base_url=options.url, headers=headers, timeout=10.0, transport=KeptTransport(CONNECTIONS)
    ) as http:
        made = Play(config, options.url, http, mishaps, options.seed)
        await made.run(stop)
    return made


def main() -> int:
    """Simulate until a signal, then print every front-end's own count."""
    options = _options()
    logging.basicConfig(level=options.log_level, format="dispatch: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        config = read_config(options.config, options.group)
    except (OSError, ValueError) as error:
        print(f"dispatch: {error}", file=sys.stderr)
        return 2
    print(f"dispatch: seed {options.seed}, group {config.slug} at {options.url}", flush=True)
    print(asyncio.run(play(options, config)).summary(), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m integrations.simulator.dispatch")
    parser.add_argument("--config", type=Path, required=True, help="the simulation file")
    parser.add_argument("--group", required=True, help="its slug")
    parser.add_argument("--url", required=True, help="address of the platform")
    parser.add_argument("--seconds", type=float, default=0.0, help="0 = until a signal")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))  # noqa: S311
    parser.add_argument("--flap-every-seconds", type=float, default=30.0, help="0 = never")
    parser.add_argument("--front-restart-every-seconds", type=float, default=0.0)
    parser.add_argument("--instance-death-every-seconds", type=float, default=0.0)
    parser.add_argument("--log-level", default="WARNING", choices=("INFO", "WARNING", "ERROR"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
