"""Command line: `python -m integrations.simulator --config FILE [--url URL] [--seconds N]`."""

import argparse
import asyncio
import contextlib
import random
import signal
import sys
from dataclasses import asdict
from pathlib import Path

import httpx

from integrations.simulator.call_log import CallLog
from integrations.simulator.client import PoolClient
from integrations.simulator.config import SimulatorConfig, load_config
from integrations.simulator.switch import SimulatedSwitch


def main() -> int:
    """Simulate until the time is up or a signal comes; print what each switch saw."""
    options = _options()
    try:
        config = load_config(options.config, url=options.url)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stderr.write(f"simulator: seed {options.seed}\n")
    switches = asyncio.run(_simulate(config, options))
    for switch in switches:
        print(f"{switch.pool.slug}/{switch.switch.name} {asdict(switch.counters)}")
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
    return parser.parse_args()


async def _simulate(config: SimulatorConfig, options: argparse.Namespace) -> list[SimulatedSwitch]:
    log = CallLog(options.log)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(base_url=config.url, timeout=10.0, limits=limits) as http:
        switches = _switches(config, http=http, log=log, seed=options.seed)
        runs = [
            asyncio.create_task(
                switch.run(
                    live_list_seconds=config.live_list_seconds,
                    register_expires_seconds=config.register_expires_seconds,
                )
            )
            for switch in switches
        ]
        waiting = asyncio.create_task(stop.wait())
        await asyncio.wait(
            [*runs, waiting],
            timeout=options.seconds or None,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if options.rest_on_stop and stop.is_set():
            stop.clear()
            await asyncio.gather(*(switch.rest() for switch in switches))
            await stop.wait()
        for task in (*runs, waiting):
            task.cancel()
        failures = await asyncio.gather(*runs, return_exceptions=True)
    log.close()
    for failure in failures:
        if not isinstance(failure, asyncio.CancelledError) and failure is not None:
            raise failure
    return switches


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
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
