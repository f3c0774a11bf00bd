"""Numbers lent by PostgreSQL: one row each, picked by `FOR UPDATE SKIP LOCKED`."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Self

import psycopg

from tests.bench.lending import Lent, Step
from tests.bench.pools import call_id
from tests.support.postgres import PostgresServer
from tests.support.processes import cpu_seconds

CONNECTIONS = 8
TABLE = """
CREATE TABLE number (
    value text PRIMARY KEY, call_id text, idle_since timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON number (idle_since) WHERE call_id IS NULL;
"""
CALL = """
UPDATE number SET call_id = %s WHERE value = (
    SELECT value FROM number WHERE call_id IS NULL ORDER BY idle_since LIMIT 1
    FOR UPDATE SKIP LOCKED
) RETURNING value
"""
HANGUP = """
UPDATE number SET call_id = NULL, idle_since = clock_timestamp() WHERE value = %s AND call_id = %s
"""


@contextmanager
def postgres(numbers: Sequence[str]) -> Iterator[PostgresServer]:
    """Start a server that syncs for the block. All numbers in its table are free."""
    server = PostgresServer(fsync=True).start()
    try:
        with server.connect() as connection:
            connection.execute(TABLE)
            connection.execute(
                "INSERT INTO number (value) SELECT unnest(%s::text[])", (list(numbers),)
            )
        yield server
    finally:
        server.remove()


class SkipLocked:
    """Prepared statements on eight connections, each event in its own transaction."""

    def __init__(self, server: PostgresServer, commit: str) -> None:
        """`commit` is the value of synchronous_commit, "off" or "on"."""
        self.server = server
        self.threads = ThreadPoolExecutor(CONNECTIONS)
        self.connections = [self._connect(commit) for _ in range(CONNECTIONS)]

    def _connect(self, commit: str) -> psycopg.Connection[tuple[object, ...]]:
        # By the server's socket in the file system, like the ways in Redis.
        connection = psycopg.connect(
            self.server.url(), host=str(self.server.folder), autocommit=True
        )
        connection.execute(f"SET synchronous_commit = {commit}")
        return connection

    def prepare(self) -> None:
        """Remove dead rows and write the pages and the log; see `Way.prepare`."""
        self.connections[0].execute("VACUUM (FULL, ANALYZE) number")
        self.connections[0].execute("CHECKPOINT")

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        """See `Way.take`. The connections share the steps; each does its part in order."""
        size = -(-len(steps) // CONNECTIONS)
        parts = [steps[start : start + size] for start in range(0, len(steps), size)]
        return [lent for part in self.threads.map(_take, self.connections, parts) for lent in part]

    def cpu_seconds(self) -> float:
        """See `Way.cpu_seconds`. Counts all processes of the server."""
        assert self.server.process is not None
        return cpu_seconds(self.server.process.pid)

    def free(self) -> list[str]:
        """See `Way.free`."""
        found = self.connections[0].execute("SELECT value FROM number WHERE call_id IS NULL")
        return [str(value) for (value,) in found]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.threads.shutdown()
        for connection in self.connections:
            connection.close()


def _take(connection: psycopg.Connection[tuple[object, ...]], steps: Sequence[Step]) -> list[Lent]:
    lent = []
    for step in steps:
        if isinstance(step, Lent):
            words = (step.number, call_id(step.call))
            assert connection.execute(HANGUP, words, prepare=True).rowcount == 1
        else:
            found = connection.execute(CALL, (call_id(step),), prepare=True).fetchone()
            assert found, "no number is free"
            lent.append(Lent(step, str(found[0])))
    return lent
