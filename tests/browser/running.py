"""A running console for browser tests, with its own database, Redis and server."""

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from poolsite.runtime.redis_server import RedisServer
from tests.browser.console import Window, window
from tests.live.servers import Site, WebServer
from tests.support.processes import Process, end
from tests.support.waiting import patient

APPLICATION = "poolsite.asgi:application"


@dataclass
class _Site(Site):
    """A site with `more` in its environment."""

    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | self.more


@dataclass
class Console:
    """The site, its server process, and the browser that opens it."""

    browser: Browser
    redis: RedisServer
    site: Site
    web: WebServer
    sessions: dict[str, str] = field(default_factory=dict)  # of people whom a stage has logged in
    _told: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """Its address, without a trailing slash."""
        return f"http://127.0.0.1:{self.web.port}"

    def stage(self, *words: str) -> dict[str, Any]:
        """Run a stage program, module and arguments, once. Return what it printed.

        Its people may then be logged in.
        """
        if words not in self._told:
            told = self._told[words] = json.loads(self.site.run("-m", *words).splitlines()[-1])
            self.sessions |= told.get("sessions", {})
        return self._told[words]

    def window(self, user: str = "", **options: Any) -> AbstractAsyncContextManager[Window]:
        """Return a window in which this user is logged in already; see console.window."""
        return window(self.browser, self.base, self.sessions, user, **options)

    def api(self, token: str) -> dict[str, Any]:
        """Return the arguments of an HTTP client of the public API with this token."""
        headers = {"Authorization": f"Bearer {token}"}
        return {"base_url": self.base, "headers": headers, "timeout": patient(20)}

    def log(self, module: str) -> Path:
        """Return the log of a program that runs next to the server."""
        return self.site.folder / f"{module}.log"

    @contextmanager
    def program(self, module: str, *words: str, **variables: str) -> Iterator[Process]:
        """Run a Python program of the site next to its server. It must not end on its own."""
        self.log(module).write_bytes(b"")
        process = self.site.start(self.log(module), module, *words, **variables)
        try:
            yield process
            assert process.poll() is None, f"{module} ended: {self.log(module).read_text()[-3000:]}"
        finally:
            end(process)


@contextmanager
def running(browser: Browser, folder: Path, **more: str) -> Iterator[Console]:
    """Yield a console on an empty database, in `folder`. `more`: variables of its environment."""
    redis = RedisServer(folder=folder / "r", append_only=False).start()
    site = _Site(folder, redis.url, more=more)
    web = WebServer(site, "uvicorn", APPLICATION)
    try:
        site.migrate()
        web.start()
        yield Console(browser, redis, site, web)
    finally:
        web.stop()
        redis.stop()
