"""Restores a backup: checks everything first, then restores SQL, Redis and files."""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db import Error as DatabaseError
from django.db.migrations.loader import MigrationLoader
from redis.exceptions import RedisError

from poolsite import hotpath, timers
from poolsite.backup import attachments, databases, manifest, redis_load
from poolsite.backup.errors import BackupError
from poolsite.backup.manifest import Manifest, told
from poolsite.backup.positions import Positions
from poolsite.jobs import presence

Tell = Callable[[str], object]


@dataclass(frozen=True)
class RestoreRequest:
    """What to restore in addition to SQL. replace: delete what SQL and Redis contain now."""

    redis: bool = True
    files: bool = True
    replace: bool = False


@dataclass(frozen=True)
class Restored:
    """The result of a restore.

    redis: how far each object's history reaches in Redis, by server.
    """

    manifest: Manifest
    keys: int
    redis: dict[str, Positions]


def check(folder: Path) -> Manifest:
    """Compare the backup with its checksums and with this release. Raise BackupError."""
    its = manifest.read(folder)
    unknown = sorted(set(its.migrations) - _migrations_of_this_release())
    if unknown:
        raise BackupError(
            f"The backup is of release {its.release}, whose migrations this release "
            f"({manifest.release()}) does not have: {told(unknown)}. Install that release or a "
            "newer one."
        )
    return its


def _migrations_of_this_release() -> set[str]:
    """Return the migrations as `app.name`, including those that squashed ones replace."""
    found = MigrationLoader(None).disk_migrations
    keys = [*found, *(key for migration in found.values() for key in migration.replaces)]
    return {f"{app}.{name}" for app, name in keys}


def restore(folder: Path, wanted: RestoreRequest, tell: Tell) -> Restored:
    """Restore a backup. Raise BackupError: nothing was written, or its text states what was."""
    os.umask(0o077)
    try:
        return _restore(folder, wanted, tell)
    except (DatabaseError, hotpath.HotPathError, RedisError, OSError) as error:
        raise BackupError(f"Not restored: {error}") from error


def _restore(folder: Path, wanted: RestoreRequest, tell: Tell) -> Restored:
    its = check(folder)
    databases.require_restorable(its.engine)
    with_files = wanted.files and attachments.FILE in its.files
    if with_files:
        attachments.require_folder()
    _refuse_running()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="poolsite-")))
        clients = {
            name: stack.enter_context(redis_load.target(name)) for name in redis_load.names()
        }
        _refuse_full(clients, replace=wanted.replace)
        readers = []
        for place, copy in enumerate(its.redis if wanted.redis else []):
            server = copy["server"]
            its_reader = redis_load.reader(folder / copy["file"], scratch / str(place), server)
            readers.append((server, stack.enter_context(its_reader)))
            redis_load.probe(readers[-1][1], clients[server])
        tell("The backup is complete and can be read.")
        databases.restore(folder / databases.FILES[its.engine], replace=wanted.replace)
        tell("SQL restored.")
        restored = Restored(its, *_load(readers, clients, its.complete_until))
        if restored.keys:
            tell(f"Redis restored ({restored.keys} keys).")
    if with_files:
        attachments.restore(folder / attachments.FILE)
        tell("Files of rooms restored.")
    return restored


def _load(
    readers: list[tuple[str, redis_load.CopyReader]], clients: dict[str, Any], moment: str
) -> tuple[int, dict[str, Positions]]:
    """Send every copy to its Redis. After an error, leave Redis empty: half a copy is worse."""
    keys, found = 0, dict[str, Positions]()
    try:
        for client in clients.values():
            redis_load.empty(client)
        for server, its in readers:
            its.close_objects(f"restored:{moment}")
            for kind, positions in its.positions().items():
                found.setdefault(server, {}).setdefault(kind, {}).update(positions)
            keys += redis_load.send(its.entries(), clients[server])
    except (RedisError, OSError) as error:
        for client in clients.values():
            redis_load.empty(client)
        raise BackupError(
            f"SQL was restored, Redis was not ({error}) and is empty now. Start the site, which "
            "rebuilds Redis from SQL; or restore again with --replace."
        ) from error
    return keys, found


def _refuse_running() -> None:
    """Raise BackupError while this Redis shows a running process of the site."""
    state = timers.read_state()
    heard = [f"timers {mark.process}" for mark in state.processes]
    heard += [f"worker {worker.name}" for worker in presence.workers() if worker.alive]
    if hotpath.client().exists(timers.WEB_KEY):
        heard.append("a web process")
    if heard:
        raise BackupError(
            f"The site is running: {told(heard)}. Stop its processes, and restore a few seconds "
            "later."
        )


def _refuse_full(clients: dict[str, Any], *, replace: bool) -> None:
    full = [] if databases.is_empty() else ["SQL has tables"]
    full += [
        f"Redis {name or 'at REDIS_URL'} has objects"
        for name, client in clients.items()
        if redis_load.holds_objects(client)
    ]
    connections[DEFAULT_DB_ALIAS].close()
    if full and not replace:
        raise BackupError(
            f"{' and '.join(full)}. Restore into empty stores, or with --replace to delete what "
            "they hold."
        )
