"""Allowed networks of a token: one answer on every interface, and outsiders use up nothing."""

from typing import Any

import httpx
import pytest
from channels.testing import WebsocketCommunicator
from django.core.exceptions import ValidationError
from django.test import Client

from poolsite.access import limiting
from poolsite.access.models import ApiToken
from poolsite.access.networks import allows, checked
from poolsite.access.rights.cache import CACHE
from poolsite.limits.shares import ALONE
from tests.numbers.people import in_thread, make_pool, token_for

INSIDE, OUTSIDE = "192.0.2.1", "198.51.100.1"
EVENTS = "/api/v1/pools/east/events"
LISTS = "/api/v1/pools"
CALL = {"event": "call", "call_id": "a"}


@pytest.mark.parametrize(
    ("networks", "address", "allowed"),
    [
        ((), "192.0.2.1", True),
        ((), "", True),
        (("192.0.2.0/24",), "192.0.2.255", True),
        (("192.0.2.0/24",), "192.0.3.1", False),
        (("192.0.2.0/24",), "::ffff:192.0.2.7", True),
        (("192.0.2.0/24",), "", False),
        (("192.0.2.0/24",), "unix", False),
        (("2001:db8::/32",), "2001:db8:1::5", True),
        (("2001:db8::/32",), "2001:db9::5", False),
        (("fe80::/10",), "fe80::1%eth0", True),
        (("2001:db8::/32", "192.0.2.7/32"), "192.0.2.7", True),
    ],
)
def test_an_address_is_in_a_network_or_not(
    networks: tuple[str, ...], address: str, allowed: bool
) -> None:
    assert allows(networks, address) is allowed


def test_networks_are_written_in_one_form_and_each_once() -> None:
    given = ["192.0.2.7", "192.0.2.7/32", "2001:0db8::/32"]
    assert checked(given) == ["192.0.2.7/32", "2001:db8::/32"]


@pytest.mark.parametrize("bad", ["east", "192.0.2.0/33", "192.0.2.7/24", "", "192.0.2.0/24\x00"])
def test_what_is_no_network_is_refused(bad: str) -> None:
    with pytest.raises(ValidationError):
        checked([bad])
    with pytest.raises(ValidationError):
        checked([f"192.0.2.{n}" for n in range(51)])


# -- interfaces ----------------------------------------------------------------------------------

doors = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis", "anew")]


@pytest.fixture
def anew() -> None:
    limiting._SEEN.clear()
    ALONE.clear()


def make_token(**given: Any) -> str:
    return token_for(make_pool("east", numbers=3), **given)


async def ask(method: str, path: str, token: str, address: str, **more: Any) -> httpx.Response:
    from poolsite.asgi import application

    headers = more.pop("headers", {}) | {"Authorization": f"Bearer {token}"}
    transport = httpx.ASGITransport(app=application, client=(address, 5060))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.request(method, path, headers=headers, **more)


class TestDoors:
    pytestmark = doors

    @pytest.mark.parametrize(("method", "path"), [("POST", EVENTS), ("GET", LISTS)])
    async def test_rest_and_the_hot_lane_refuse_an_outsider(self, method: str, path: str) -> None:
        token = await in_thread(make_token)(networks=["192.0.2.0/24"])
        body: Any = {"json": CALL} if method == "POST" else {}
        for _remembered in range(2):
            refused = await ask(method, path, token, OUTSIDE, **body)
            assert refused.status_code == 403
            assert refused.headers["Content-Type"] == "application/problem+json"
            assert refused.json()["type"] == "network"
            assert OUTSIDE in refused.json()["detail"]
            assert (await ask(method, path, token, INSIDE, **body)).status_code == 200

    async def test_an_outsider_uses_up_nothing_of_the_token(self, settings: Any) -> None:
        settings.RATE_PER_TOKEN = 1
        token = await in_thread(make_token)(networks=["192.0.2.0/24"])
        answers = [await ask("GET", LISTS, token, OUTSIDE) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {403}
        assert (await ask("GET", LISTS, token, INSIDE)).status_code == 200

    async def test_an_outsiders_use_is_not_noted(self) -> None:
        token = await in_thread(make_token)(networks=["192.0.2.0/24"])
        await ask("GET", LISTS, token, OUTSIDE)
        row = await in_thread(ApiToken.objects.get)()
        assert row.last_used_at is None
        CACHE.drop("", "")
        await ask("GET", LISTS, token, INSIDE)
        await in_thread(row.refresh_from_db)()
        assert row.last_used_address == INSIDE

    async def test_behind_a_trusted_proxy_the_clients_address_counts(self, settings: Any) -> None:
        settings.TRUSTED_PROXIES = ["192.0.2.0/24"]
        token = await in_thread(make_token)(networks=["198.51.100.0/24"])
        for forwarded, status in ((OUTSIDE, 200), ("203.0.113.9", 403)):
            headers = {"X-Forwarded-For": f"198.51.100.1, {forwarded}"}
            answer = await ask("GET", LISTS, token, INSIDE, headers=headers)
            assert answer.status_code == status, forwarded

    async def test_a_websocket_refuses_an_outsider(self) -> None:
        token = await in_thread(make_token)(networks=["2001:db8::/32"])
        assert await connects(token, "2001:db8::7")
        assert not await connects(token, "2001:db9::7")
        assert not await connects(token, "2001:db9::7")  # cached now

    async def test_a_token_in_a_first_frame_is_nobodys_outside(self) -> None:
        token = await in_thread(make_token)(networks=["192.0.2.0/24"])
        outside = await limiting.principal_of_first_frame(token, OUTSIDE)
        inside = await limiting.principal_of_first_frame(token, INSIDE)
        assert (outside.kind, inside.kind) == ("anonymous", "token")

    def test_django_alone_lets_no_outsider_in(self) -> None:
        token = make_token(networks=["192.0.2.0/24"])
        bearer: Any = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
        assert Client(REMOTE_ADDR=OUTSIDE).get(LISTS, **bearer).status_code == 401
        assert Client(REMOTE_ADDR=INSIDE).get(LISTS, **bearer).status_code == 200

    async def test_a_token_without_networks_works_everywhere(self) -> None:
        token = await in_thread(make_token)()
        for address in (INSIDE, OUTSIDE, "2001:db8::7"):
            assert (await ask("GET", LISTS, token, address)).status_code == 200


async def connects(token: str, address: str) -> bool:
    """Return whether a switch's socket is opened."""
    from poolsite.asgi import application

    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())]
    socket = WebsocketCommunicator(application, "/ws/pools/east/events/", headers=headers)
    socket.scope["client"] = (address, 1)
    accepted, code = await socket.connect()
    if accepted:
        await socket.disconnect()
    else:
        assert code == 4403
        await socket.wait()
    return bool(accepted)
