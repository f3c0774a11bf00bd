"""Programs that take permits of a gate on their own, and log what was acknowledged.

python -m tests.chaos.permit_load ADDRESS GATE TOKEN LOG PART

Each holder requests a permit, keeps it for a second or two and gives it back. One JSON line for
each answer: `granted` and `released`, with the holder and the token. A line is written as soon as
the answer arrives, before anything else is done: what is in the file was acknowledged.
SIGTERM: no holder asks any more, and what is held is given back; the process stays.
"""

import asyncio
import json
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from integrations.simulator.kept import KeptTransport

HOLDERS = 12
TIMEOUT_SECONDS = 10.0
AGAIN_SECONDS = 0.5
KEPT_SECONDS = (0.5, 2.0)
ASKS_SECONDS = (0.2, 1.0)


@dataclass
class Gate:
    """What all holders of this process share: the connection, the log, and whether they rest."""

    client: httpx.AsyncClient
    slug: str
    log: IO[str]
    resting: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, verb: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to one request, or None if it was refused or not answered."""
        try:
            answer = await self.client.post(f"/api/v1/gates/{self.slug}/{verb}", json=body)
        except httpx.HTTPError:
            return None
        if answer.status_code != httpx.codes.OK:
            self.write({"op": "refused", "status": answer.status_code})
            return None
        told: dict[str, Any] = answer.json()
        return told

    def tell(self, op: str, holder: str, token: int) -> None:
        """Log what was acknowledged."""
        self.write({"op": op, "at": time.time(), "holder": holder, "token": token})

    def write(self, line: dict[str, Any]) -> None:
        """Write a line through at once: the writer may be killed."""
        self.log.write(json.dumps(line) + "\n")
        self.log.flush()


async def hold(gate: Gate, holder: str, chance: random.Random) -> None:
    """Take and give back, repeatedly. The same holder gets the same permit until it ends."""
    while True:
        await asyncio.sleep(chance.uniform(*ASKS_SECONDS))
        if gate.resting.is_set():
            return
        told = await gate.ask("acquire", {"holder": holder})
        if not told or not told["granted"]:
            continue
        token = int(told["token"])
        gate.tell("granted", holder, token)
        await asyncio.sleep(chance.uniform(*KEPT_SECONDS))
        await _give_back(gate, holder, token)


async def _give_back(gate: Gate, holder: str, token: int) -> None:
    """Try until an answer arrives. A permit that has expired meanwhile is given back, too."""
    while True:
        told = await gate.ask("release", {"holder": holder, "token": token})
        if told is not None:
            break
        await asyncio.sleep(AGAIN_SECONDS)
    if told["released"]:
        gate.tell("released", holder, token)


async def play(address: str, slug: str, token: str, log: IO[str], part: int) -> None:
    """Play this part's holders until the process is killed."""
    async with httpx.AsyncClient(
        base_url=address,
        timeout=TIMEOUT_SECONDS,
        transport=KeptTransport(),
        headers={"Authorization": f"Bearer {token}"},
    ) as client:
        gate = Gate(client, slug, log)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, gate.resting.set)
        holders = [f"holder-{part}-{number}" for number in range(HOLDERS)]
        await asyncio.gather(*(hold(gate, each, random.Random(each)) for each in holders))
        await asyncio.Event().wait()


if __name__ == "__main__":
    where, which, secret, journal, number = sys.argv[1:]
    with Path(journal).open("a") as file:
        asyncio.run(play(where, which, secret, file, int(number)))
