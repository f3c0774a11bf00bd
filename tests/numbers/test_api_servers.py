"""The API as two real servers serve it: limits, and lost replies.

tests/fuzz tests arbitrary input that matches the document, or does not.
"""

import json
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site, WebServer
from tests.support.proxy import FaultyProxy
from tests.support.waiting import patient

pytestmark = pytest.mark.processes

APPLICATION = "poolsite.asgi:application"
SETUP = "tests/bench/hot_setup.py"
EVENTS = "/api/v1/pools/bench/events"


class Served:
    """A server process with one pool of three numbers, behind a proxy to its Redis."""

    def __init__(self, kind: str, folder: Path, redis_url: str, proxy: FaultyProxy) -> None:
        self.proxy = proxy
        site = Site(folder, redis_url)
        folder.mkdir()
        site.migrate()
        self.token = site.run(SETUP, "bench", "3").strip()
        self.site = Site(folder, proxy.url)
        self.server = WebServer(self.site, kind, APPLICATION, extra=_limits(kind)).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def post(self, body: Any, path: str = EVENTS) -> httpx.Response:
        return httpx.post(self.url + path, json=body, headers=self.headers, timeout=patient(30))


def _limits(kind: str) -> tuple[str, ...]:
    return ("--ws-max-size", "2000000") if kind == "uvicorn" else ()


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp(request.param)
    redis = RedisServer(folder=folder / "redis", append_only=False).start()
    proxy = FaultyProxy(target=Path(redis.url.removeprefix("unix://").partition("?")[0])).start()
    served = None
    try:
        served = Served(request.param, folder / "site", redis.url, proxy)
        yield served
    finally:
        if served is not None:
            served.server.stop()
        proxy.stop()
        redis.stop()


def test_an_event_is_served_and_validated(served: Served) -> None:
    assert served.post({"event": "add", "number": "138"}).json()["outcome"] == "ok"
    assert served.post({"event": "dance"}).status_code == 422


def test_a_body_over_the_limit_is_refused_whether_it_says_so_or_not(served: Served) -> None:
    big = b" " * 1_500_000
    declared = httpx.post(
        served.url + EVENTS, content=big, headers=served.headers, timeout=patient(30)
    )
    assert (declared.status_code, declared.json()["type"]) == (413, "too-large")
    pieces = (big[start : start + 100_000] for start in range(0, len(big), 100_000))
    chunked = httpx.post(
        served.url + EVENTS, content=pieces, headers=served.headers, timeout=patient(30)
    )
    assert chunked.status_code == 413


def test_a_client_that_leaves_in_the_middle_harms_nobody(served: Served) -> None:
    head = (
        f"POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
        f"Authorization: Bearer {served.token}\r\n\r\n" + '{"event"'
    )
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", served.server.port), timeout=patient(5)) as raw:
            raw.sendall(head.encode())
    assert served.post({"event": "renew", "call_id": "x"}).status_code == 404


def test_a_lost_reply_without_an_id_is_an_unknown_outcome(served: Served) -> None:
    served.proxy.set("cut-reply", about=b"13000000001")  # not the replies of the rate limit
    lost = served.post({"event": "call", "number": "+8613000000001"})
    served.proxy.set("pass")
    assert (lost.status_code, lost.json()["type"]) == (504, "unknown-outcome")
    after = served.post({"event": "hangup", "number": "+8613000000001"})
    assert after.status_code == 200  # it had been executed, once


def test_a_lost_reply_with_a_call_id_is_repeated_and_answered(served: Served) -> None:
    served.proxy.set("cut-reply", faults=6)
    answer = served.post({"event": "call", "call_id": "lost-1"})
    assert served.proxy.hits == 6
    assert answer.status_code == 200
    again = served.post({"event": "call", "call_id": "lost-1"}).json()
    assert again["number"] == answer.json()["number"]
    assert served.post({"event": "hangup", "call_id": "lost-1"}).status_code == 200


def test_the_websocket_answers_and_holds_its_frame_limit(served: Served) -> None:
    address = served.url.replace("http", "ws") + "/ws/pools/bench/events/"
    with connect(
        address,
        additional_headers=served.headers,
        compression=None,
        max_size=None,
        open_timeout=patient(10),
    ) as switch:
        switch.send(json.dumps([{"id": 1, "event": "add", "number": "139"}]))
        assert json.loads(switch.recv(timeout=patient(10)))[0]["id"] == 1
        switch.send('"' + "x" * 1_010_000)
        with pytest.raises(ConnectionClosed) as closed:
            switch.recv(timeout=patient(10))
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    assert served.post({"event": "add", "number": "139"}).status_code == 200


def test_static_files_and_health_come_before_django(served: Served) -> None:
    get = partial(httpx.get, timeout=patient(5))
    assert get(served.url + "/healthz").status_code == 200
    style = get(served.url + "/static/tokens.css")
    assert style.status_code == 200
    assert style.headers["x-content-type-options"] == "nosniff"
    again = get(served.url + "/static/tokens.css", headers={"If-None-Match": style.headers["etag"]})
    assert again.status_code == 304
    for path in ("/static/..%2f..%2fmanage.py", "/static/%00", "/static/none.css"):
        assert get(served.url + path).status_code == 404
