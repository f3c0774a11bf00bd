"""SQL's part of a backup: PostgreSQL by pg_dump, SQLite by its own backup function."""

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg import conninfo, pq

from poolsite.backup.errors import BackupError

POSTGRES, SQLITE = "postgresql", "sqlite"
FILES: Final = {POSTGRES: "sql.dump", SQLITE: "sql.sqlite3"}
DEBIAN = "/usr/lib/postgresql/{}/bin"
LOCK_TIMEOUT = "10s"
ANEW = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;"


def engine() -> str:
    """Return the engine of the site's database. Raise BackupError if it can't be backed up."""
    if connection.vendor not in FILES:
        raise BackupError(f"{connection.vendor} can't be backed up: use PostgreSQL or SQLite.")
    return connection.vendor


def version() -> str:
    """Return the server's or library's version, for people."""
    if connection.vendor == SQLITE:
        return f"SQLite {sqlite3.sqlite_version}"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {cursor.fetchone()[0]}"


def migrations() -> list[str]:
    """Return every applied migration as `app.name`."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


def is_empty() -> bool:
    """Whether the database has no tables."""
    return not connection.introspection.table_names()


# -- taking ---------------------------------------------------------------------------------------


@contextmanager
def dumped(target: Path) -> Iterator[datetime]:
    """Write the dump, and yield a time after its snapshot.

    Queries in the block read the same snapshot.
    """
    if connection.vendor == SQLITE:
        with transaction.atomic():  # it begins by locking, so no one writes meanwhile
            moment = datetime.now(UTC)
            _copy_sqlite(_sqlite_path(), target)
            yield moment
        return
    program = _program("pg_dump")
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
        moment = datetime.now(UTC)
        command = [program, "--format=custom", "--no-owner", "--no-privileges", "--no-password"]
        _run([*command, f"--snapshot={snapshot}", f"--file={target}", f"--dbname={_address()}"])
        yield moment


def _copy_sqlite(source: Path, target: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(str(source))}?mode=ro", uri=True)) as reading,
            closing(sqlite3.connect(target)) as writing,
        ):
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode=DELETE")  # one file, without a second one
    except sqlite3.Error as error:
        raise BackupError(f"The SQLite file was not copied: {error}.") from error


# -- bringing back --------------------------------------------------------------------------------


def require_restorable(kind: str) -> None:
    """Raise BackupError unless a dump of this kind can be restored into the site's database."""
    if engine() != kind:
        raise BackupError(
            f"The backup is of {kind}, and DATABASE_URL names {connection.vendor}: "
            f"set it to a {kind} database."
        )
    if kind == POSTGRES:
        _program("pg_restore")
        _program("psql")


def restore(dump: Path, *, replace: bool) -> None:
    """Restore the dump in one transaction: all of it or nothing. Raise BackupError."""
    if connection.vendor == SQLITE:
        connection.close()
        _restore_sqlite(dump)
        return
    reading = [_program("pg_restore"), "--no-owner", "--no-privileges", "--file=-", str(dump)]
    writing = [_program("psql"), "--no-psqlrc", "--quiet", "--no-password", "--file=-"]
    writing += ["--set=ON_ERROR_STOP=1", f"--dbname={_address()}"]
    before = f"BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; {ANEW if replace else ''}\n"
    connection.close()
    _pour(reading, writing, before.encode())


def _pour(reading: list[str], writing: list[str], before: bytes) -> None:
    """Pipe the output of one program into the other; commit only if it is complete."""
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            writing, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, env=_variables()
        ) as sink,
        subprocess.Popen(reading, stdout=subprocess.PIPE, stderr=said) as source,
    ):
        with suppress(BrokenPipeError):  # psql has ended, and has reported why
            _send(source, sink, before)
        sink.communicate()
        complete = sink.returncode == 0 and source.poll() == 0
        said.seek(0)
        told = said.read()
    if not complete:
        raise BackupError(f"SQL was not restored, and is as before: {_telling(told)}")


def _send(
    source: "subprocess.Popen[bytes]", sink: "subprocess.Popen[bytes]", before: bytes
) -> None:
    if source.stdout is None or sink.stdin is None:
        return
    sink.stdin.write(before)
    shutil.copyfileobj(source.stdout, sink.stdin)
    if source.wait() == 0:  # else psql ends without a commit
        sink.stdin.write(b"\nCOMMIT;\n")


def _restore_sqlite(dump: Path) -> None:
    target = _sqlite_path()
    beside = target.with_name(f"{target.name}.restoring")
    shutil.copyfile(dump, beside)
    beside.chmod(0o600)
    for name in (f"{target.name}-wal", f"{target.name}-shm"):
        target.with_name(name).unlink(missing_ok=True)
    beside.replace(target)


# -- programs -------------------------------------------------------------------------------------


def _sqlite_path() -> Path:
    return Path(connection.settings_dict["NAME"])


def _address() -> str:
    """Return the database for libpq without the password, as anyone can read a command line."""
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    given = connection.get_connection_params()
    return conninfo.make_conninfo(
        **{name: value for name, value in given.items() if name in known - {"password"}}
    )


def _program(name: str) -> str:
    """Return the path of PostgreSQL's program of the server's own version. Raise BackupError.

    An older program does not know the server, and a newer one's dump may not fit the server.
    """
    postgres: Any = connection
    server = int(postgres.pg_version) // 10_000
    here = shutil.which(name, path=f"{DEBIAN.format(server)}{os.pathsep}{os.environ['PATH']}")
    remedy = f"install postgresql-client-{server}."
    if here is None:
        raise BackupError(f"{name} is missing: {remedy}")
    found = re.search(r"(\d+)", _run([here, "--version"]))
    if found is None or int(found[1]) != server:
        told = found[1] if found else "of an unknown version"
        raise BackupError(f"{name} is {told}, and the server is PostgreSQL {server}: {remedy}")
    return here


def _run(command: list[str]) -> str:
    """Run a program. Raise BackupError with its error message."""
    done = subprocess.run(command, capture_output=True, text=True, env=_variables(), check=False)
    if done.returncode:
        raise BackupError(f"{Path(command[0]).name} failed: {_telling(done.stderr)}")
    return done.stdout


def _variables() -> dict[str, str]:
    """Return the environment of a program: the only place with the password."""
    password = str(connection.settings_dict.get("PASSWORD") or "")
    return {**os.environ, **({"PGPASSWORD": password} if password else {})}


def _telling(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines or ["no message"]
    return telling[0]
