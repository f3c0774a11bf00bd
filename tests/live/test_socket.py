"""The live socket of real server processes: topics, versions, personal messages, refusals."""

import asyncio
import itertools
from typing import Any

import pytest
import redis.asyncio
from websockets.exceptions import ConnectionClosed, InvalidStatus

from poolsite.live import frames
from tests.live.sample_topics import WRITE
from tests.live.servers import Client, WebServer
from tests.support.waiting import eventually, patient

Redis = redis.asyncio.Redis


async def set_note(redis_client: Redis, key: str, text: str) -> None:
    await redis_client.set(f"note:{key}", text)
    await redis_client.publish(f"live:test.note:{key}", "")


async def write(redis_client: Redis, tag: str, name: str, value: object) -> None:
    await redis_client.eval(WRITE, 1, "{" + tag + "}", name, str(value))


async def follow(client: Client, topic: str, wanted: dict[str, Any], seconds: float = 10) -> None:
    """Read until the topic's state, as the browser stores it, is `wanted`."""
    async with asyncio.timeout(patient(seconds)):
        while client.state(topic) != wanted:
            await client.receive()


async def test_a_subscriber_gets_the_snapshot_and_then_each_change(
    web: WebServer, redis_client: Redis
) -> None:
    await redis_client.set("note:a", "one")
    async with web.client() as client:
        first = await client.subscribe("test.note:a")
        assert first["op"] == "snapshot"
        assert first["data"] == {"text": "one"}
        await set_note(redis_client, "a", "two")
        change = await client.next(op="change")
        assert change["from"] == first["version"]
        assert change["data"] == {"text": "two"}


async def test_two_processes_see_each_others_changes(
    web: WebServer, other_web: WebServer, redis_client: Redis
) -> None:
    async with web.client() as here, other_web.client() as there:
        for client in (here, there):
            await client.subscribe("test.log:both")
        for number in range(20):
            await write(redis_client, "both", f"n{number % 7}", number)
        wanted = {f"n{n % 7}": str(n) for n in range(20)}
        await follow(here, "test.log:both", wanted)
        await follow(there, "test.log:both", wanted)


async def test_a_late_subscriber_gets_the_state_as_it_is_by_then(
    web: WebServer, redis_client: Redis
) -> None:
    async with web.client() as early, web.client() as late:
        await early.subscribe("test.log:late")
        await write(redis_client, "late", "a", 1)
        await follow(early, "test.log:late", {"a": "1"})
        first = await late.subscribe("test.log:late")
        assert first["data"] == {"a": "1"}
        await write(redis_client, "late", "b", 2)
        await follow(late, "test.log:late", {"a": "1", "b": "2"})
        await follow(early, "test.log:late", {"a": "1", "b": "2"})


async def test_who_comes_back_with_a_version_gets_only_what_was_missed(
    web: WebServer, other_web: WebServer, redis_client: Redis
) -> None:
    await write(redis_client, "back", "a", 1)
    async with web.client() as client:
        held = (await client.subscribe("test.log:back"))["version"]
    await write(redis_client, "back", "b", 2)
    async with other_web.client() as client:
        missed = await client.subscribe("test.log:back", held)
        assert missed["op"] == "change"
        assert missed["from"] == held
        assert missed["data"] == {"b": "2"}
        again = await client.subscribe("test.log:back", missed["to"])
        assert again["op"] == "current"
        assert again["version"] == missed["to"]


async def test_who_comes_back_after_the_tail_was_trimmed_gets_a_snapshot(
    web: WebServer, other_web: WebServer, redis_client: Redis
) -> None:
    slug = f"trim{web.port}"  # unknown to the other process, which several tests share
    await write(redis_client, slug, "a", 1)
    async with web.client() as client:
        held = (await client.subscribe(f"test.log:{slug}"))["version"]
    for number in range(30):
        await write(redis_client, slug, "a", number)
    await redis_client.xtrim(f"{{{slug}}}:log", maxlen=3, approximate=False)
    async with other_web.client() as client:
        first = await client.subscribe(f"test.log:{slug}", held)
        assert first["op"] == "snapshot"
        assert first["data"] == {"a": "29"}


async def test_entries_lost_between_two_reads_lead_to_a_snapshot(
    web: WebServer, redis_client: Redis
) -> None:
    async with web.client() as client:
        await client.subscribe("test.log:gap")
        async with redis_client.pipeline(transaction=True) as pipeline:
            for number in range(10):
                pipeline.eval(WRITE, 1, "{gap}", "a", number)
            pipeline.xtrim("{gap}:log", maxlen=2, approximate=False)
            await pipeline.execute()
        snapshot = await client.next(op="snapshot")
        assert snapshot["data"] == {"a": "9"}
        await write(redis_client, "gap", "a", 10)
        change = await client.next(op="change")
        assert change["from"] == snapshot["version"]


async def test_another_life_of_the_data_leads_to_a_snapshot(
    web: WebServer, redis_client: Redis
) -> None:
    await write(redis_client, "life", "a", 1)
    await write(redis_client, "life", "a", 2)
    async with web.client() as client:
        await client.subscribe("test.log:life")
        async with redis_client.pipeline(transaction=True) as pipeline:
            pipeline.delete("{life}", "{life}:log", "{life}:values")
            pipeline.hset("{life}", "generation", 2)
            for number in range(3):
                pipeline.eval(WRITE, 1, "{life}", "b", number)
            await pipeline.execute()
        snapshot = await client.next(op="snapshot")
        assert snapshot["data"] == {"b": "2"}


async def test_a_table_tells_the_rows_that_differ_and_those_that_are_gone(
    web: WebServer, redis_client: Redis
) -> None:
    await redis_client.hset("table:t", mapping={"a": 1, "b": 2, "c": 3})
    async with web.client() as client:
        await client.subscribe("test.table:t")
        await redis_client.hset("table:t", mapping={"b": 20, "d": 4})
        await redis_client.hdel("table:t", "c")
        await redis_client.publish("live:test.table:t", "")
        change = await client.next(op="change")
        assert change["data"] == {"set": {"b": {"value": "20"}, "d": {"value": "4"}}, "gone": ["c"]}


async def test_after_unsubscribing_nothing_more_is_sent(
    web: WebServer, redis_client: Redis
) -> None:
    async with web.client() as client, web.client() as other:
        await client.subscribe("test.note:u")
        await other.subscribe("test.note:u")
        await client.send(op="unsubscribe", topic="test.note:u")
        await client.send(op="ping")
        await client.next(op="pong")
        await set_note(redis_client, "u", "unheard")
        await other.next(op="change")
        await client.send(op="ping")
        await client.next(op="pong")
        assert "change" not in [frame["op"] for frame in client.seen]


async def test_a_personal_message_reaches_all_sockets_of_that_person_only(
    web: WebServer, other_web: WebServer, redis_client: Redis
) -> None:
    user = web.site.people["north"]["user"]
    async with (
        web.client("north") as one,
        other_web.client("north") as two,
        web.client("south") as other,
    ):
        for client in (one, two, other):
            await client.next(op="hello")
        await redis_client.publish(f"live:to:user:{user}", frames.personal("match", {"room": 7}))
        for client in (one, two):
            message = await client.next(op="personal")
            assert message == {"op": "personal", "kind": "match", "data": {"room": 7}}
        await other.send(op="ping")
        await other.next(op="pong")
        assert "personal" not in [frame["op"] for frame in other.seen]


async def test_a_personal_message_arrives_while_a_topic_cannot_be_read(
    web: WebServer, redis_client: Redis
) -> None:
    user = web.site.people["north"]["user"]
    async with web.client("north") as client:
        stale = await client.subscribe("test.broken:x")
        assert stale["op"] == "stale"
        await redis_client.publish(f"live:to:user:{user}", frames.personal("note", 1))
        await client.next(op="personal")
        first = await client.subscribe("test.note:still-works")
        assert first["op"] == "snapshot"


async def test_nobody_logged_in_is_closed_with_4401(web: WebServer) -> None:
    async with web.client(person="") as client:
        assert await client.closed() == 4401


async def test_a_wrong_session_is_closed_with_4401(web: WebServer) -> None:
    async with web.client(person="", headers={"Cookie": "session=nonsense"}) as client:
        assert await client.closed() == 4401


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://127.0.0.1:1"])
async def test_a_foreign_missing_or_null_origin_is_refused(
    web: WebServer, origin: str | None
) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        async with web.client(origin=origin):
            pass
    assert refusal.value.response.status_code == 403


async def test_a_token_opens_the_socket_without_an_origin(web: WebServer) -> None:
    token = web.site.people["north"]["token"]
    headers = {"Authorization": f"Bearer {token}"}
    async with web.client(person="", origin=None, headers=headers) as client:
        await client.next(op="hello")


async def test_a_foreign_tenants_topic_looks_like_a_missing_one(web: WebServer) -> None:
    own = web.site.people["north"]["account"]
    foreign = web.site.people["south"]["account"]
    async with web.client("north") as client:
        assert (await client.subscribe(f"test.tenant:{own}"))["op"] == "snapshot"
        assert (await client.subscribe(f"test.tenant:{foreign}"))["code"] == 4404
        assert (await client.subscribe("test.nothing:1"))["code"] == 4404
        assert (await client.subscribe("test.tenant:not-a-number"))["code"] == 4404
        assert (await client.subscribe("x" * 500))["code"] == 4404


async def test_an_unknown_socket_address_is_closed_with_4404(web: WebServer) -> None:
    async with web.client(path="/ws/elsewhere/") as client:
        assert await client.closed() == 4404


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "7",
        "{}",
        '{"op":"drop"}',
        '{"op":"subscribe"}',
        '{"op":"subscribe","topic":7}',
        '{"op":"subscribe","topic":"test.note:a","version":"1"}',
        '{"op":"subscribe","topic":"test.note:a","version":true}',
        '{"op":"ack"}',
        '{"op":"unsubscribe"}',
        '{"op":"unsubscribe","topic":""}',
        "\x00",
    ],
)
async def test_a_bad_frame_is_answered_and_changes_nothing(
    web: WebServer, redis_client: Redis, text: str
) -> None:
    async with web.client() as client:
        await client.subscribe("test.note:bad")
        await client.socket.send(text)
        assert (await client.next(op="error"))["reason"]
        await set_note(redis_client, "bad", f"still here after {text!r}")
        await client.next(op="change")


async def test_a_frame_that_is_too_large_closes_the_socket(web: WebServer) -> None:
    async with web.client() as client:
        await client.socket.send('{"op":"ping","pad":"' + "x" * 5_000 + '"}')
        assert await client.closed() == 1009


async def test_binary_frames_close_the_socket(web: WebServer) -> None:
    async with web.client() as client:
        await client.socket.send(b"\x00\x01")
        assert await client.closed() == 1003


async def test_a_flood_of_frames_closes_the_socket(web: WebServer) -> None:
    async with web.client() as client:
        for _ in range(400):
            await client.socket.send('{"op":"ping"}')
        assert await client.closed() == 4429


async def test_a_socket_may_hold_only_so_many_topics(web: WebServer) -> None:
    async with web.client() as client:
        for number in range(32):
            assert (await client.subscribe(f"test.note:{number}"))["op"] == "snapshot"
        assert (await client.subscribe("test.note:32"))["code"] == 4429
        await client.send(op="unsubscribe", topic="test.note:0")
        assert (await client.subscribe("test.note:32"))["op"] == "snapshot"


async def test_one_person_may_hold_only_so_many_sockets(web: WebServer) -> None:
    clients = []
    try:
        for _ in range(40):
            context = web.client("south")
            clients.append((context, await context.__aenter__()))
            await clients[-1][1].next(op="hello")
        async with web.client("south") as one_more:
            assert await one_more.closed() == 4429
        async with web.client("north") as another_person:
            await another_person.next(op="hello")
    finally:
        for context, _ in clients:
            await context.__aexit__(None, None, None)


async def test_a_socket_that_answers_tells_of_presence_and_one_that_does_not_falls_silent(
    web: WebServer, redis_client: Redis
) -> None:
    async def beats() -> int:
        return sum(map(int, await redis_client.hvals("beats:here")))

    async def second_is_heard() -> bool:
        return await beats() == 2

    async with web.client() as client:
        await client.subscribe("test.presence:here")
        assert await beats() == 1
        await client.next(op="beat", seconds=20)
        assert await beats() == 1
        await client.send(op="beat")
        await eventually(second_is_heard)
        await client.next(op="beat", seconds=20)
        assert await beats() == 2


async def test_a_first_frame_without_a_good_token_is_closed_as_not_logged_in(
    web: WebServer,
) -> None:
    for first in ("{}", "nonsense", '{"op":"token","token":"psv_forged"}', '{"op":"token"}'):
        async with web.client("", path="/ws/live/visitor/") as client:
            await client.socket.send(first)
            with pytest.raises(ConnectionClosed):
                await client.receive()
            assert client.socket.close_code == 4401


async def test_an_ack_tells_of_presence_as_well(web: WebServer, redis_client: Redis) -> None:
    texts = itertools.count()

    async def tells_again() -> bool:
        """Trigger a change, and return whether presence was reported again.

        Only an ack that is sent late in the interval reports it.
        """
        await redis_client.set("note:reads", f"something new {next(texts)}")
        await redis_client.publish("live:test.presence:reads", "")
        await client.next(op="change")
        return int((await redis_client.hvals("beats:reads"))[0]) > 1

    async with web.client() as client:
        await client.subscribe("test.presence:reads")
        await eventually(tells_again)
        assert any("ack" in frame for frame in client.seen)


async def test_a_right_that_ends_while_a_socket_watches_ends_the_watching(
    web: WebServer, redis_client: Redis
) -> None:
    topic = "test.while_it_lasts:a"
    await redis_client.set("note:a", "one")
    async with web.client() as client:
        assert (await client.subscribe(topic))["op"] == "snapshot"
        await client.send(op="beat")
        await set_note(redis_client, "a", "two")
        await follow(client, topic, {"text": "two"})
        await redis_client.delete("note:a")
        await client.send(op="beat")
        assert (await client.next(op="refused", topic=topic))["code"] == 4403
        await set_note(redis_client, "a", "three")
        await client.send(op="ping")
        await client.next(op="pong")
        assert client.state(topic) == {"text": "two"}
