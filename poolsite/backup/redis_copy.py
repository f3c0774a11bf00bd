"""A copy of one Redis server at one moment, read over the connection as a replica reads it.

This works for one server, Sentinel's master and the masters of a Cluster, over TLS and Unix
sockets, and needs no access to the server's folder. The user needs the commands SYNC and REPLCONF.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from redis.exceptions import NoPermissionError, RedisError, ResponseError

from poolsite.backup.errors import BackupError
from poolsite.hotpath import HotPath
from poolsite.hotpath.connection import sync_pool
from poolsite.hotpath.promotion import info_fields
from poolsite.hotpath.routing import Node
from poolsite.runtime.startup import product_of

SILENT_SECONDS = 60.0  # a server that writes its copy sends a newline each second
CHUNK_BYTES = 1 << 20
SIGNS = (b"REDIS", b"VALKEY")


@dataclass(frozen=True)
class RedisCopy:
    """One master's copy.

    server: "" for REDIS_URL, else a name in POOLSITE_BILLING_REDIS_URLS.
    """

    server: str
    node: str
    file: str
    version: str


def copy_all(paths: Mapping[str, HotPath], folder: Path) -> list[RedisCopy]:
    """Copy every master into `folder`. Raise BackupError (also if slots moved) or Unavailable."""
    copies: list[RedisCopy] = []
    for server, path in paths.items():
        slots = _slots(path)
        for node in sorted(path.times()):
            file = f"redis-{len(copies) + 1}.rdb"
            name = node or str(path.address)
            version = _copy(path, node, name, folder / file)
            copies.append(RedisCopy(server, name, file, version))
        if _slots(path) != slots:
            raise BackupError(
                "The Cluster moved slots during the copy, which may have missed keys. "
                "Run the backup again when the slots are in place."
            )
    return copies


def _slots(path: HotPath) -> Any:
    """Return the slots of each master and their moves, or None without a Cluster.

    Raise BackupError while slots are moving.
    """
    if path.address.topology != "cluster":
        return None
    try:
        nodes = path.client().cluster_nodes()
    except RedisError as error:
        raise BackupError(f"Can't read the slots of the Cluster: {error}.") from error
    found = {name: (its["slots"], its["migrations"]) for name, its in nodes.items()}
    if any(moves for _, moves in found.values()):
        raise BackupError("The Cluster is moving slots. Run the backup again when it has finished.")
    return found


def _copy(path: HotPath, node: Node, name: str, target: Path) -> str:
    """Copy one master; return the server's version."""
    pool = sync_pool(path.address, node)
    connection = pool.get_connection()
    try:
        connection.send_command("INFO", "server")
        version = " ".join(product_of(info_fields(connection.read_response())))
        with target.open("xb") as file:
            for chunk in _synced(connection):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except NoPermissionError as error:
        raise BackupError(
            f"The Redis user may not copy {name}: {error}. Give it +sync and +replconf."
        ) from error
    except (RedisError, OSError, ValueError) as error:
        raise BackupError(f"Redis at {name} was not copied: {error}") from error
    finally:
        pool.disconnect()
    return version


def _synced(connection: Any) -> Iterator[bytes]:
    """Request a copy and yield its bytes. What the server sends after it is not read."""
    connection.send_command("REPLCONF", "rdb-only", "1")
    try:
        connection.read_response()
    except NoPermissionError:
        raise
    except ResponseError:
        pass  # before Redis 7: it treats us as a replica until we hang up
    connection.send_command("SYNC")
    its = connection._sock  # noqa: SLF001  redis-py reads replies; this is a file
    its.settimeout(SILENT_SECONDS)
    with its.makefile("rb") as stream:
        left = _announced(stream)
        first = True
        while left:
            chunk = stream.read(min(left, CHUNK_BYTES))
            if not chunk:
                raise ValueError("the connection ended before the copy was complete.")
            if first and not chunk.startswith(SIGNS):
                raise ValueError("the server sent something that is no copy.")
            first = False
            left -= len(chunk)
            yield chunk


def _announced(stream: BinaryIO) -> int:
    """Return the size of the copy, which the server sends once the copy is on its disk."""
    while (line := stream.readline(1_000)) == b"\n":
        pass
    text = line.decode(errors="replace").strip()
    if text.startswith("-NOPERM"):
        raise NoPermissionError(text[1:])
    if text.startswith("-"):
        raise ResponseError(text[1:])
    if not text.startswith("$") or not text[1:].isdecimal():
        raise ValueError(
            "the server ended the connection. Its log says why; often its disk is full."
        )
    return int(text[1:])
