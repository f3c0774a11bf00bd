"""The conversation in docs/reference/live-protocol.md is replayed with a real server."""

import json
import re
from collections.abc import Iterator
from typing import Any

import redis.asyncio

from poolsite.live import frames
from tests.live.sample_topics import WRITE
from tests.live.servers import ROOT, WebServer

NAME = re.compile(r"(?<=:)([VK]\d+)(?=[,}])")
VALUE = re.compile(r"[VK]\d+")


def _lines() -> Iterator[tuple[str, str]]:
    page = (ROOT / "docs/reference/live-protocol.md").read_text()
    block = page.split("```frames\n")[1].split("```")[0]
    for line in block.splitlines():
        yield line[0], line[2:]


class Names:
    """The values of the example's names. The first use of a name sets its value."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def check(self, wanted: Any, got: Any) -> None:
        """Assert that the frame is the example's, and store the values of its names."""
        assert wanted.keys() == got.keys()
        for field, value in wanted.items():
            if isinstance(value, str) and VALUE.fullmatch(value):
                assert self.values.setdefault(value, got[field]) == got[field]
            else:
                assert got[field] == value


def _read(text: str) -> Any:
    return json.loads(NAME.sub(r'"\1"', text))


async def test_the_pages_example_conversation_happens_as_written(
    web: WebServer, redis_client: redis.asyncio.Redis
) -> None:
    names = Names()
    await redis_client.eval(WRITE, 1, "{doc}", "a", "1")
    async with web.client() as client:
        client.answers = False
        for mark, text in _lines():
            if mark == "<":
                wanted = _read(text)
                got = await client.next(op=wanted["op"])
                if "ack" not in wanted:
                    got.pop("ack", None)  # requested once a second
                names.check(wanted, got)
            elif mark == ">":
                await client.send(
                    **{
                        field: names.values.get(value, value) if isinstance(value, str) else value
                        for field, value in _read(text).items()
                    }
                )
            else:
                await _act(web, redis_client, *text.split())
    assert {"V1", "V2", "V3", "K1"} <= names.values.keys()


async def _act(web: WebServer, client: redis.asyncio.Redis, verb: str, *words: str) -> None:
    if verb == "write":
        await client.eval(WRITE, 1, "{doc}", *words)
        return
    assert verb == "personal"
    user = web.site.people["operator"]["user"]
    await client.publish(f"live:to:user:{user}", frames.personal(words[0], json.loads(words[1])))
