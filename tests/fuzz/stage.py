"""What the fuzz runs against: one web process with Redis and SQL of its own, and two tenants."""

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx
import requests
from requests.adapters import HTTPAdapter

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from tests.billing.campaigns.world import TOKEN, GatewayProcess
from tests.dispatch.people import Peer, back, front
from tests.fuzz.world import Tenant
from tests.live.servers import Site, WebServer
from tests.support.ports import free_port
from tests.support.waiting import patient

CSRF = "c" * 32
ADDRESSES = 60  # visitors come from so many: each may join a number of times a minute


@dataclass
class Caller:
    """A tenant as it calls the interface, with what was made for it."""

    told: Tenant
    client: httpx.Client
    peers: dict[str, Peer] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        return self.told.slug

    def headers(self, who: str) -> dict[str, str]:
        """The credential: the name of a token, `nobody`, or `session:<user>`."""
        if who == "nobody":
            return {}
        if who.startswith("session:"):
            session = self.told.sessions[who.removeprefix("session:")]
            return {"Cookie": f"session={session}; csrf={CSRF}", "X-CSRFToken": CSRF}
        return {"Authorization": f"Bearer {self.told.tokens.get(who, who)}"}

    def post(self, path: str, body: Any = None, who: str = "all", **query: Any) -> Any:
        """What a call that must succeed answers."""
        answer = self.client.post(
            f"/api/v1/{path}", json=body or {}, params=query, headers=self.headers(who)
        )
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        """What there is."""
        answer = self.client.get(f"/api/v1/{path}", headers=self.headers("all"))
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def tries(self, path: str, body: Any = None, who: str = "all", **query: Any) -> None:
        """A call that tidies up: whether there was something to tidy is all the same."""
        self.client.post(
            f"/api/v1/{path}", json=body or {}, params=query, headers=self.headers(who)
        )


class FuzzSite(Site):
    """A site whose operators are asked neither for the password nor for a second factor again."""

    @property
    def environment(self) -> dict[str, str]:
        """As it is, less what no script can answer."""
        return super().environment | {
            "POOLSITE_PASSWORD_FRESH_SECONDS": "1000000",
            "POOLSITE_SECOND_FACTOR_FOR_MONEY": "false",
            "CELERY_BROKER_URL": self.redis_url.partition("?")[0],  # jobs take no socket_timeout
        }


class Stage:
    """The servers, and who calls them."""

    def __init__(self, folder: Path, kind: str = "uvicorn") -> None:
        self.redis = RedisServer(folder / "redis", port=free_port(), append_only=False).start()
        # A machine that stands still for seconds is not what these tests are about.
        self.site = FuzzSite(folder / "site", f"{self.redis.url}?socket_timeout={patient(30)}")
        self.site.migrate()
        told = json.loads(self.site.run("-m", "tests.fuzz.world", "make"))
        extra = ("--ws-max-size", "2000000") if kind == "uvicorn" else ()
        self.gateway = GatewayProcess(folder, "http://127.0.0.1:9")
        paying = {
            "POOLSITE_PAYMENTS": "stripe",
            "POOLSITE_STRIPE_SECRET_KEY": "sk_test_of_tests",
            "POOLSITE_STRIPE_WEBHOOK_SECRET": "whsec_of_tests",
            "POOLSITE_GATEWAY_URL": self.gateway.url,
            "POOLSITE_GATEWAY_TOKEN": TOKEN,
        }
        self.server = WebServer(
            self.site, kind, "poolsite.asgi:application", extra=extra, environment=paying
        ).start()
        self.url = f"http://127.0.0.1:{self.server.port}"
        # The server closes idle connections, which must not meet a call of ours: none is kept.
        limits = httpx.Limits(max_keepalive_connections=0)
        self.client = httpx.Client(base_url=self.url, timeout=patient(30), limits=limits)
        self.client.event_hooks = {"response": [lambda _: self.client.cookies.clear()]}
        self.callers = {
            slug: Caller(Tenant(**tenant), self.client) for slug, tenant in told.items()
        }
        self._sessions = itertools.cycle([_session_from(place) for place in range(ADDRESSES)])
        self._meet_peers()
        self.gateway.start()  # last: what fails before leaves no process behind

    def _meet_peers(self) -> None:
        with self.hotpath():
            for slug in ("own", "other"):
                group, caller = f"{slug}-group", self.callers[slug]
                caller.peers["front"] = front(group)
                for name in ("as-1", "as-2"):
                    caller.peers[name] = back(name, group, capacity=100_000)

    @property
    def operator(self) -> Caller:
        return self.callers["platform"]

    @contextmanager
    def hotpath(self) -> Iterator[None]:
        """The runner talks to the stage's Redis while the block runs."""
        with hotpath.connect(self.redis.url):
            yield

    def work(self) -> None:
        """What worker and beat do, once."""
        self.site.run("-m", "tests.fuzz.world", "work")

    def session(self) -> requests.Session:
        """A connection from one of many addresses."""
        return next(self._sessions)

    def faults(self) -> list[str]:
        """What the server logged as a fault, ours or the server's own."""
        lines = self.server.log.read_text(errors="replace").splitlines()
        return [line[:2_000] for line in lines if _tells_of_a_fault(line)]

    def stop(self) -> None:
        self.client.close()
        self.gateway.kill()
        self.server.stop()
        self.redis.stop()


def _tells_of_a_fault(line: str) -> bool:
    return (
        line.startswith("Traceback") or '"level": "error"' in line or '"level": "critical"' in line
    )


class _From(HTTPAdapter):
    """Connects from a loopback address of its own."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *given: Any, **options: Any) -> None:
        super().init_poolmanager(*given, source_address=(self._address, 0), **options)


def _session_from(place: int) -> requests.Session:
    session = requests.Session()
    session.headers["Connection"] = "close"
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # each call says who asks
    session.mount("http://", _From(f"127.7.{place // 200}.{place % 200 + 1}"))
    return session
