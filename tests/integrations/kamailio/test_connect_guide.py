"""docs/guide/connect-your-switch.md, executed: its commands in order, on private ports."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import ROOT, Site, WebServer
from tests.support.parts import starts_processes
from tests.support.ports import free_port
from tests.support.waiting import patient, until

pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio", "sipp", "sipsak")]
GUIDE = ROOT / "docs" / "guide" / "connect-your-switch.md"
BLOCK = re.compile(r"^```sh ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORTS = ("5060", "5070", "5081", "5082")
LANES = ("http", "redis")


@pytest.fixture
@starts_processes
def server(tmp_path: Path) -> Iterator[WebServer]:
    """A web process in place of `make demo`, with a Redis at the place that the guide names."""
    redis = RedisServer(folder=tmp_path / "redis", append_only=False).start()
    site = Site(tmp_path / "site", redis.url)
    site.migrate()
    server = WebServer(site, "uvicorn", "poolsite.asgi:application").start()
    try:
        yield server
    finally:
        server.stop()
        redis.stop()


@pytest.mark.parametrize("lane", LANES)
def test_the_guide_leads_to_a_first_call(lane: str, server: WebServer, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    changes = {port: str(free_port()) for port in PORTS} | {"8000": str(server.port)}
    socket = server.site.redis_url.removeprefix("unix://")

    def carry_out(block: str) -> str:
        for old, new in changes.items():
            block = re.sub(rf"(127\.0\.0\.1:|-p ){old}\b", rf"\g<1>{new}", block)
        block = block.replace("$PWD/var/redis/redis.sock", socket)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=ROOT,
            env=server.site.environment | {"HOME": str(home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patient(240),
        )
        assert done.returncode == 0, f"{block}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout

    blocks = [text for mark, text in BLOCK.findall(GUIDE.read_text()) if mark in ("", lane)]
    assert len(blocks) == 8
    *before, idle, call, carried, stop = blocks
    pid = home / "kamailio" / "kamailio.pid"
    try:
        for block in before:
            carry_out(block)
        until(lambda: re.search(r"idle\+up +1\b", carry_out(idle)))
        carry_out(call)
        until(lambda: re.search(r"idle\+up +1\b.*carried +1\b", carry_out(carried), re.DOTALL))
    finally:
        if pid.exists():
            process = int(pid.read_text())
            carry_out(stop)
            until(lambda: not _lives(process))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
