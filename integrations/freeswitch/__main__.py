"""Report the registrations and hang-ups of a FreeSWITCH to a number pool.

Run it as `poolsite-freeswitch --config FILE`, or here as `python -m integrations.freeswitch`.
"""

import argparse
import asyncio
import logging
import signal
import sys
from pathlib import Path

from .daemon import Daemon
from .settings import Settings, SettingsError, load_settings


def main() -> int:
    """Run until SIGTERM or SIGINT. Return 2 if the configuration is invalid."""
    parser = argparse.ArgumentParser(prog="poolsite-freeswitch", description=__doc__)
    parser.add_argument("--config", type=Path, required=True, help="the TOML file")
    parser.add_argument("--check", action="store_true", help="only read the configuration")
    parser.add_argument("--log-level", default="INFO", choices=("DEBUG", "INFO", "WARNING"))
    options = parser.parse_args()
    logging.basicConfig(level=options.log_level, format="%(levelname)s %(message)s")
    for name in ("httpx", "websockets"):
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        settings = load_settings(options.config)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if not options.check:
        asyncio.run(_run(settings))
    return 0


async def _run(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await Daemon(settings).run(stop)


if __name__ == "__main__":
    sys.exit(main())
