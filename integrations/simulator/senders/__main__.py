"""`python -m integrations.simulator.senders --config FILE --url ADDRESS --gateway ADDRESS`."""

import argparse
import asyncio
import json
import logging
import os
import random
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import httpx

from integrations.simulator.kept import KeptTransport
from integrations.simulator.senders.chatbot import Chatbot, ChatbotConfig

TOKEN_VARIABLE = "POOLSITE_GATEWAY_TOKEN"  # noqa: S105  the name, not the secret
TIMEOUT_SECONDS = 10.0


def main() -> int:
    """Send until a signal or the end of the time. Print each chatbot's counters."""
    logging.basicConfig(level=logging.WARNING)
    options = _options()
    try:
        configs = read_configs(options.config)
    except (OSError, ValueError) as error:
        print(f"chatbots: {error}", file=sys.stderr)
        return 2
    print(f"chatbots: seed {options.seed}, {len(configs)} chatbots at {options.url}", flush=True)
    for chatbot in asyncio.run(_run(configs, options)):
        config = chatbot.config
        print(f"{config.account}/{config.chatbot} {asdict(chatbot.counters)}", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m integrations.simulator.senders")
    parser.add_argument("--config", type=Path, required=True, help="the simulation file")
    parser.add_argument("--url", required=True, help="address of the platform")
    parser.add_argument("--gateway", required=True, help="address of the gateway")
    parser.add_argument("--seconds", type=float, default=0.0, help="0 = until a signal")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))  # noqa: S311
    return parser.parse_args()


def read_configs(path: Path) -> list[ChatbotConfig]:
    """Return the part `chatbots` of the simulation file. Raise ValueError with one sentence."""
    raw = json.loads(path.read_text())
    try:
        return [ChatbotConfig(**each) for each in raw.get("chatbots", [])]
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{path} does not describe chatbots: {error}.") from error


async def _run(configs: Sequence[ChatbotConfig], options: argparse.Namespace) -> list[Chatbot]:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    token = os.environ.get(TOKEN_VARIABLE, "")
    async with (
        httpx.AsyncClient(
            base_url=options.url, timeout=TIMEOUT_SECONDS, transport=KeptTransport()
        ) as web,
        httpx.AsyncClient(
            base_url=options.gateway,
            timeout=TIMEOUT_SECONDS,
            transport=KeptTransport(),
            headers={"Authorization": f"Bearer {token}"},
        ) as gateway,
    ):
        chatbots = [
            Chatbot(config, web, gateway, random.Random(f"{options.seed}/{config.chatbot}"))  # noqa: S311
            for config in configs
        ]
        works = [asyncio.create_task(chatbot.run()) for chatbot in chatbots]
        waiting = asyncio.create_task(stop.wait())
        await asyncio.wait(
            [*works, waiting],
            timeout=options.seconds or None,
            return_when=asyncio.FIRST_COMPLETED,
        )
        for work in (*works, waiting):
            work.cancel()
        ends = await asyncio.gather(*works, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end
    return chatbots


if __name__ == "__main__":
    sys.exit(main())
