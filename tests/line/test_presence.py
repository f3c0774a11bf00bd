"""The behaviour table's rows of presence, with real sockets that are cut, and polls that stop.

No timers run: the web process that heard a person last notices the silence.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from poolsite.runtime.redis_server import RedisServer
from tests.line.presence_stage import GRACE_SECONDS, ROOM_GRACE_SECONDS, TTL_SECONDS
from tests.live.servers import Site, WebServer
from tests.support import forking
from tests.support.waiting import eventually, patient

pytestmark = pytest.mark.processes
SLACK_SECONDS = 30.0  # of a busy machine
POLL_SECONDS = 1.0


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A web process with a separate desk, and the work of workers."""
    redis = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    site = Site(tmp_path_factory.mktemp("floor"), redis.url)
    site.folder.mkdir(exist_ok=True)
    site.migrate()
    site.people["agent"] = json.loads(site.run("-m", "tests.line.presence_stage"))
    web = WebServer(site, "uvicorn", application="tests.live.brisk_app:application").start()
    words = ["-m", "tests.browser.line_ticker", "--without-timers"]
    ticker = forking.talk(words, site.environment, errors=site.folder / "ticker.log")
    assert ticker.stdout is not None
    assert ticker.stdout.readline() == "ready\n"
    yield web
    ticker.terminate()
    ticker.communicate(timeout=patient(20))
    web.stop()
    redis.stop()


class Open:
    """An open socket that answers heartbeats, until it is cut."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.states: dict[str, Any] = {}
        self.told: list[str] = []
        self._task = asyncio.create_task(self._pump())

    async def _pump(self) -> None:
        with suppress(ConnectionClosed):
            async for text in self.socket:
                frame = orjson.loads(text)
                if frame["op"] == "beat":
                    await self.send(op="beat")
                elif frame["op"] == "personal":
                    self.told.append(frame["kind"])
                elif "data" in frame:
                    name = frame["topic"].partition(":")[0]
                    before = self.states.get(name, {}) if frame["op"] == "change" else {}
                    self.states[name] = {**before, **frame["data"]}
                if "ack" in frame:
                    await self.send(op="ack", ack=frame["ack"])

    async def send(self, **frame: Any) -> None:
        await self.socket.send(orjson.dumps(frame).decode())

    async def cut(self) -> None:
        """Cut the socket as when the network fails: without a close frame."""
        self.socket.transport.abort()
        await self._task


class Visitor:
    """A visitor with a page (a socket), or without one (a poll)."""

    def __init__(self, web: WebServer, joined: dict[str, Any], kind: str) -> None:
        self.web, self.kind = web, kind
        self.visit, self.token = joined["visit"], joined["token"]
        self.first = joined
        self.open: Open | None = None
        self._polls: asyncio.Task[None] | None = None

    async def come(self) -> "Visitor":
        if self.kind == "poll":
            self._polls = asyncio.create_task(self._poll())
            return self
        port = self.web.port
        socket = await connect(
            f"ws://127.0.0.1:{port}/ws/live/visitor/",
            origin=f"http://127.0.0.1:{port}",
            ping_interval=None,
            open_timeout=patient(10),
        )
        self.open = Open(socket)
        await self.open.send(op="token", token=self.token)
        await self.open.send(op="subscribe", topic="line.queue:help")
        await self.open.send(op="subscribe", topic=f"line.visit:{self.visit}")
        return self

    async def _poll(self) -> None:
        while True:
            await call(self.web, f"visits/{self.visit}/beat", self.token)
            await asyncio.sleep(POLL_SECONDS)  # waits: the visitor's own pace

    async def cut(self) -> None:
        if self.open is not None:
            await self.open.cut()
        if self._polls is not None:
            self._polls.cancel()

    async def leave(self) -> None:
        """Leave explicitly."""
        await call(self.web, f"visits/{self.visit}/leave", self.token)
        await self.cut()

    async def stands(self) -> dict[str, Any]:
        """Read the visit's state. Reading keeps no place."""
        async with httpx.AsyncClient(timeout=patient(10)) as client:
            answer = await client.get(
                f"http://127.0.0.1:{self.web.port}/api/v1/visits/{self.visit}",
                headers={"Authorization": f"Bearer {self.token}"},
            )
        found: dict[str, Any] = answer.json()
        return found

    async def until(self, answer: str, seconds: float) -> dict[str, Any]:
        """Wait until the visit has this state."""
        now: dict[str, Any] = {}

        async def stands_so() -> bool:
            now.update(await self.stands())
            if now["answer"] != answer:
                await asyncio.sleep(0.2)  # waits: each look costs the server something
            return bool(now["answer"] == answer)

        await eventually(stands_so, seconds + SLACK_SECONDS)
        return now


async def call(web: WebServer, path: str, token: str = "", **body: Any) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(timeout=patient(10)) as client:
        url = f"http://127.0.0.1:{web.port}/api/v1/{path}"
        answer = await client.post(url, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def joins(web: WebServer, name: str, kind: str = "socket") -> Visitor:
    joined = await call(web, "queues/help/join", name=name)
    return await Visitor(web, joined, kind).come()


async def agent_comes(web: WebServer, *, login: bool = True) -> Open:
    """Return the agent's console: a socket that watches, and the log-in."""
    agent = web.site.people["agent"]
    port = web.port
    socket = await connect(
        f"ws://127.0.0.1:{port}/ws/live/",
        origin=f"http://127.0.0.1:{port}",
        additional_headers={"Cookie": agent["cookie"]},
        ping_interval=None,
        open_timeout=patient(10),
    )
    console = Open(socket)
    await console.send(op="subscribe", topic=f"line.agent:{agent['user']}")
    if not login:
        return console
    name, _, value = agent["cookie"].partition("=")
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", cookies={name: value}, timeout=patient(10)
    ) as client:
        await client.get("/profile/")
        headers = {"X-CSRFToken": client.cookies["csrf"]}
        answer = await client.post("/api/v1/agent/login", json={}, headers=headers)
        assert answer.status_code == 200, answer.text
    return console


async def test_who_vanishes_while_waiting_keeps_the_place_for_the_grace_time_and_not_longer(
    floor: WebServer,
) -> None:
    gone = [await joins(floor, "Ann"), await joins(floor, "Cy", "poll")]
    stays = await joins(floor, "Bo")
    for visitor in gone:
        await visitor.cut()
    for visitor in gone:
        await visitor.until("away", TTL_SECONDS)
    assert (await stays.stands())["ahead"] == 2  # they count in the places of other visitors
    for place, visitor in enumerate(gone):
        await visitor.come()
        back = await visitor.until("waiting", 0)
        assert (back["ahead"], back["ticket"]) == (place, visitor.first["ticket"])
    witness = await joins(floor, "Dee")
    await witness.cut()
    await witness.until("away", TTL_SECONDS)
    for visitor in gone:  # sockets that answer, and polls, keep the place
        assert (await visitor.stands())["answer"] == "waiting"
        await visitor.cut()
    for visitor in gone:
        ended = await visitor.until("ended", TTL_SECONDS + GRACE_SECONDS)
        assert ended["word"] == "lost"
    assert (await stays.stands())["ahead"] == 0
    await stays.leave()


def slots_of(console: Open) -> list[dict[str, Any]]:
    """Return what the agent's page shows."""
    found: list[dict[str, Any]] = console.states.get("line.agent", {}).get("slots", [])
    return found


async def test_who_vanishes_in_a_room_comes_back_to_it_or_loses_it(floor: WebServer) -> None:
    console = await agent_comes(floor)
    first = await joins(floor, "Ann")
    await first.until("room", 0)
    second = await joins(floor, "Bo", "poll")
    third = await joins(floor, "Cy", "poll")
    await first.cut()
    await eventually(lambda: [slot["away_ms"] > 0 for slot in slots_of(console)] == [True])
    assert (await first.stands())["answer"] == "room"
    await first.come()
    await eventually(lambda: [slot["away_ms"] for slot in slots_of(console)] == [0])
    assert (await first.stands())["answer"] == "room"
    await first.cut()
    ended = await first.until("ended", ROOM_GRACE_SECONDS)
    assert ended["word"] == "visitor lost"
    await second.until("room", 0)
    await eventually(lambda: [slot["visit"] for slot in slots_of(console)] == [second.visit])

    # a visitor who was lost in a room is at the head again, once
    again = await call(floor, "queues/help/join", first.token)
    assert (again["answer"], again["ahead"]) == ("waiting", 0)
    assert (await third.stands())["ahead"] == 1
    assert (await call(floor, "queues/help/join", first.token))["visit"] == again["visit"]
    assert (await third.stands())["ahead"] == 1
    await call(floor, f"visits/{again['visit']}/leave", again["token"])
    await third.leave()
    await second.leave()
    await eventually(lambda: slots_of(console) == [])
    await console.cut()


async def test_an_agent_whose_connection_is_back_has_the_room_as_before(floor: WebServer) -> None:
    console = await agent_comes(floor)
    visitor = await joins(floor, "Ann")
    await visitor.until("room", 0)
    assert visitor.open is not None
    told = visitor.open.told
    await console.cut()
    await eventually(lambda: "line.agent_away" in told)
    waits = await joins(floor, "Bo")
    console = await agent_comes(floor, login=False)
    await eventually(lambda: "line.agent_back" in told)
    assert (await visitor.stands())["answer"] == "room"
    assert [slot["visit"] for slot in slots_of(console)] == [visitor.visit]
    await waits.leave()
    await visitor.leave()
    await console.cut()


async def test_a_vanished_agents_visitor_is_first_again_and_is_told(floor: WebServer) -> None:
    console = await agent_comes(floor)
    first = await joins(floor, "Ann")
    second = await joins(floor, "Bo")
    await first.until("room", 0)
    await console.cut()
    back = await first.until("waiting", ROOM_GRACE_SECONDS)
    assert (back["ahead"], back["ticket"]) == (0, first.first["ticket"])
    assert (await second.stands())["ahead"] == 1
    assert first.open is not None
    page = first.open
    await eventually(lambda: "line.returned" in page.told)
    await eventually(lambda: page.states["line.visit"]["answer"] == "waiting")
    # the last agent has left: waiting visitors are notified that no agent serves now
    for visitor in (first, second):
        assert visitor.open is not None
        states = visitor.open.states
        await eventually(lambda states=states: states["line.queue"]["online"] == 0)
    again = await agent_comes(floor)
    await first.until("room", 0)
    await eventually(lambda: page.states["line.visit"]["answer"] == "room")
    for each in (first, second):
        await each.leave()
    await again.cut()
