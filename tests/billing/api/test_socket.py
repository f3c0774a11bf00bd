"""/ws/accounts/{slug}/balance/: figures in sequence, gaps that are visible, rights that end."""

import asyncio
import json
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from billing import servers
from billing import wallet as commands
from poolsite.access.models import ApiToken
from poolsite.access.services import token_revoke
from tests.billing.api.shop import Caller, Shop, make_shop
from tests.numbers.people import in_thread
from tests.support.waiting import patient

PATH = "/ws/accounts/acme/balance/"


class Watcher:
    """A reader that stores the last figures and knows when it has missed some."""

    def __init__(self, secret: str, path: str = PATH) -> None:
        from poolsite.asgi import application

        headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
        if secret:
            headers.append((b"authorization", f"Bearer {secret}".encode()))
        self.socket: Any = WebsocketCommunicator(application, path, headers=headers)
        self.seq: int | None = None

    async def open(self) -> "Watcher":
        accepted, _ = await self.socket.connect(timeout=patient(5))
        assert accepted
        return self

    async def frame(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(await self.socket.receive_from(timeout=patient(5)))
        return frame

    async def figures(self) -> dict[str, Any]:
        frame = await self.frame()
        assert frame["previous"] == self.seq, "a gap"
        self.seq = frame["balance"]["seq"]
        return dict(frame["balance"])

    async def until(self, **wanted: str) -> dict[str, Any]:
        async with asyncio.timeout(patient(5)):
            while True:
                figures = await self.figures()
                if all(figures[name] == value for name, value in wanted.items()):
                    return figures

    async def closed(self) -> int:
        async with asyncio.timeout(patient(5)):
            while True:
                message = await self.socket.output_queue.get()
                if message["type"] == "websocket.close":
                    return int(message["code"])


async def test_the_balance_is_pushed_as_it_changes_with_gapless_frames(
    caller: Caller, shop: Shop
) -> None:
    watcher = await Watcher(shop.token).open()
    first = await watcher.figures()
    assert (first["spendable"], first["account"]) == ("100.0000", "acme")
    await caller.hold("m-1")
    await watcher.until(spendable="99.8800", held="0.1200")
    await caller.post("cancellations", {"message_id": "m-1"})
    last = await watcher.until(spendable="100.0000", held="0.0000")
    assert last["seq"] == (await caller.get("balance")).json()["seq"]
    await watcher.socket.disconnect()


async def test_a_burst_ends_with_the_last_figures_in_a_few_frames(
    caller: Caller, shop: Shop
) -> None:
    watcher = await Watcher(shop.token).open()
    await watcher.figures()
    started = asyncio.get_running_loop().time()
    for index in range(60):
        await caller.hold(f"m-{index}")
    frames = 0
    async with asyncio.timeout(patient(5)):
        while (await watcher.figures())["held"] != "7.2000":
            frames += 1
    seconds = asyncio.get_running_loop().time() - started
    assert frames <= seconds * 5 + 2
    await watcher.socket.disconnect()


async def test_a_status_is_pushed_as_well(caller: Caller, shop: Shop) -> None:
    watcher = await Watcher(shop.token).open()
    await watcher.figures()
    command = commands.status(shop.slug, "frozen", "test", "op-1")
    await in_thread(servers.path(shop.wallet).run)(command)
    await watcher.until(status="frozen")
    await watcher.socket.disconnect()


async def test_another_tenant_nobody_and_the_missing_are_closed_alike(shop: Shop) -> None:
    other = await in_thread(make_shop)("other")
    for secret, path, code in (
        (other.token, PATH, 4404),
        (other.token, "/ws/accounts/nowhere/balance/", 4404),
        ("", PATH, 4401),
        ("ps_wrong", PATH, 4401),
    ):
        watcher = await Watcher(secret, path).open()
        assert await watcher.closed() == code


async def test_a_revoked_token_s_socket_is_closed_within_a_second(shop: Shop) -> None:
    watcher = await Watcher(shop.token).open()
    await watcher.figures()
    token = await in_thread(ApiToken.objects.get)(pk=shop.chatbot.token_id)
    await in_thread(token_revoke)(token=token, actor="test")
    async with asyncio.timeout(patient(1)):
        assert await watcher.closed() == 4401


@pytest.mark.parametrize(("text", "code"), [("x" * 1_025, 1009), (None, 1003)])
async def test_what_no_reader_sends_ends_the_socket(
    shop: Shop, text: str | None, code: int
) -> None:
    watcher = await Watcher(shop.token).open()
    await watcher.figures()
    if text is None:
        await watcher.socket.send_to(bytes_data=b"\x00")
    else:
        await watcher.socket.send_to(text_data=text)
    assert await watcher.closed() == code


async def test_a_ping_is_answered_nonsense_is_told_and_a_flood_closed(shop: Shop) -> None:
    watcher = await Watcher(shop.token).open()
    await watcher.figures()
    await watcher.socket.send_to(text_data='{"ping": true}')
    assert await watcher.frame() == {"pong": True}
    await watcher.socket.send_to(text_data='{"buy": 1}')
    assert "error" in await watcher.frame()
    for _ in range(200):
        await watcher.socket.send_to(text_data="{}")
    assert await watcher.closed() == 4429
