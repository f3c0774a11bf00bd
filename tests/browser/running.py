"""A running console for browser tests: a database, a Redis and a server of its own."""

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
    """A site whose environment says `more`."""

    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | self.more


@dataclass
class Console:
    """The site, its server process, and the browser that looks at it."""

    browser: Browser
    redis: RedisServer
    site: Site
    web: WebServer
    sessions: dict[str, str] = field(default_factory=dict)  # of people whom a stage has made
    _told: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.web.port}"

    def stage(self, *words: str) -> dict[str, Any]:
        """Run a stage program, module and arguments, once; returns what it told.

        Its people may then be logged in.
        """
        if words not in self._told:
            told = self._told[words] = json.loads(self.site.run("-m", *words).splitlines()[-1])
            self.sessions |= told.get("sessions", {})
        return self._told[words]

    def window(self, user: str = "", **options: Any) -> AbstractAsyncContextManager[Window]:
        """A browser of its own in which this user is logged in already; see console.window."""
        return window(self.browser, self.base, self.sessions, user, **options)

    def api(self, token: str) -> dict[str, Any]:
        """What an HTTP client of the public interface with this token is made with."""
        headers = {"Authorization": f"Bearer {token}"}
        return {"base_url": self.base, "headers": headers, "timeout": patient(20)}

    def log(self, module: str) -> Path:
        """What a program beside the server has said."""
        return self.site.folder / f"{module}.log"

    @contextmanager
    def program(self, module: str, *words: str, **variables: str) -> Iterator[Process]:
        """A Python program of the site beside its server, which must not end by itself."""
        self.log(module).write_bytes(b"")
        process = self.site.start(self.log(module), module, *words, **variables)
        try:
            yield process
            assert process.poll() is None, f"{module} ended: {self.log(module).read_text()[-3000:]}"
        finally:
            end(process)


@contextmanager
def running(browser: Browser, folder: Path, **more: str) -> Iterator[Console]:
    """A console on an empty database, in `folder`; more: variables of its environment."""
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
