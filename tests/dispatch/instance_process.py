"""An instance as a separate process that can be killed. It answers every message.

python instance_process.py '{"servers": [...], "group": "g", "token": "…",
"name": "as-1", "version": "1"}'

Prints `linked <id>` for each link, and `started <session>`, `heard <session> <message>`,
`refused <session> <reason>` and `ended <session> <reason>`.
"""

import asyncio
import json
import sys
from typing import Any

from integrations.dispatch_client import Instance, InstanceHandler, Settings


class Answering(InstanceHandler):
    instance: Instance

    async def linked(self, arrival: str) -> None:
        print(f"linked {self.instance.id} {arrival}", flush=True)

    async def started(self, session: str, front: str, body: Any) -> None:
        print(f"started {session}", flush=True)
        await self.instance.send(session, {"hello": body})

    async def message(self, session: str, body: Any) -> None:
        print(f"heard {session} {body}", flush=True)
        await self.instance.send(session, {"echo": body})

    async def refused(self, session: str, what: str, reason: str) -> None:
        print(f"refused {session} {reason}", flush=True)

    async def ended(self, session: str, reason: str, body: Any) -> None:
        print(f"ended {session} {reason}", flush=True)


async def main(options: dict[str, Any]) -> None:
    handler = Answering()
    name, version = options.pop("name"), options.pop("version")
    handler.instance = Instance(
        Settings(**options), handler, name=name, version=version, capacity=10_000
    )
    async with handler.instance:
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
