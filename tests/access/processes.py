"""Two real web processes on one database and one Redis."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from poolsite.runtime.redis_server import RedisServer
from tests.support import forking
from tests.support.database import lay_migrated
from tests.support.ports import free_port
from tests.support.processes import Process, end
from tests.support.waiting import patient, until

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_SECONDS = 1.0


@dataclass
class Probe:
    """A web process (tests/access/probe.py)."""

    process: Process
    port: int
    sockets: ExitStack = field(default_factory=ExitStack)

    def whoami(self, *, session: str = "", token: str = "") -> dict[str, Any]:
        """Return the principal that the process sees in the caller."""
        headers = credentials(session=session, token=token)
        url = f"http://127.0.0.1:{self.port}/whoami"
        answer = httpx.get(url, headers=headers, timeout=patient(5))
        said: dict[str, Any] = answer.json()
        return said

    def do(self, verb: str, **options: Any) -> str:
        """Call a service in that process. Return its answer."""
        url = f"http://127.0.0.1:{self.port}/do/{verb}"
        answer = httpx.post(url, params=options, timeout=patient(30))
        answer.raise_for_status()
        return str(answer.json())

    def socket(self, *, session: str = "", token: str = "") -> ClientConnection:
        """Return an open socket that the process watches."""
        opening = connect(
            f"ws://127.0.0.1:{self.port}/",
            additional_headers=credentials(session=session, token=token),
            open_timeout=patient(10),
        )
        return self.sockets.enter_context(opening)


def credentials(*, session: str = "", token: str = "") -> dict[str, str]:
    """Return the headers that present the credentials."""
    if token:
        return {"Authorization": f"Bearer {token}"}
    return {"Cookie": f"session={session}"} if session else {}


def code_within(socket: ClientConnection, seconds: float = DEADLINE_SECONDS) -> int | None:
    """Return the server's close code for the socket, or None if it stays open this long."""
    try:
        socket.recv(timeout=patient(seconds))
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None
    except TimeoutError:
        return None
    raise AssertionError("a message nobody asked for")


@dataclass
class Pair:
    """Two probes, and the environment for other processes on their database."""

    first: Probe
    second: Probe
    environment: dict[str, str]

    def manage(self, code: str) -> str:
        """Run Python in a third process, after Django's set-up. Return what it printed."""
        words = ["-c", f"import django; django.setup()\n{code}"]
        done = forking.run(words, self.environment, timeout=patient(60))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextmanager
def two_processes(folder: Path, redis: RedisServer) -> Iterator[Pair]:
    """Create a migrated database, start two probes on it, and end them after the block."""
    environment = {
        **os.environ,
        "POOLSITE_DATA_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'two.sqlite3'}",
        "REDIS_URL": redis.url,
        "CACHE_URL": redis.url,
        "DJANGO_SETTINGS_MODULE": "poolsite.settings",
        "POOLSITE_ALLOWED_HOSTS": "127.0.0.1,testserver",
        "PYTHONPATH": str(ROOT),
    }
    lay_migrated(folder / "two.sqlite3")
    probes: list[Probe] = []
    try:
        probes.extend(_start(environment, folder / f"probe{n}.log") for n in range(2))
        for probe in probes:
            until(partial(_listening, probe), seconds=30)
        yield Pair(probes[0], probes[1], environment)
    finally:
        for probe in probes:
            probe.sockets.close()
        end(*(probe.process for probe in probes), seconds=10)


def _start(environment: dict[str, str], log: Path) -> Probe:
    port = free_port()
    quiet = ["--log-level", "warning", "--lifespan", "off"]
    words = ["-m", "uvicorn", "tests.access.probe:app", "--port", str(port), *quiet]
    process = forking.start(words, environment, output=log)
    return Probe(process, port)


def _listening(probe: Probe) -> bool:
    assert probe.process.poll() is None, "a web process ended"
    try:
        return bool(probe.whoami(token="unknown")["listening"])
    except httpx.HTTPError:
        return False


def assert_in_time(condition: Any) -> None:
    """Assert that the condition becomes true within the specified deadline."""
    began = time.monotonic()
    until(condition, DEADLINE_SECONDS)
    assert time.monotonic() - began < patient(DEADLINE_SECONDS)
