"""2,000 clients at a gate, with Redis and one web process: no worker, no timers, Redis killed.

The clients' own log is the judge: which client held a slot from when to when, by the machine's
clock.
"""

import asyncio
import itertools
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from tests.chaos.gate_proof import SLUG
from tests.live.servers import Site, WebServer
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.prove, pytest.mark.processes]

CLIENTS = 2_000
CAP = 60
PERMIT_SECONDS = 5
HOLD_SECONDS = 0.1
CONNECTIONS = 40

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Crowd:
    """The clients. The first CAP that get a slot die with it, and one in twenty of the others."""

    port: int
    token: str
    held: list[tuple[float, float]] = field(default_factory=list)  # from, until, by the clock
    granted: set[str] = field(default_factory=set)
    first_since: dict[str, float] = field(default_factory=dict)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        self._free: asyncio.Queue[Connection | None] = asyncio.Queue()
        for _ in range(CONNECTIONS):
            self._free.put_nowait(None)
        await asyncio.gather(*(self._live(f"h{n}") for n in range(CLIENTS)))
        while not self._free.empty():
            _close(self._free.get_nowait())

    async def _live(self, holder: str) -> None:
        while True:
            answer = await self._ask("acquire", {"holder": holder})
            if answer.get("granted"):
                break
            pause = float(str(answer.get("retry_after") or 1))
            await asyncio.sleep(pause)  # waits: as the answer asks
        now, until = time.time(), int(str(answer["deadline"])) / 1e6
        self.granted.add(holder)
        place = len(self.granted)
        if self.may_go_on.is_set():
            self.first_since.setdefault("restart", time.monotonic())
        if place <= CAP or place % 20 == 0:
            self.held.append((now, until))
            return
        await asyncio.sleep(HOLD_SECONDS)  # waits: the work that a slot is for
        self.held.append((now, min(time.time(), until)))
        await self._ask("release", {"holder": holder, "token": answer["token"]})

    async def _ask(self, what: str, body: dict[str, object]) -> dict[str, object]:
        """Send a request over a kept connection. Return {} if the answer is lost."""
        connection = await self._free.get()
        try:
            connection = connection or await asyncio.open_connection("127.0.0.1", self.port)
            said = await self._exchange(*connection, what, json.dumps(body).encode())
        except (OSError, asyncio.IncompleteReadError):
            _close(connection)
            connection, said = None, {}
        self._free.put_nowait(connection)
        return said

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, what: str, body: bytes
    ) -> dict[str, object]:
        head = f"POST /api/v1/gates/{SLUG}/{what} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = re.search(rb"content-length: (\d+)", answered)
        said = json.loads(await reader.readexactly(int(length[1]) if length else 0) or b"{}")
        return said if isinstance(said, dict) else {}

    def most_at_once(self) -> int:
        steps = [(at, 1) for at, _ in self.held] + [(until, -1) for _, until in self.held]
        return max(itertools.accumulate(step for _, step in sorted(steps)))


def _close(connection: Connection | None) -> None:
    if connection is not None:
        connection[1].close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that the test kills. It must still know all permits that it has given."""
    server = RedisServer(tmp_path / "redis", appendfsync="always").start()
    yield server
    server.stop()


def make_gate(site: Site) -> str:
    settings = {
        "slug": SLUG,
        "cap": CAP,
        "period_seconds": 10,
        "permit_seconds": PERMIT_SECONDS,
        "margin_seconds": 1,
    }
    words = ("make", json.dumps(settings), "1")
    return str(json.loads(site.run("-m", "tests.chaos.gate_proof_site", *words))["token"])


async def test_slots_of_the_dead_come_back_within_a_permits_length(
    tmp_path: Path, server: RedisServer
) -> None:
    site = Site(tmp_path / "site", server.url)
    site.migrate()
    token = make_gate(site)
    web = WebServer(site, "uvicorn", application="poolsite.asgi:application").start()
    try:
        crowd = Crowd(web.port, token)
        running = asyncio.create_task(crowd.run())
        await eventually(lambda: len(crowd.granted) >= CAP)
        server.kill()
        await asyncio.to_thread(server.start)
        crowd.may_go_on.set()
        restarted = time.monotonic()
        await asyncio.wait_for(running, patient(240))
    finally:
        web.stop()
    assert len(crowd.granted) == CLIENTS
    assert crowd.most_at_once() <= CAP
    waited = crowd.first_since["restart"] - restarted
    assert waited <= PERMIT_SECONDS + patient(1), "a slot of the dead came back too late"
    with hotpath.connect(server.url) as path:
        figures = path.run(commands.show(SLUG))
    assert figures is not None
    assert figures.granted == CLIENTS
