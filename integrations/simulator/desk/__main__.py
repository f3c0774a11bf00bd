"""`python -m integrations.simulator.desk --config FILE --url ADDRESS`."""

import argparse
import asyncio
import json
import logging
import random
import signal
import sys
from dataclasses import replace
from pathlib import Path

import httpx

from integrations.simulator.desk.people import (
    BEAT_SECONDS,
    DeskConfig,
    Floor,
    QueueConfig,
    play_agent,
    play_arrivals,
)
from integrations.simulator.kept import KeptTransport

TIMEOUT_SECONDS = 20.0


def main() -> int:
    """Simulate every desk of the file until a signal, then print the counts."""
    logging.basicConfig(level=logging.WARNING)
    options = _options()
    try:
        configs = read_configs(options.config)
    except (OSError, ValueError) as error:
        print(f"desks: {error}", file=sys.stderr)
        return 2
    print(f"desks: seed {options.seed}, {len(configs)} desks at {options.url}", flush=True)
    for floor in asyncio.run(_run(configs, options)):
        print(f"{floor.config.slug} {dict(floor.seen)}", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m integrations.simulator.desk")
    parser.add_argument("--config", type=Path, required=True, help="the simulation file")
    parser.add_argument("--url", required=True, help="address of the platform")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))  # noqa: S311
    parser.add_argument("--part", default="1/1", help="2/3: the second third of the people")
    parser.add_argument("--beat-seconds", type=float, default=BEAT_SECONDS)
    parser.add_argument("--log", type=Path, help="where everybody's answers are written down")
    parser.add_argument(
        "--rest-on-stop",
        action="store_true",
        help="at the first signal nobody comes any more and everybody is served; at the second end",
    )
    return parser.parse_args()


def read_configs(path: Path) -> list[DeskConfig]:
    """Return the part `desks` of the simulation file.

    Raise ValueError with one sentence if invalid.
    """
    raw = json.loads(path.read_text())
    try:
        return [
            DeskConfig(**{**each, "queues": [QueueConfig(**queue) for queue in each["queues"]]})
            for each in raw.get("desks", [])
        ]
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"{path} does not describe desks: {error}.") from error


def part_of(config: DeskConfig, part: int, parts: int) -> DeskConfig:
    """Return one part of the people: every `parts`-th agent and that share of the visitors."""
    return replace(
        config,
        agents=config.agents[part - 1 :: parts],
        queues=[
            replace(queue, visits_per_hour=queue.visits_per_hour / parts) for queue in config.queues
        ],
    )


async def _run(configs: list[DeskConfig], options: argparse.Namespace) -> list[Floor]:
    stop, resting = asyncio.Event(), asyncio.Event()

    def on_signal() -> None:
        if options.rest_on_stop and not resting.is_set():
            resting.set()
        else:
            stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    dice = random.Random(options.seed)  # noqa: S311  a simulation, replayed by its seed
    part, parts = (int(word) for word in options.part.split("/"))
    log = options.log.open("a") if options.log is not None else None
    async with httpx.AsyncClient(
        base_url=options.url, timeout=TIMEOUT_SECONDS, transport=KeptTransport()
    ) as client:
        floors = [
            Floor(
                *(client, part_of(config, part, parts), dice),
                beat_seconds=options.beat_seconds,
                log=log,
                resting=resting,
            )
            for config in configs
        ]
        tasks = [
            asyncio.create_task(play)
            for floor in floors
            for play in (
                *(play_arrivals(floor, queue) for queue in floor.config.queues),
                *(play_agent(floor, agent) for agent in floor.config.agents),
            )
        ]
        await stop.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return floors


if __name__ == "__main__":
    sys.exit(main())
