"""Load for the hot lane: a site with one pool, and wrk posting one event per request."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site, WebServer

SLUG = "bench"
NUMBERS = 2_000
CONNECTIONS = 32
OURS = "poolsite.asgi:application"
REFERENCE = "tests.bench.hot_reference:application"

# Odd requests call. Even requests hang up the call of 64 requests before, so that every call is
# answered before its hangup is sent. `run` keeps the IDs of one run apart from the next run's.
_SCRIPT = """
local n = 0
local headers = {{ ["Content-Type"] = "application/json", ["Authorization"] = "Bearer {token}" }}
request = function()
  n = n + 1
  local body
  if n % 2 == 1 then
    body = '{{"event":"call","call_id":"{run}-' .. n .. '@fs-01","agent":"agent 17",'
      .. '"callee":"+8613900001234","switch":"fs-01","incarnation":"boot-1"}}'
  else
    body = '{{"event":"hangup","call_id":"{run}-' .. (n - 129)
      .. '@fs-01","switch":"fs-01","incarnation":"boot-1"}}'
  end
  return wrk.format("POST", "/api/v1/pools/{slug}/events", headers, body)
end
"""


@contextmanager
def site_with_pool(numbers: int = NUMBERS) -> Iterator[tuple[Site, str, redis.Redis]]:
    """Yield a migrated site with one pool and a private Redis, its token, and a Redis client."""
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        server = RedisServer(folder=Path(folder) / "redis", append_only=False).start()
        try:
            site = Site(Path(folder) / "site", server.url)
            site.migrate()
            token = site.run("tests/bench/hot_setup.py", SLUG, str(numbers)).strip()
            with server.client() as client:
                yield site, token, client
        finally:
            server.stop()


def requests_per_second(server: WebServer, token: str, run: str, seconds: float) -> float:
    """Return the requests per second that wrk's 32 connections get answered.

    Raise AssertionError if an answer is no 2xx.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(_SCRIPT.format(token=token, run=run, slug=SLUG))
        script.flush()
        done = subprocess.run(
            [
                "wrk",
                *("-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds:.0f}s", "-s", script.name),
                f"http://127.0.0.1:{server.port}/",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
    total = int(re.search(r"(\d+) requests in", done.stdout)[1])
    # The first 64 hangups name calls that do not exist, and are `early`: they alone are allowed.
    if bad and int(bad[1]) > 0.001 * total:
        raise AssertionError(f"{bad[1]} of {total} requests were refused:\n{done.stdout}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
