"""`python -m integrations.simulator.devices --config FILE --gate SLUG --url … --external …`."""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path

import httpx

from integrations.simulator.devices.device import Device, DeviceTally, Habits
from integrations.simulator.devices.reports import Reports
from integrations.simulator.external.__main__ import gate_of

SUMMARY_SECONDS = 10.0


async def play(options: argparse.Namespace) -> None:
    """Simulate every device of a gate until a signal."""
    gate = gate_of(options.config, options.gate)
    part, parts = (int(word) for word in options.part.split("/"))
    habits = Habits(float(gate["period_seconds"]), options.work_seconds, options.work_spread)
    tally = DeviceTally()
    journal = options.log.open("a") if options.log is not None else None
    reports = Reports(options.url.split(","), options.gate, gate["token"])
    # As many as can ever be at work: only the external system decides how many are too many.
    wide = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=options.external, limits=wide) as external:
        devices = [
            Device(
                f"{gate['prefix']}{number:05d}",
                reports,
                external,
                random.Random(f"{options.seed} {number}"),  # noqa: S311
                habits,
                tally,
                journal,
            )
            for number in range(part - 1, int(gate["devices"]), parts)
        ]
        async with asyncio.TaskGroup() as group:
            for device in devices:
                group.create_task(device.run())
            group.create_task(_summaries(tally))


async def _summaries(tally: DeviceTally) -> None:
    while True:
        await asyncio.sleep(SUMMARY_SECONDS)
        print(json.dumps(vars(tally)), flush=True)


def main() -> int:
    """Simulate until a signal. Return 1 after printing one sentence if it cannot start."""
    parser = argparse.ArgumentParser(prog="python -m integrations.simulator.devices")
    parser.add_argument("--config", type=Path, required=True, help="the simulation file")
    parser.add_argument("--gate", required=True)
    parser.add_argument("--url", required=True, help="the platform; several with commas between")
    parser.add_argument("--external", required=True, help="the external system")
    parser.add_argument("--work-seconds", type=float, default=20.0)
    parser.add_argument("--work-spread", type=float, default=0.8, help="0.8: 0.2 to 1.8 times")
    parser.add_argument("--part", default="1/1", help="2/3: the second third of the devices")
    parser.add_argument("--log", type=Path, help="where what the gate acknowledged is written down")
    parser.add_argument("--seed", type=int, default=0)
    try:
        asyncio.run(play(parser.parse_args()))
    except KeyboardInterrupt:
        return 0
    except (ValueError, OSError) as error:
        print(f"devices: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
