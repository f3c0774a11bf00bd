"""Deeply nested JSON: refused as an unreadable request, wherever it is sent."""

from collections.abc import AsyncIterator

import httpx
import pytest
from django.core.exceptions import ValidationError
from django.test import RequestFactory

from numbers.api import frames
from poolsite.api.reading import MalformedError
from poolsite.console import verbs
from queueing.dispatch.frames import JSON, MSGPACK, MalformedFrameError
from tests.numbers.people import in_thread, make_pool, token_for

EVENTS = "/api/v1/pools/east/events"
LIVE = "/api/v1/pools/east/live"
JOIN = "/api/v1/queues/nowhere/join"
DEPTHS = (40, 201, 400, 600, 950, 9_000)

each_depth = pytest.mark.parametrize("depth", DEPTHS)
each_form = pytest.mark.parametrize("array", [True, False], ids=["arrays", "objects"])


def nested(depth: int, *, array: bool) -> bytes:
    """Return `depth` arrays or objects inside each other."""
    opening, closing = (b"[", b"]") if array else (b'{"a":', b"}")
    return opening * depth + b"1" + closing * depth


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    secret = await in_thread(lambda: token_for(make_pool("east", numbers=1)))()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", headers=headers
    ) as client:
        yield client


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
async def test_no_entry_of_the_api_fails_on_nested_json(client: httpx.AsyncClient) -> None:
    for path in (EVENTS, LIVE, JOIN):
        for depth in DEPTHS:
            for body in (
                nested(depth, array=True),
                nested(depth, array=False),
                b'{"event":"call","agent":' + nested(depth, array=True) + b"}",
                b'[{"event":"call"},{"agent":' + nested(depth, array=False) + b"}]",
            ):
                answer = await client.post(path, content=body)
                kind = (answer.status_code, answer.json()["type"])
                told = (path, depth, body[:30], answer.text)
                # The parser accepts 40 levels: then an unexpected field may be reported first.
                assert kind == (400, "too-deep") or (depth == 40 and kind == (422, "malformed")), (
                    told
                )


@each_depth
@each_form
def test_a_switchs_frame_is_refused_and_named_malformed(depth: int, array: bool) -> None:
    for text in (
        nested(depth, array=array).decode(),
        f'[{{"id":"1","event":{nested(depth, array=array).decode()}}}]',
        f'{{"id":"1","live":{nested(depth, array=array).decode()}}}',
    ):
        read = frames.read(text)
        if isinstance(read, frames.Events):
            assert all(isinstance(item, MalformedError) for item in read.items)
        else:
            assert isinstance(read, MalformedError)


@pytest.mark.parametrize("depth", [101, 400, 950, 9_000])
def test_a_peers_frame_is_malformed(depth: int) -> None:
    text = b'{"op":"start","session":"a/1","seq":1,"body":%s}' % nested(depth, array=True)
    with pytest.raises(MalformedFrameError):
        JSON.parse({"text": text.decode()})
    packed = b"\x81\xa4body" + b"\x91" * depth + b"\x01"
    with pytest.raises(MalformedFrameError):
        MSGPACK.parse({"bytes": packed})


@each_form
def test_a_pages_small_body_is_refused(array: bool) -> None:
    body = b'{"a":' + nested(1_500, array=array) + b"}"
    request = RequestFactory().post("/", body, content_type="application/json")
    with pytest.raises(ValidationError, match="can't be read"):
        verbs.body_of(request)
