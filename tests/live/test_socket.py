"""The live socket of real server processes: snapshot, changes, personal messages."""

import redis.asyncio

from tests.live.servers import WebServer


async def test_a_subscriber_gets_the_snapshot_and_then_each_change(
    web: WebServer, redis_client: redis.asyncio.Redis
) -> None:
    await redis_client.set("note:a", "one")
    async with web.client() as client:
        first = await client.subscribe("test.note:a")
        assert first["op"] == "snapshot"
        assert first["data"] == {"text": "one"}
        await redis_client.set("note:a", "two")
        await redis_client.publish("live:test.note:a", "")
        change = await client.next(op="change")
        assert change["from"] == first["version"]
        assert change["data"] == {"text": "two"}
