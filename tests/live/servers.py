"""Real web server processes for the live tests and benchmarks, and a client of the protocol."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from poolsite.live import resolve
from tests.support import forking
from tests.support.database import lay_migrated
from tests.support.environment import SAFE
from tests.support.ports import free_port
from tests.support.processes import Process, end
from tests.support.rates import GENEROUS
from tests.support.waiting import patient, until

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90.0
APPLICATION = "tests.live.server_app:application"


@dataclass
class Site:
    """A migrated database with people in it, and the environment for processes that use it."""

    folder: Path
    redis_url: str
    people: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DATABASE_URL", "CACHE_URL", "CELERY_BROKER_URL")
        }
        return environment | {
            **GENEROUS,
            **SAFE,
            "POOLSITE_DATA_DIR": str(self.folder),
            "REDIS_URL": self.redis_url,
            "DJANGO_SETTINGS_MODULE": "poolsite.settings",
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "ignore",
        }

    def make(self) -> "Site":
        """Migrate and create the people."""
        self.migrate()
        self.meet("operator", "north", "south")
        return self

    def migrate(self) -> None:
        """Create the site's database, a SQLite file in its folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lay_migrated(self.folder / "poolsite.sqlite3")

    def meet(self, *names: str) -> None:
        """Create more people, each the owner of an account with the same name."""
        self.people |= json.loads(self.run("tests/live/people.py", "make", *names))

    def start(self, log: Path, *words: str, **variables: str) -> Process:
        """Start `python -m words…` in this site's environment. Append its output to the log."""
        return forking.start(["-m", *words], self.environment | variables, output=log)

    def forked(self, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run a Python program of the tree in this site's environment, in a separate process."""
        return forking.run(arguments, self.environment | variables)

    def run(self, *arguments: str) -> str:
        """Like `forked`, for a program that must succeed. Return what it printed."""
        done = self.forked(*arguments)
        if done.returncode:
            raise RuntimeError(f"{arguments} failed:\n{done.stderr[-3000:]}")
        return done.stdout


@dataclass
class WebServer:
    """A web server process, `uvicorn` or `daphne`, on a loopback port."""

    site: Site
    kind: str
    application: str = APPLICATION
    port: int = 0
    extra: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    process: Process | None = None

    def start(self) -> "WebServer":
        """Start, and wait until the process serves."""
        self.launch()
        try:
            until(lambda: self._has_ended() or self.serves(), START_SECONDS, self._said)
            assert not self._has_ended(), f"{self.kind} did not start:\n{self._said()}"
        except AssertionError:
            self.stop()
            raise
        return self

    def _has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def _said(self) -> str:
        return self.log.read_text()[-3000:]

    def launch(self) -> None:
        """Start the process, on its former port if it had one."""
        self.port = self.port or free_port()
        self.process = self.site.start(self.log, *self._arguments(), **self.environment)

    @property
    def log(self) -> Path:
        return self.site.folder / f"{self.kind}-{self.port}.log"

    def _arguments(self) -> list[str]:
        if self.kind == "uvicorn":
            place = ["--host", "127.0.0.1", "--port", str(self.port), "--log-level", "warning"]
            plain = ["--lifespan", "off", "--ws-per-message-deflate", "false", "--ws-max-size"]
            return ["uvicorn", *place, *plain, "65536", *self.extra, self.application]
        place = ["-b", "127.0.0.1", "-p", str(self.port), "--verbosity", "0"]
        return ["daphne", *place, *self.extra, self.application]

    def serves(self) -> bool:
        """Return whether the server answers."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=patient(5)):
                return True
        except OSError as error:
            return getattr(error, "code", 0) >= 300

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that the process has used so far."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End the process that this object started."""
        if self.process is not None:
            end(self.process, seconds=10)
            self.process = None

    @asynccontextmanager
    async def client(self, person: str = "operator", **options: Any) -> AsyncIterator["Client"]:
        """Open a socket as one of the site's people."""
        headers = {"Cookie": self.site.people[person]["cookie"]} if person else {}
        headers |= options.pop("headers", {})
        options.setdefault("open_timeout", patient(10))
        async with connect(
            f"ws://127.0.0.1:{self.port}{options.pop('path', '/ws/live/')}",
            origin=options.pop("origin", f"http://127.0.0.1:{self.port}"),
            additional_headers=headers,
            compression=None,
            ping_interval=None,
            max_size=None,
            **options,
        ) as socket:
            yield Client(socket)


class Client:
    """What live.js does, without a browser: acks, versions, and the last state of each topic."""

    def __init__(self, socket: ClientConnection, *, answers: bool = True) -> None:
        self.socket = socket
        self.answers = answers
        self.seen: list[dict[str, Any]] = []
        self.sizes: list[int] = []
        self.closed_at = 0.0
        self.states: dict[str, tuple[int, Any]] = {}
        self.gaps = 0

    async def send(self, **frame: Any) -> None:
        await self.socket.send(orjson.dumps(frame).decode())

    async def subscribe(self, topic: str, version: int | None = None) -> dict[str, Any]:
        """Subscribe and return the first frame about the topic."""
        held = {} if version is None else {"version": version}
        await self.send(op="subscribe", topic=topic, **held)
        return await self.next(topic=topic)

    async def next(self, seconds: float = 10.0, **wanted: Any) -> dict[str, Any]:
        """Return the next frame with these fields. Other frames are stored in `seen`."""
        async with asyncio.timeout(patient(seconds)):
            while True:
                frame = await self.receive()
                if all(frame.get(name) == value for name, value in wanted.items()):
                    return frame

    async def receive(self) -> dict[str, Any]:
        text = await self.socket.recv()
        self.sizes.append(len(text))
        frame: dict[str, Any] = orjson.loads(text)
        self.seen.append(frame)
        self._keep(frame)
        if "ack" in frame and self.answers:
            await self.send(op="ack", ack=frame["ack"])
        return frame

    def state(self, topic: str) -> Any:
        """Return the topic's state: its snapshot with all later changes applied."""
        return self.states[topic][1]

    def _keep(self, frame: dict[str, Any]) -> None:
        address = frame.get("topic", "")
        if frame["op"] == "snapshot":
            self.states[address] = (frame["version"], frame["data"])
        elif frame["op"] == "change" and address in self.states:
            version, data = self.states[address]
            if frame["from"] == version:
                topic = resolve(address)
                assert topic is not None
                self.states[address] = (frame["to"], topic.apply(data, frame["data"]))
            elif frame["to"] != version:
                self.gaps += 1

    async def closed(self, seconds: float = 10.0) -> int:
        """Read until the server closes the socket. Return the close code."""
        async with asyncio.timeout(patient(seconds)):
            try:
                while True:
                    await self.receive()
            except ConnectionClosed as end:
                self.closed_at = time.time()
                return end.rcvd.code if end.rcvd else 1006
