"""What the fuzz test runs against: a web process with its own Redis and SQL, and two tenants."""

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
ADDRESSES = 60  # of visitors: each address may join a few times per minute


@dataclass
class Caller:
    """A tenant as a caller of the API, with what was created for it."""

    told: Tenant
    client: httpx.Client
    peers: dict[str, Peer] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        return self.told.slug

    def headers(self, who: str) -> dict[str, str]:
        """Return the headers of a credential: a token's name, `nobody`, or `session:<user>`."""
        if who == "nobody":
            return {}
        if who.startswith("session:"):
            session = self.told.sessions[who.removeprefix("session:")]
            return {"Cookie": f"session={session}; csrf={CSRF}", "X-CSRFToken": CSRF}
        return {"Authorization": f"Bearer {self.told.tokens.get(who, who)}"}

    def post(self, path: str, body: Any = None, who: str = "all", **query: Any) -> Any:
        """Return the answer to a call that must succeed."""
        answer = self.client.post(
            f"/api/v1/{path}", json=body or {}, params=query, headers=self.headers(who)
        )
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        """Return the answer to a GET that must succeed."""
        answer = self.client.get(f"/api/v1/{path}", headers=self.headers("all"))
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def tries(self, path: str, body: Any = None, who: str = "all", **query: Any) -> None:
        """Make a call that tidies up. Its success doesn't matter."""
        self.client.post(
            f"/api/v1/{path}", json=body or {}, params=query, headers=self.headers(who)
        )


class FuzzSite(Site):
    """A site that asks operators for neither the password nor a second factor again."""

    @property
    def environment(self) -> dict[str, str]:
        """The site's environment, without prompts that a script can't answer."""
        return super().environment | {
            "POOLSITE_PASSWORD_FRESH_SECONDS": "1000000",
            "POOLSITE_SECOND_FACTOR_FOR_MONEY": "false",
            "CELERY_BROKER_URL": self.redis_url.partition("?")[0],  # jobs take no socket_timeout
        }


class Stage:
    """The servers, and the callers."""

    def __init__(self, folder: Path, kind: str = "uvicorn") -> None:
        self.redis = RedisServer(folder / "redis", port=free_port(), append_only=False).start()
        # A machine that stalls for seconds is not the subject of these tests: hence the long
        # timeout.
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
        # The server closes idle connections at any moment, so none is reused.
        limits = httpx.Limits(max_keepalive_connections=0)
        self.client = httpx.Client(base_url=self.url, timeout=patient(30), limits=limits)
        self.client.event_hooks = {"response": [lambda _: self.client.cookies.clear()]}
        self.callers = {
            slug: Caller(Tenant(**tenant), self.client) for slug, tenant in told.items()
        }
        self._sessions = itertools.cycle([_session_from(place) for place in range(ADDRESSES)])
        self._meet_peers()
        self.gateway.start()  # last: an earlier failure leaves no process behind

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
        """Let this process use the servers' Redis during the block."""
        with hotpath.connect(self.redis.url):
            yield

    def work(self) -> None:
        """Do once what worker and beat do."""
        self.site.run("-m", "tests.fuzz.world", "work")

    def session(self) -> requests.Session:
        """Return a connection from one of many addresses."""
        return next(self._sessions)

    def faults(self) -> list[str]:
        """Return the faults in the server's log, the product's or the server program's."""
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
    """Connects from the given loopback address."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *given: Any, **options: Any) -> None:
        super().init_poolmanager(*given, source_address=(self._address, 0), **options)


def _session_from(place: int) -> requests.Session:
    session = requests.Session()
    session.headers["Connection"] = "close"
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # each call sends its own
    session.mount("http://", _From(f"127.7.{place // 200}.{place % 200 + 1}"))
    return session
