"""Row 21's peers, as programs: instances that only hold sessions, front-ends that begin them.

    python dispatch_peers.py instances OPTIONS NAME:CAPACITY:WEIGHT …
    python dispatch_peers.py fronts OPTIONS FRONTS SESSIONS

OPTIONS: the library's settings as JSON, `{"servers": […], "group": "…", "token": "…"}`.

Each prints a JSON line when it is ready. The front-ends then tell, for each line on standard
input, how many of their sessions have ended and when the last one did (Unix seconds).
"""

import asyncio
import json
import sys
import time
from typing import Any

from integrations.dispatch_client import (
    FrontEnd,
    FrontHandler,
    Instance,
    InstanceHandler,
    Settings,
)


class Counting(FrontHandler):
    """All front-ends' ear: ends, and refusals that must not be."""

    def __init__(self) -> None:
        self.ended_at = 0.0
        self.reasons: dict[str, int] = {}
        self.refused_starts: list[str] = []

    async def ended(self, session: str, reason: str, body: Any) -> None:
        self.ended_at = time.time()
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    async def refused(self, session: str, what: str, reason: str) -> None:
        if what == "start":
            self.refused_starts.append(session)


async def instances(settings: Settings, *each: str) -> None:
    for words in each:
        name, capacity, weight = words.split(":")
        instance = Instance(
            settings,
            InstanceHandler(),
            name=name,
            version="1",
            capacity=int(capacity),
            weight=int(weight),
        )
        await instance.start_link()
        await instance.wait_registered()
    print(json.dumps({"linked": len(each)}), flush=True)
    await asyncio.Event().wait()


async def fronts(settings: Settings, count: str, sessions: str) -> None:
    heard = Counting()
    made = [
        FrontEnd(settings, heard, profile="BICC", peer_id=f"bench-{n}") for n in range(int(count))
    ]
    for front in made:
        await front.start_link()
        await front.wait_registered()
    for number in range(int(sessions)):
        for front in made:
            await front.start(None, number=str(number))
    again = 0
    while True:
        for front in made:
            assert await front.flush(120)
        await asyncio.sleep(1.0)  # a refusal may come after the acknowledgement
        if not heard.refused_starts:
            break
        refused, heard.refused_starts = heard.refused_starts, []
        again += len(refused)
        for session in refused:  # an instance was slow to acknowledge: once more
            peer, _, word = session.partition("/")
            await made[int(peer.rpartition("-")[2])].start(None, number=word)
    print(json.dumps({"started": int(count) * int(sessions), "again": again}), flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        told = {
            "reasons": heard.reasons,
            "at": heard.ended_at,
            "refused": len(heard.refused_starts),
        }
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    side, options, *rest = sys.argv[1:]
    settings = Settings(**json.loads(options))
    asyncio.run(instances(settings, *rest) if side == "instances" else fronts(settings, *rest))
