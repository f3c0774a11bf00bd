"""Migrated databases to copy: migrating takes seconds of CPU time, copying takes none.

They are made once for each state of the migrations, in var/tests; `make clean` removes them. This
module handles SQLite's file; tests/support/postgres.py handles PostgreSQL's folder.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.support.waiting import patient

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "var" / "tests"
KEPT = 3  # several branches or checkouts may use the folder in turn


def lay_migrated(target: Path) -> None:
    """Put a fully migrated database at `target`. Processes may call this at the same time.

    The tables of an app whose migration tests.chaos.mutant has changed are left out: Django then
    applies that app's migrations itself.
    """
    lay_made("migrated.sqlite3", target, _make)
    if "MUTANT_APP" in os.environ:
        _take_out(os.environ["MUTANT_APP"], target)


def _take_out(app: str, target: Path) -> None:
    with closing(sqlite3.connect(target)) as database, database:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?"
        for (table,) in database.execute(tables, (f"{app}_*",)).fetchall():
            database.execute(f"DROP TABLE {table}")
        database.execute("DELETE FROM django_migrations WHERE app = ?", (app,))


@contextmanager
def _alone() -> Iterator[None]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest() -> str:
    """Return a digest of all our migrations and of the pinned versions of our dependencies."""
    digest = hashlib.sha256((ROOT / "requirements" / "base.txt").read_bytes())
    for app in ("poolsite", "numbers", "queueing", "billing"):
        for path in sorted((ROOT / app).rglob("migrations/*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _make(template: Path) -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        made = Path(folder) / "made.sqlite3"
        migrate(f"sqlite:///{made}")
        with closing(sqlite3.connect(made)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        made.replace(template)


def migrate(url: str) -> None:
    """Apply every migration, in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "POOLSITE_DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "poolsite.settings",
        }
        # Not manage.py: it would start a Redis if none is named.
        run = "from django.core.management import execute_from_command_line as run; "
        run += "run(['manage.py', 'migrate', '--verbosity=0', '--skip-checks'])"
        command = [sys.executable, "-c", run]
        subprocess.run(command, env=environment, cwd=ROOT, check=True, timeout=patient(300))


def lay_made(name: str, target: Path, make: Callable[[Path], None]) -> None:
    """Copy the file or folder `name` to `target`; `make` creates it once per migration state.

    Processes may call this at the same time.
    """
    with _alone():
        template = FOLDER / f"{_digest()}-{name}"
        if not template.exists():
            make(template)
        os.utime(template)
        old = sorted(FOLDER.glob(f"*-{name}"), key=lambda each: each.stat().st_mtime)
        for each in old[:-KEPT]:
            _remove(each)
        copy_tree(template, target)


def copy_tree(source: Path, target: Path) -> None:
    """Copy a file or folder with its owners and permissions."""
    subprocess.run(["cp", "-a", "--no-target-directory", source, target], check=True)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
