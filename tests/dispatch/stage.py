"""The stage of the dispatcher's process tests: its own Redis, web processes, groups, peers."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from integrations.dispatch_client import Settings
from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.dispatch import dispatcher as commands
from tests.dispatch.keeper import Keeper
from tests.live.servers import Site, WebServer
from tests.support.ports import free_port
from tests.support.waiting import patient, until

APPLICATION = "poolsite.asgi:application"
# A busy machine is late with its heartbeats.
QUICK = {
    "heartbeat_seconds": 1,
    "missed_limit": round(patient(2)),
    "disconnect_seconds": round(patient(3)),
}
PATIENT = QUICK | {"disconnect_seconds": round(patient(60))}


@dataclass
class Stage:
    """A site with its own Redis, the keeper, and groups that no other test uses."""

    site: Site
    redis: RedisServer
    keeper: Keeper
    webs: list[WebServer] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @classmethod
    def start(cls, folder: Path) -> "Stage":
        redis = RedisServer(folder / "redis", port=free_port(), append_only=True).start()
        site = Site(folder / "site", redis.url).make()
        return cls(site, redis, Keeper(site))

    @contextmanager
    def group(self, slug: str = "", **settings: int | str) -> Iterator[str]:
        """Yield the slug of a group of the account north that exists during the block."""
        slug = slug or f"group-{next(self._numbers)}"
        self.keeper.make({"slug": slug, **settings})
        yield slug
        self.keeper.remove(slug)

    def web(self, kind: str = "uvicorn") -> WebServer:
        """Start another web process."""
        extra = ("--ws-max-size", "4194304") if kind == "uvicorn" else ()
        server = WebServer(self.site, kind, application=APPLICATION, extra=extra).start()
        self.webs.append(server)
        return server

    def stop(self) -> None:
        """End everything that was started here."""
        for server in self.webs:
            server.stop()
        self.keeper.stop()
        self.redis.stop()

    def token(self, account: str = "north") -> str:
        return str(self.site.people[account]["token"])

    def settings(self, group: str, *webs: WebServer, **changes: Any) -> Settings:
        """Return the settings of a peer that tries these web processes in turn."""
        servers = [f"ws://127.0.0.1:{web.port}" for web in webs]
        changes.setdefault("backoff_seconds", (0.05, 0.1, 0.3))
        return Settings(servers=servers, group=group, token=self.token(), **changes)

    @contextmanager
    def hotpath(self) -> Iterator[None]:
        """Let the runner use the stage's Redis."""
        with hotpath.connect(self.redis.url):
            yield

    def peers(self, group: str) -> dict[str, commands.PeerRow]:
        """Return the dispatcher's row of each peer, by key."""
        with self.hotpath():
            return {row.key: row for row in hotpath.run(commands.peers(group))}

    def figures(self, group: str) -> commands.GroupFigures:
        with self.hotpath():
            found = hotpath.run(commands.show(group))
        assert found is not None
        return found

    def wait_state(self, group: str, peer: str, state: str, seconds: float = 20.0) -> None:
        """Wait until a peer is active, pending, or stop (which includes: no longer known)."""

        def there() -> bool:
            row = self.peers(group).get(peer)
            return (row.state if row else "stop") == state

        until(there, seconds)


def kill(server: WebServer) -> None:
    """End a web process as a crash would."""
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    server.process = None
