"""Restores a copy of Redis: a private server reads it, and its objects are sent to the target.

A server reads an RDB file only when it starts, from its own folder, and not with an append-only
file. So keys are copied by DUMP and RESTORE: to one server, Sentinel's master or a Cluster,
wherever it runs. Streams keep their IDs, hashes and sets their types, keys their time to live.

Only objects are copied: Redis is the source of their state. Leases, marks of processes, rate
limits, cache and queues of Celery belong to processes that are gone.

No object is trusted. Each is closed in the private server, as after a failover: calls, permits and
sessions that it does not know have begun since the copy. An object that was recovering when it was
copied is left out: its waiting time would be over by now, although nothing had reported. It is
rebuilt from SQL.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import redis
from redis.exceptions import RedisError, ResponseError

from poolsite import hotpath
from poolsite.backup.errors import BackupError
from poolsite.backup.positions import Positions, in_redis, tags_in
from poolsite.hotpath.connection import close_sync_client, sync_client
from poolsite.hotpath.promotion import words_to_close
from poolsite.runtime.redis_server import RedisServer, RedisServerError
from poolsite.timers import further_servers, kind_of

KEYS_AT_ONCE = 100
LARGE_KEY_SECONDS = 120.0  # a pool of a million numbers is one key
PROBE = "backup:probe"
RDB_FILE = "copy.rdb"
RECOVERING = "r"  # the first letter of `conf`


class CopyReader:
    """One copy, read by a private server."""

    def __init__(self, server: RedisServer, database: int) -> None:
        self.server = server
        self.database = database
        self._left_out: set[str] = set()

    def client(self, *, decode: bool) -> redis.Redis:
        return redis.Redis(
            unix_socket_path=str(self.server.socket), db=self.database, decode_responses=decode
        )

    def close_objects(self, lineage: str) -> None:
        """Close every object until it has recovered."""
        with self.client(decode=True) as client:
            for tag in set(tags_in(client)):
                if str(client.hget(tag, "conf") or "").startswith(RECOVERING):
                    client.delete(tag)
                    self._left_out.add(tag)
                else:
                    client.execute_command(*words_to_close(tag, lineage))

    def positions(self) -> Positions:
        with self.client(decode=True) as client:
            return in_redis(client)

    def entries(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Yield key, time to live in ms (0 for no expiry) and value of all keys of objects."""
        with self.client(decode=False) as client:
            keys = (key for key in client.scan_iter(match="{*", count=1_000) if self._travels(key))
            while page := list(islice(keys, KEYS_AT_ONCE)):
                with client.pipeline(transaction=False) as pipeline:
                    for key in page:
                        pipeline.pttl(key)
                        pipeline.dump(key)
                    answers = pipeline.execute()
                for key, lives, value in zip(page, answers[::2], answers[1::2], strict=True):
                    if value is not None:
                        yield key, max(lives, 0), value

    def _travels(self, key: bytes) -> bool:
        """Whether the key belongs to an object that is not left out."""
        before, brace, _ = key.decode(errors="replace").partition("}")
        tag = before + brace
        return kind_of(tag) is not None and tag not in self._left_out


@contextmanager
def reader(rdb: Path, folder: Path, server: str) -> Iterator[CopyReader]:
    """Start a private server on a copy of the file; remove it and its folder afterwards.

    server: whose copy it is, for the number of its database. Raise BackupError.
    """
    folder.mkdir(mode=0o700, parents=True)
    extra = ["--dbfilename", RDB_FILE]
    private = RedisServer(folder, append_only=False, extra=extra)
    try:
        shutil.copyfile(rdb, folder / RDB_FILE)
        private.start()
    except RedisServerError as error:
        private.stop()
        raise BackupError(
            f"{rdb.name} can't be read: {error}. Install a redis-server that is no older than "
            "the server it was copied from."
        ) from error
    try:
        yield CopyReader(private, _path(server).address.options.get("db", 0))
    finally:
        private.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _path(server: str) -> hotpath.HotPath:
    """Return the Redis of that name. Raise BackupError if there is none."""
    if not server:
        return hotpath.default()
    found = further_servers().get(server)
    if found is None:
        raise BackupError(
            f"The backup has a copy of the Redis server {server!r}: name it in "
            "POOLSITE_BILLING_REDIS_URLS."
        )
    return found


@contextmanager
def target(server: str) -> Iterator[Any]:
    """Yield a client of the Redis to restore, with a long timeout for large keys."""
    address = _path(server).address
    options = {**address.options, "socket_timeout": LARGE_KEY_SECONDS}
    client = sync_client(replace(address, options=options))
    try:
        yield client
    except (RedisError, OSError) as error:
        raise BackupError(f"Redis ({address}): {error}") from error
    finally:
        close_sync_client(client)


def names() -> list[str]:
    """Return the name of every Redis of this site, the common one ("") first."""
    return ["", *further_servers()]


def probe(its: CopyReader, client: Any) -> None:
    """Raise BackupError if the target can't accept what the private server dumps."""
    with its.client(decode=False) as private:
        private.set(PROBE, "1")
        value = private.dump(PROBE)
        private.delete(PROBE)
    try:
        client.restore(PROBE, 1_000, value, replace=True)
    except ResponseError as error:
        raise BackupError(
            f"The Redis to restore does not take the keys ({error}): the redis-server on this "
            "machine may not be of a later version than it. Install the same version."
        ) from error


def send(entries: Iterable[tuple[bytes, int, bytes]], client: Any) -> int:
    """Write the keys to the target; return how many."""
    count, rest = 0, iter(entries)
    while page := list(islice(rest, KEYS_AT_ONCE)):
        with client.pipeline(transaction=False) as pipeline:
            for key, lives, value in page:
                pipeline.restore(key, lives, value, replace=True)
            pipeline.execute()
        count += len(page)
    return count


def holds_objects(client: Any) -> bool:
    """Whether there is any object in this Redis."""
    return next(iter(tags_in(client)), None) is not None


def empty(client: Any) -> None:
    """Remove every key of the database, including marks and caches of its earlier use."""
    keys = client.scan_iter(count=1_000)
    while page := list(islice(keys, KEYS_AT_ONCE)):
        with client.pipeline(transaction=False) as pipeline:
            for key in page:
                pipeline.unlink(key)
            pipeline.execute()
