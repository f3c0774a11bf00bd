"""Send requests like a probe, read topics like a socket, and open an incident."""

import asyncio
from typing import Any

import httpx
from starlette.applications import Starlette

from poolsite import hotpath, live
from poolsite.api import lane
from poolsite.operations import incidents
from poolsite.operations.models import Incident


def ask(path: str, **headers: str) -> httpx.Response:
    """Return the answer that a probe gets."""

    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(Starlette(routes=lane.routes()))
        async with httpx.AsyncClient(transport=transport, base_url="http://t") as client:
            answer = await client.get(path, headers=headers)
        await hotpath.aclose()
        return answer

    return asyncio.run(go())


def topic_data(address: str) -> Any:
    """Return a topic's snapshot, read as a socket's loop does."""
    topic = live.resolve(address)
    assert topic is not None
    return asyncio.run(topic.snapshot()).data


def open_one(name: str = "east", /, **more) -> Incident:
    """Open the incident of a full pool with this name. `more` overrides its fields."""
    texts = {"title": "Pool %(pool)s is full", "remedy": "Add numbers.", "url": "/pools/"}
    said = {"type": "numbers.full", "severity": "warning", **texts, "params": {"pool": name}}
    return incidents.open(**{"object": name, **said, **more})
