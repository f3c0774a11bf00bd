"""Takes a backup: first Redis, then what it wrote to SQL, then SQL, then the files."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.db import Error as DatabaseError
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.backup import attachments, databases, environment, manifest, positions, redis_copy
from poolsite.backup.errors import BackupError
from poolsite.runtime.locks import FileLock
from poolsite.timers import further_servers

NAME = "%Y%m%dT%H%M%SZ"
PARTIAL = ".partial"
WITHOUT = "If Redis is down, back up SQL alone with --without-redis."
POSITIONS, SETTINGS = "positions.json", "settings.json"
Tell = Callable[[str], object]


@dataclass(frozen=True)
class BackupRequest:
    """What to back up in addition to SQL."""

    redis: bool = True
    files: bool = True


def take(folder: Path, wanted: BackupRequest, tell: Tell) -> Path:
    """Make a backup in a new folder in `folder`, named by UTC time, and return the new folder.

    Raise BackupError; nothing of the backup remains then.
    """
    os.umask(0o077)
    began = datetime.now(UTC)
    databases.engine()
    try:
        with _alone(folder):
            target = _unused(folder, began)
            with _whole(target) as part:
                _fill(part, began, wanted, tell)
    except (hotpath.HotPathError, RedisError) as error:
        raise BackupError(f"No backup was made. Redis: {error} {WITHOUT}") from error
    except (DatabaseError, OSError) as error:
        raise BackupError(f"No backup was made: {error}") from error
    return target


def _fill(part: Path, began: datetime, wanted: BackupRequest, tell: Tell) -> None:
    paths = {"": hotpath.default(), **further_servers()} if wanted.redis else {}
    # Before the copy, so that the copy has at least these positions.
    redis = {name: positions.in_redis(path.client()) for name, path in paths.items()}
    copies = redis_copy.copy_all(paths, part)
    if wanted.redis:
        tell(f"Redis copied ({len(copies)} masters).")
        positions.catch_up()
    dump = part / databases.FILES[databases.engine()]
    before = datetime.now(UTC)
    with databases.dumped(dump) as nothing_after:
        sql = positions.in_sql()
        its = manifest.Manifest(
            release=manifest.release(),
            complete_until=_text(began if wanted.redis else before),
            nothing_after=_text(nothing_after),
            finished_at="",
            engine=databases.engine(),
            database=databases.version(),
            migrations=databases.migrations(),
            redis=[asdict(copy) for copy in copies],
            only_in_redis=positions.not_in_sql(redis, sql),
        )
    tell(f"SQL copied ({its.database}).")
    if not wanted.redis:
        its.left_out.append("Redis, and what it had not yet written to SQL")
    _add_files(part, its, wanted, tell)
    manifest.write_json(part / POSITIONS, {"sql": sql, "redis": redis})
    manifest.write_json(part / SETTINGS, environment.settings_set())
    its.finished_at = _text(datetime.now(UTC))
    manifest.write(part, its)


def _add_files(part: Path, its: manifest.Manifest, wanted: BackupRequest, tell: Tell) -> None:
    reason = attachments.left_out() if wanted.files else "files of rooms, as requested"
    if reason:
        its.left_out.append(reason)
        return
    count = attachments.copy(part / attachments.FILE)
    tell(f"{count} files of rooms copied.")


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


# -- folders --------------------------------------------------------------------------------------


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Allow one backup at a time in this folder; remove what a killed one left."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(folder / ".lock") as lock:
        if not lock.try_take():
            raise BackupError(f"Another backup is being made in {folder}.")
        for left in folder.glob(f"*{PARTIAL}"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _unused(folder: Path, moment: datetime) -> Path:
    """Return the folder named by this second, or by the next one that no backup has."""
    while (target := folder / moment.strftime(NAME)).exists():
        moment += timedelta(seconds=1)
    return target


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Yield a folder that gets its name if the block succeeds, and is removed otherwise."""
    part = target.with_name(f"{target.name}{PARTIAL}")
    part.mkdir(mode=0o700)
    try:
        yield part
        for path in part.iterdir():
            path.chmod(0o600)
            _to_disk(path)
        _to_disk(part)
        part.rename(target)
        _to_disk(target.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_older(folder: Path, keep: int) -> list[Path]:
    """Delete the oldest complete backups until `keep` are left; return the deleted ones."""
    complete = sorted(path.parent for path in folder.glob(f"*Z/{manifest.SUM_FILE}"))
    older = complete[:-keep]
    for path in older:
        shutil.rmtree(path)
    return older
