"""Command line: `python -m integrations.simulator --config FILE [--url URL] [--seconds N]`."""

import argparse
import asyncio
import contextlib
import logging
import random
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import httpx

from integrations.simulator.call_log import CallLog
from integrations.simulator.client import PoolClient
from integrations.simulator.config import SimulatorConfig, load_config
from integrations.simulator.kept import KeptTransport
from integrations.simulator.switch import SimulatedSwitch

SUMMARY_SECONDS = 10.0
TIMEOUT_SECONDS = 10.0  # no longer than the pool waits before it judges an unlisted call


def main() -> int:
    """Simulate until the time is up or a signal arrives, then print each switch's counts."""
    options = _options()
    logging.basicConfig(level=options.log_level, format="simulator: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        config = load_config(options.config, url=options.url)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print(f"simulator: seed {options.seed}, {_told(config)}", flush=True)
    switches = asyncio.run(_simulate(config, options))
    for switch in switches:
        print(f"{switch.pool.slug}/{switch.switch.name} {asdict(switch.counters)}", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m integrations.simulator")
    parser.add_argument("--config", type=Path, required=True, help="JSON file: what to simulate")
    parser.add_argument("--url", help="address of the web server, in place of the file's")
    parser.add_argument("--log", type=Path, help="append the switches' own call log to this file")
    parser.add_argument("--seconds", type=float, default=0.0, help="0 = until a signal")
    parser.add_argument(
        "--rest-on-stop",
        action="store_true",
        help="on the first SIGTERM end all calls and go on reporting empty live lists",
    )
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))  # noqa: S311
    parser.add_argument("--log-level", default="WARNING", choices=("INFO", "WARNING", "ERROR"))
    return parser.parse_args()


async def _simulate(config: SimulatorConfig, options: argparse.Namespace) -> list[SimulatedSwitch]:
    log = CallLog(options.log)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with httpx.AsyncClient(
        base_url=config.url, timeout=TIMEOUT_SECONDS, transport=KeptTransport()
    ) as http:
        switches = _switches(config, http=http, log=log, seed=options.seed)
        works = [
            asyncio.create_task(
                switch.run(
                    live_list_seconds=config.live_list_seconds,
                    register_expires_seconds=config.register_expires_seconds,
                )
            )
            for switch in switches
        ]
        works.append(asyncio.create_task(_summarise(switches)))
        try:
            await _until_stopped(works, switches, stop, options)
        finally:
            for work in works:
                work.cancel()
            ends = await asyncio.gather(*works, return_exceptions=True)
            log.close()
    for end in ends:
        if isinstance(end, Exception):
            raise end
    return switches


async def _until_stopped(
    works: Sequence[asyncio.Task[None]],
    switches: Sequence[SimulatedSwitch],
    stop: asyncio.Event,
    options: argparse.Namespace,
) -> None:
    """Wait for a signal, for the end of the time, or for the end of a switch, which is a fault."""
    await _first_of(works, stop, options.seconds or None)
    if options.rest_on_stop and stop.is_set():
        stop.clear()
        resting = asyncio.gather(*(switch.rest() for switch in switches))
        await _first_of(works, stop, None)
        resting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await resting


async def _first_of(
    works: Sequence[asyncio.Task[None]], stop: asyncio.Event, timeout_seconds: float | None
) -> None:
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait(
        [*works, waiting], timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED
    )
    waiting.cancel()


async def _summarise(switches: Sequence[SimulatedSwitch]) -> None:
    """Print a one-line summary every ten seconds if it has changed."""
    before = ""
    while True:
        await asyncio.sleep(SUMMARY_SECONDS)
        line = summary(switches)
        if line != before:
            print(line, flush=True)
        before = line


def summary(switches: Sequence[SimulatedSwitch]) -> str:
    """Return one line about all switches."""

    def total(name: str) -> int:
        return sum(getattr(switch.counters, name) for switch in switches)

    figures = ("offered", "carried", "blocked", "unknown", "unreachable", "restarts", "faults")
    calls = sum(len(switch.calls) for switch in switches)
    refused: dict[str, int] = {}
    for switch in switches:
        for reason, count in switch.counters.refused.items():
            refused[reason] = refused.get(reason, 0) + count
    told = ", ".join(f"{name} {total(name)}" for name in figures)
    return f"simulator: {calls} calls; {told}; refused {refused or 0}"


def _told(config: SimulatorConfig) -> str:
    switches = sum(len(pool.switches) for pool in config.pools)
    lines = sum(len(switch.lines) for pool in config.pools for switch in pool.switches)
    return f"{len(config.pools)} pools, {switches} switches, {lines} lines at {config.url}"


def _switches(
    config: SimulatorConfig, *, http: httpx.AsyncClient, log: CallLog, seed: int
) -> list[SimulatedSwitch]:
    return [
        SimulatedSwitch(
            pool=pool,
            switch=switch,
            client=PoolClient(http=http, slug=pool.slug, token=switch.token),
            log=log,
            mishaps=config.mishaps,
            chance=random.Random(f"{seed}/{pool.slug}/{switch.name}"),  # noqa: S311
        )
        for pool in config.pools
        for switch in pool.switches
    ]


if __name__ == "__main__":
    sys.exit(main())
