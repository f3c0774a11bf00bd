"""The API as two real servers serve it: lost replies, and messages with one bad field.

tests/fuzz tests arbitrary input that matches the document, or does not.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from poolsite.runtime.redis_server import RedisServer
from tests.billing.api.shop import text_message
from tests.live.servers import Site, WebServer
from tests.support.proxy import FaultyProxy
from tests.support.waiting import patient

pytestmark = pytest.mark.processes

ACCOUNT = "/api/v1/accounts/bench"


class Served:
    """A server process with one account, behind a proxy to its Redis."""

    def __init__(self, kind: str, folder: Path, redis_url: str, proxy: FaultyProxy) -> None:
        self.proxy = proxy
        folder.mkdir()
        site = Site(folder, redis_url)
        site.migrate()
        self.token, self.gateway = site.run("-m", "tests.billing.api.served_setup").split()
        extra = ("--ws-max-size", "2000000") if kind == "uvicorn" else ()
        self.server = WebServer(
            Site(folder, proxy.url), kind, "poolsite.asgi:application", extra=extra
        ).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def headers(self, token: str = "") -> dict[str, str]:
        return {"Authorization": f"Bearer {token or self.token}"}

    def post(self, part: str, body: Any, token: str = "") -> httpx.Response:
        headers = self.headers(token)
        return httpx.post(
            f"{self.url}{ACCOUNT}/{part}", json=body, headers=headers, timeout=patient(30)
        )

    def balance(self) -> dict[str, Any]:
        answer = httpx.get(
            f"{self.url}{ACCOUNT}/balance", headers=self.headers(), timeout=patient(30)
        )
        assert answer.status_code == 200
        return dict(answer.json())


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


def test_a_lost_reply_is_repeated_and_charged_once(served: Served) -> None:
    before = served.balance()
    served.proxy.set("cut-reply", faults=6)
    answer = served.post("holds", text_message("lost-1"))
    assert served.proxy.hits == 6
    assert (answer.status_code, answer.json()["state"]) == (200, "held")
    assert served.post("cancellations", ["lost-1"]).json()[0]["status"] == 200
    assert served.balance()["spendable"] == before["spendable"]


def test_the_balance_s_socket_speaks_on_a_real_server(served: Served) -> None:
    address = served.url.replace("http", "ws") + "/ws/accounts/bench/balance/"
    options: dict[str, Any] = {"open_timeout": patient(10), "compression": None}
    with connect(address, additional_headers=served.headers(), **options) as socket:
        first = json.loads(socket.recv(timeout=patient(10)))
        assert first["previous"] is None
        served.post("holds", text_message("socket-1"))
        told = json.loads(socket.recv(timeout=patient(10)))
        assert told["previous"] == first["balance"]["seq"]
        assert told["balance"]["seq"] > first["balance"]["seq"]
    served.post("cancellations", ["socket-1"])


@pytest.mark.parametrize(
    "field",
    [
        '"video_kilobytes": -1',
        '"video_kilobytes": 0',
        '"video_kilobytes": 0.5',
        '"video_kilobytes": 9007199254740992',
        '"video_kilobytes": 1e400',
        '"video_kilobytes": NaN',
        '"video_kilobytes": Infinity',
        '"video_kilobytes": "1"',
        '"video_kilobytes": true',
        '"native": "hologram"',
        '"price": 1',
        '"text": "a\\u0000b"',
        '"text": "\\ud800"',
        '"message_id": ""',
        '"message_id": "a b"',
        '"message_id": "１"',
        '"template": 9007199254740993',
        '"video_kilobytes": 90, "video_kilobytes": 1',
    ],
)
def test_what_is_no_message_is_malformed_and_charges_nothing(served: Served, field: str) -> None:
    """One bad field in an otherwise good message, alone and among good ones."""
    good = '"message_id": "bad-1", "text": "Hello", "fallback": "video"'
    name = field.partition(":")[0]
    kept = [part for part in good.split(", ") if not part.startswith(name)]
    if not name.startswith('"video') and not name.startswith('"template'):
        kept.append('"video_kilobytes": 90')
    body = "{" + ", ".join([*kept, field]) + "}"
    before = served.balance()
    headers = served.headers() | {"Content-Type": "application/json"}
    url = f"{served.url}{ACCOUNT}/holds"
    alone = httpx.post(url, content=body.encode(), headers=headers, timeout=patient(30))
    assert (alone.status_code, alone.json()["type"]) == (422, "malformed")
    after = served.balance()
    assert (after["spendable"], after["held"]) == (before["spendable"], before["held"])
