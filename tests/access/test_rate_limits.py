"""Rate limits in front of the whole application: what counts for whom, and how it is refused."""

import time
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
import pytest
from channels.testing import WebsocketCommunicator

from poolsite import hotpath
from poolsite.access import limiting
from poolsite.access.limiting import REFUSED, network_of
from poolsite.access.rights.cache import CACHE
from poolsite.limits.shares import ALONE
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import in_thread, make_pool, tenant, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

EVENTS = "/api/v1/pools/east/events"
LISTS = "/api/v1/pools"
CALL = {"event": "call", "call_id": "a"}


@pytest.fixture(autouse=True)
def _nobody_was_seen() -> None:
    limiting._SEEN.clear()
    ALONE.clear()


@dataclass
class Caller:
    """Sends requests to the whole application in this process, from any address."""

    application: Any

    async def ask(
        self, method: str, path: str, *, token: str = "", address: str = "192.0.2.1", **more: Any
    ) -> httpx.Response:
        headers = more.pop("headers", {})
        if token:
            headers = {**headers, "Authorization": f"Bearer {token}"}
        transport = httpx.ASGITransport(app=self.application, client=(address, 5060))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers, **more)

    async def statuses(self, count: int, *args: Any, **more: Any) -> list[int]:
        return [(await self.ask(*args, **more)).status_code for _ in range(count)]


@pytest.fixture
def caller() -> Caller:
    from poolsite.asgi import application

    return Caller(application)


@pytest.fixture
async def token() -> str:
    return await in_thread(lambda: token_for(make_pool("east", numbers=3)))()


def refused(kind: str) -> float:
    """Return the number of requests that this process has refused for this reason."""
    return REFUSED.labels(kind)._value.get()


# -- tokens that are not valid -----------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), [("POST", EVENTS), ("GET", LISTS)])
async def test_guessing_tokens_ends_in_429(
    caller: Caller, settings: Any, method: str, path: str
) -> None:
    settings.BAD_TOKENS_PER_ADDRESS = 30
    before = refused("bad-token")
    began = time.monotonic()
    answers = [await caller.ask(method, path, token=f"ps_guess{n}") for n in range(150)]
    back = int((time.monotonic() - began) / 2) + 1  # one comes back every two seconds
    statuses = [answer.status_code for answer in answers]
    assert 30 <= statuses.count(401) <= 30 + back
    assert statuses.count(429) == 150 - statuses.count(401)
    last = next(answer for answer in reversed(answers) if answer.status_code == 429)
    assert 1 <= int(last.headers["Retry-After"]) <= 2
    assert last.headers["Content-Type"] == "application/problem+json"
    assert last.json()["type"] == "rate-limited"
    assert refused("bad-token") - before == statuses.count(429)
    other = await caller.ask(method, path, token="ps_guess", address="192.0.2.2")
    assert other.status_code == 401


async def test_who_was_let_in_is_not_shut_out_by_a_guesser_at_the_same_address(
    caller: Caller, settings: Any, token: str
) -> None:
    settings.BAD_TOKENS_PER_ADDRESS = 1
    assert (await caller.ask("POST", EVENTS, token=token, json=CALL)).status_code == 200
    assert await caller.statuses(3, "POST", EVENTS, token="ps_guess") == [401, 429, 429]
    CACHE.drop("", "")  # as after 30 s: it is looked up again
    assert (await caller.ask("POST", EVENTS, token=token, json=CALL)).status_code == 200


async def test_a_session_that_ended_is_no_guess(caller: Caller, settings: Any) -> None:
    settings.BAD_TOKENS_PER_ADDRESS = 1
    headers = {"Cookie": "session=ended", "Accept": "text/html"}
    assert set(await caller.statuses(5, "GET", "/login/", headers=headers)) == {200}


async def test_guessing_the_metrics_token_ends_in_429(caller: Caller, settings: Any) -> None:
    settings.BAD_TOKENS_PER_ADDRESS = 3
    settings.METRICS_TOKEN = "right"
    assert await caller.statuses(4, "GET", "/metrics", token="wrong") == [401, 401, 401, 429]
    assert await caller.statuses(2, "GET", "/metrics", token="right") == [200, 200]


# -- tokens, accounts, people, addresses -------------------------------------------------------


async def test_a_token_has_a_limit_of_its_own(caller: Caller, settings: Any, token: str) -> None:
    settings.RATE_PER_TOKEN = 5
    began = time.monotonic()
    statuses = await caller.statuses(60, "POST", EVENTS, token=token, json=CALL)
    most = 10 + 5 * (time.monotonic() - began + 1)
    assert 10 <= statuses.count(200) <= most
    assert set(statuses) == {200, 429}
    other = await in_thread(lambda: token_for(make_pool("west", numbers=1)))()
    assert (await caller.ask("GET", LISTS, token=other)).status_code == 200


async def test_an_accounts_tokens_share_its_limit(caller: Caller, settings: Any) -> None:
    def two() -> list[str]:
        north = tenant("north")
        pool = make_pool("east", numbers=1, account=north.account)
        return [token_for(pool), token_for(pool)]

    first, second = await in_thread(two)()
    settings.RATE_PER_ACCOUNT = 5
    began = time.monotonic()
    statuses = await caller.statuses(20, "GET", LISTS, token=first)
    statuses += await caller.statuses(20, "GET", LISTS, token=second)
    most = 10 + 5 * (time.monotonic() - began + 1)
    assert 10 <= statuses.count(200) <= most


async def test_whoever_shows_nothing_counts_for_the_address(
    caller: Caller, settings: Any, token: str
) -> None:
    settings.RATE_PER_ADDRESS = 1
    began = time.monotonic()
    forged = {"X-Forwarded-For": "203.0.113.9", "Accept": "text/html"}
    answers = [await caller.ask("GET", "/login/", headers=forged) for _ in range(60)]
    most = 10 + 1 * (time.monotonic() - began + 1)
    statuses = [answer.status_code for answer in answers]
    assert 10 <= statuses.count(200) <= most
    page = next(answer for answer in answers if answer.status_code == 429)
    assert page.headers["Content-Type"].startswith("text/html")
    assert int(page.headers["Retry-After"]) >= 1
    assert (await caller.ask("GET", "/login/", address="192.0.2.2")).status_code == 200
    assert set(await caller.statuses(5, "GET", "/static/theme.js")) == {200}
    assert set(await caller.statuses(5, "GET", "/healthz")) == {200}


async def test_a_known_token_does_not_count_for_its_address(
    caller: Caller, settings: Any, token: str
) -> None:
    settings.RATE_PER_ADDRESS = 1
    assert set(await caller.statuses(40, "POST", EVENTS, token=token, json=CALL)) == {200}


async def test_the_address_is_the_last_one_that_no_trusted_proxy_wrote(
    caller: Caller, settings: Any
) -> None:
    settings.TRUSTED_PROXIES = ["192.0.2.1"]
    settings.BAD_TOKENS_PER_ADDRESS = 1

    async def guess(forwarded: str) -> int:
        headers = {"X-Forwarded-For": forwarded}
        return (await caller.ask("GET", LISTS, token="ps_x", headers=headers)).status_code

    assert [await guess("203.0.113.1"), await guess("203.0.113.1")] == [401, 429]
    assert await guess("198.51.100.7, 203.0.113.1") == 429  # the client wrote the left part
    assert await guess("203.0.113.2") == 401
    assert [await guess("2001:db8::1"), await guess("2001:db8::ffff:2")] == [401, 429]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("x" * 100, "x" * 64),
    ],
)
def test_what_an_address_counts_as(address: str, network: str) -> None:
    assert network_of(address) == network


# -- how it is refused -------------------------------------------------------------------------


async def test_no_body_is_read_and_the_connection_ends(
    caller: Caller, settings: Any, token: str
) -> None:
    settings.BAD_TOKENS_PER_ADDRESS = 1
    assert await caller.statuses(2, "POST", EVENTS, token="ps_x") == [401, 429]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body was asked for")

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": EVENTS,
        "client": ("192.0.2.1", 1),
        "headers": [(b"authorization", b"Bearer ps_y"), (b"content-length", b"9")],
    }
    await caller.application(scope, receive, send)
    assert sent[0]["status"] == 429
    assert (b"connection", b"close") in sent[0]["headers"]
    assert orjson.loads(sent[1]["body"])["status"] == 429


async def test_handshakes_count_and_so_do_bad_tokens_of_first_frames(
    caller: Caller, settings: Any
) -> None:
    settings.BAD_TOKENS_PER_ADDRESS = 2

    async def code_of(first_frame: str) -> int:
        headers = [(b"origin", b"http://localhost"), (b"host", b"localhost")]
        socket = WebsocketCommunicator(caller.application, "/ws/live/visitor/", headers)
        socket.scope["client"] = ("192.0.2.7", 1)
        accepted, code = await socket.connect()
        if accepted:
            await socket.send_to(text_data=first_frame)
            code = (await socket.receive_output())["code"]
        await socket.wait()
        return int(code or 0)

    guess = '{"op":"token","token":"ps_guess"}'
    assert [await code_of(guess) for _ in range(3)] == [4401, 4401, 4429]
    settings.RATE_PER_ADDRESS = 1
    assert 4429 in [await code_of("{}") for _ in range(30)]


async def test_every_operation_of_the_document_tells_of_the_limit(caller: Caller) -> None:
    document = (await caller.ask("GET", "/api/v1/openapi.json")).json()
    told = [
        operation["responses"]["429"]
        for operations in document["paths"].values()
        for operation in operations.values()
    ]
    assert len(told) > 50
    assert all("Retry-After" in response["headers"] for response in told)
    assert all("application/problem+json" in response["content"] for response in told)


# -- without Redis -----------------------------------------------------------------------------


async def test_without_redis_each_process_counts_alone(
    caller: Caller, settings: Any, clean_redis: RedisServer
) -> None:
    settings.RATE_PER_ADDRESS = 1
    with hotpath.connect("unix:///nowhere/redis.sock"):
        began = time.monotonic()
        statuses = await caller.statuses(40, "GET", "/login/", headers={"Accept": "text/html"})
        most = 10 + 1 * (time.monotonic() - began + 1)
    assert 10 <= statuses.count(200) <= most
    assert set(statuses) == {200, 429}
