"""A running site for browser tests: a server process, a file database, a Redis of its own."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from playwright.async_api import Browser

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.browser.console import PHONE, Switch, Window, chromium, window
from tests.live.servers import ROOT, Site, WebServer


@pytest.fixture(scope="session")
def browser_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """Not the worker's Redis, which other tests empty."""
    server = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, browser_redis: RedisServer) -> Site:
    """A migrated database with the people and pools of stage.py."""
    made = Site(tmp_path_factory.mktemp("site"), browser_redis.url)
    made.folder.mkdir(parents=True, exist_ok=True)
    made.migrate()
    made.people["fs-01"] = json.loads(made.run("-m", "tests.browser.stage"))
    return made


@pytest.fixture(scope="session")
def web(site: Site) -> Iterator[WebServer]:
    """The console's server process."""
    server = WebServer(site, "uvicorn", application="poolsite.asgi:application").start()
    yield server
    server.stop()


@pytest.fixture
def switch(site: Site, web: WebServer) -> Iterator[Switch]:
    """A second client, which reports events of the pool; at the end every number is idle+up."""
    told = site.people["fs-01"]
    with httpx.Client(
        base_url=f"http://127.0.0.1:{web.port}",
        headers={"Authorization": f"Bearer {told['token']}"},
        timeout=20,
    ) as client:
        second = Switch(client, told["numbers"])
        second.settle()
        yield second
        second.settle()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A Chromium for one test."""
    async with chromium() as started:
        yield started


@pytest.fixture
async def operator(browser: Browser, web: WebServer) -> AsyncIterator[Window]:
    """A window in which an operator has logged in."""
    async with window(browser, f"http://127.0.0.1:{web.port}") as shown:
        await shown.log_in("lin.mei")
        yield shown


# -- the waiting line ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def line_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis of the line's tests alone: they empty it."""
    server = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def line_site(tmp_path_factory: pytest.TempPathFactory, line_redis: RedisServer) -> Site:
    """A migrated database with what line_stage.py makes."""
    site = Site(tmp_path_factory.mktemp("line"), line_redis.url)
    site.migrate()
    site.people["line"] = json.loads(site.run("-m", "tests.browser.line_stage"))
    return site


@pytest.fixture(scope="session")
def line_web(line_site: Site) -> Iterator[WebServer]:
    """The server process, and the line's sweeps beside it."""
    server = WebServer(line_site, "uvicorn", application="poolsite.asgi:application").start()
    ticker = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.line_ticker"],
        cwd=ROOT,
        env=line_site.environment,
        preexec_fn=die_with_parent,
    )
    yield server
    ticker.terminate()
    ticker.wait(timeout=20)
    server.stop()


@pytest.fixture
async def visitor(browser: Browser, line_web: WebServer) -> AsyncIterator[Window]:
    """A visitor's phone."""
    async with window(browser, f"http://127.0.0.1:{line_web.port}", viewport=PHONE) as shown:
        yield shown


@pytest.fixture
async def agent(browser: Browser, line_web: WebServer) -> AsyncIterator[Window]:
    """An agent's window; nobody has logged in yet."""
    async with window(browser, f"http://127.0.0.1:{line_web.port}") as shown:
        yield shown


@pytest.fixture
async def supervisor(browser: Browser, line_web: WebServer) -> AsyncIterator[Window]:
    """A supervisor's window, logged in."""
    async with window(browser, f"http://127.0.0.1:{line_web.port}") as shown:
        await shown.log_in("zhao.min")
        yield shown
