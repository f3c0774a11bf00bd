"""A running stack seen from outside: its SQL, its Redis, its pages, its call logs."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis

from tests.chaos.console import Completed, manage
from tests.chaos.redis_node import RedisNode
from tests.chaos.resting import until_right
from tests.support.postgres import PostgresServer
from tests.support.waiting import patient

READY_SECONDS = 90.0
DATABASE = "poolsite"


class StackView:
    """Reads past the proxies, and changes nothing on its own."""

    folder: Path
    redis: RedisNode
    postgres: PostgresServer
    web_ports: list[int]
    environment: dict[str, str]
    simulation: dict[str, Any]
    commands_of: Path

    def call_log(self, index: int) -> Path:
        """Return the file in which the switches of one simulator log their calls."""
        return self.folder / f"calls-{index}.jsonl"

    @property
    def call_logs(self) -> list[Path]:
        return [path for path in (self.call_log(1), self.call_log(2)) if path.exists()]

    @property
    def pools(self) -> list[str]:
        return [pool["slug"] for pool in self.simulation["pools"]]

    def redis_client(self) -> Redis:
        return self.redis.client()

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Query PostgreSQL itself, past the proxy."""
        with psycopg.connect(self.postgres.url(DATABASE), autocommit=True) as connection:
            found = connection.execute(query.encode(), values or None)
            return found.fetchall() if found.description else []

    def sql_refusals(self) -> int:
        """Return how often PostgreSQL has reported a full disk."""
        log = (self.postgres.folder / "postgres.log").read_text(errors="replace")
        return log.count("No space left on device")

    def webs_not_ready(self) -> dict[int, str]:
        """Return the answer of /readyz for each web process that is not ready."""
        answers = {port: self._readiness(port) for port in self.web_ports}
        return {port: text for port, text in answers.items() if text}

    def wait_until_ready(self) -> None:
        """Raise RuntimeError with the answer of /readyz if a web process is not ready in time."""

        def wrong() -> str:
            unready = self.webs_not_ready()
            return f"not ready: {unready}; logs in {self.folder}" if unready else ""

        until_right(wrong, READY_SECONDS)

    def pools_not_open(self) -> dict[str, str]:
        """Return the state of each pool that lends no numbers, by the first letter of `conf`."""
        states = {slug: self.pool_fields(slug).get("conf", "lost")[:1] for slug in self.pools}
        return {slug: state for slug, state in states.items() if state != "o"}

    def pool_fields(self, slug: str) -> Mapping[str, str]:
        """Return the hash at the pool's tag: settings, generation, seq, counters."""
        with self.redis_client() as client:
            fields: dict[str, str] = client.hgetall(f"{{{slug}}}")
        return fields

    def busy_numbers(self) -> dict[str, list[str]]:
        """Return the numbers that Redis has in a call, for pools with any."""
        busy = {}
        with self.redis_client() as client:
            for slug in self.pools:
                states = client.hgetall(f"{{{slug}}}:numstate")
                found = [n for n, state in states.items() if json.loads(state)["callstate"]]
                if found:
                    busy[slug] = found
        return busy

    def manage(self, *arguments: str) -> Completed:
        """Run one management command of the product against this stack."""
        return manage([*arguments], self.environment, self.commands_of)

    def _readiness(self, port: int) -> str:
        """Return "" if the process is ready, or its answer."""
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/readyz", timeout=patient(5)
            ) as answer:
                return "" if answer.status == 200 else f"status {answer.status}"
        except urllib.error.HTTPError as error:
            return error.read(500).decode(errors="replace")
        except (urllib.error.URLError, OSError) as error:
            return repr(error)
