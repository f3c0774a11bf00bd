"""Row 21's peers, as programs: instances that only hold sessions, front-ends that begin them.

python dispatch_peers.py instances OPTIONS NAME:CAPACITY:WEIGHT …
python dispatch_peers.py fronts OPTIONS FRONTS SESSIONS

OPTIONS: the library's settings as JSON, `{"servers": […], "group": "…", "token": "…"}`.

Each prints a JSON line when it is ready. After that, the front-ends print for each line on
standard input how many of their sessions have ended and when the last one did (Unix seconds).
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
    """The handler of all front-ends. It counts the ends of sessions."""

    def __init__(self) -> None:
        self.ended_at = 0.0
        self.reasons: dict[str, int] = {}

    async def ended(self, session: str, reason: str, body: Any) -> None:
        self.ended_at = time.time()
        self.reasons[reason] = self.reasons.get(reason, 0) + 1


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
    sent = [
        (front, await front.begin(None, number=str(number)))
        for number in range(int(sessions))
        for front in made
    ]
    again = 0
    while True:
        refused = [(front, each.session) for front, each in sent if not (await each).accepted]
        if not refused:
            break
        again += len(refused)
        await asyncio.sleep(1.0)  # an instance was slow to acknowledge: try again
        sent = [
            (front, await front.begin(None, number=session.partition("/")[2]))
            for front, session in refused
        ]
    print(json.dumps({"started": int(count) * int(sessions), "again": again}), flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        told = {
            "reasons": heard.reasons,
            "at": heard.ended_at,
        }
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    side, options, *rest = sys.argv[1:]
    settings = Settings(**json.loads(options))
    asyncio.run(instances(settings, *rest) if side == "instances" else fronts(settings, *rest))
