"""Simulate a message gateway with its own HTTP interface.

Run `python -m integrations.simulator.gateway --config FILE --port N --url ADDRESS`.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from integrations.simulator.gateway.app import build
from integrations.simulator.gateway.ledger import Ledger
from integrations.simulator.gateway.outcomes import NetworkPace, table
from integrations.simulator.gateway.reporting import Courier
from integrations.simulator.kept import KeptTransport

TOKEN_VARIABLE = "POOLSITE_GATEWAY_TOKEN"  # noqa: S105  the name, not the secret
SUMMARY_SECONDS = 10.0


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m integrations.simulator.gateway", description=__doc__
    )
    parser.add_argument("--config", type=Path, required=True, help="a JSON file, see README.md")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--url", default="", help="the platform, in place of the file's")
    parser.add_argument("--ledger", type=Path, help="keep the books in this file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--interim-seconds", type=float, default=NetworkPace.interim_seconds)
    parser.add_argument("--final-seconds", type=float, default=NetworkPace.final_seconds)
    parser.add_argument("--late-seconds", type=float, default=NetworkPace.late_seconds)
    parser.add_argument("--unexpected-every", type=int, default=0)
    return parser


def main() -> int:
    """Serve until a signal. Return 1 after printing one sentence if it cannot start."""
    logging.basicConfig(level=logging.WARNING)
    options = arguments().parse_args()
    try:
        config = read_config(options.config)
        token = os.environ.get(TOKEN_VARIABLE) or config["token"]
        url = options.url or config["url"]
        config |= {"url": url, "token": token}
        asyncio.run(serve(options, config))
    except (ValueError, OSError, KeyError) as error:
        print(f"gateway: {error}", file=sys.stderr)
        return 1
    return 0


def read_config(path: Path) -> dict[str, Any]:
    """Return the part `gateway` of the simulation file. Raise ValueError if there is none."""
    raw = json.loads(path.read_text())
    part = raw.get("gateway") if isinstance(raw, dict) else None
    if not isinstance(part, dict) or not part.get("report_token"):
        raise ValueError(f"{path} has no gateway with a report_token.")
    return {"url": raw.get("url", ""), "token": "", "webhook_secret": "", **part}


async def serve(options: argparse.Namespace, gateway: dict[str, Any]) -> None:
    """Serve the interface and send the reports.

    Raise ValueError if a token or address is missing.
    """
    url, token = gateway["url"], gateway["token"]
    if not token:
        raise ValueError(f"no token: set {TOKEN_VARIABLE}.")
    if not url:
        raise ValueError("no address of the platform: give --url.")
    ledger = Ledger(options.ledger)
    ledger.open()
    pace = NetworkPace(
        options.interim_seconds,
        options.final_seconds,
        options.late_seconds,
        options.unexpected_every,
    )
    timeout = httpx.Timeout(15.0)
    async with httpx.AsyncClient(base_url=url, timeout=timeout, transport=KeptTransport()) as http:
        courier = Courier(http, gateway["report_token"], ledger, pace, options.seed)
        courier.resume()
        print(f"gateway: on port {options.port}, reports to {url}", *table(), sep="\n", flush=True)
        config = uvicorn.Config(
            build(ledger, courier, token, webhook_secret=gateway["webhook_secret"]),
            host=options.host,
            port=options.port,
            log_level="warning",
            access_log=False,
            lifespan="off",
        )
        works = [asyncio.create_task(courier.run()), asyncio.create_task(_tell(ledger))]
        try:
            await uvicorn.Server(config).serve()
        finally:
            for work in works:
                work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*works)
            ledger.close()


async def _tell(ledger: Ledger) -> None:
    """Print the deliveries in one line every ten seconds if they have changed."""
    before = 0
    while True:
        await asyncio.sleep(SUMMARY_SECONDS)
        counts = ledger.summary()
        if counts["accepted"] != before:
            before = counts["accepted"]
            modes = ", ".join(f"{mode} {n}" for mode, n in sorted(counts["by_mode"].items()))
            delivered = counts["delivered"]
            print(f"gateway: accepted {before}, delivered {delivered}: {modes}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
