"""A migrated SQLite database to copy: migrating takes seconds of a core, copying a file none.

Made once for each state of the migrations, in var/tests; `make clean` removes it.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "var" / "tests"
KEPT = 3  # several branches or checkouts of files take turns


def lay_migrated(target: Path) -> None:
    """Put a database with every migration applied at `target`; processes may call it at once."""
    with _alone():
        template = FOLDER / f"migrated-{_digest()}.sqlite3"
        if not template.exists():
            _make(template)
        os.utime(template)
        shutil.copyfile(template, target)
        old = sorted(FOLDER.glob("migrated-*.sqlite3"), key=lambda each: each.stat().st_mtime)
        for each in old[:-KEPT]:
            each.unlink()


@contextmanager
def _alone() -> Iterator[None]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest() -> str:
    """Of every migration of ours and of the versions of everybody else's.

    And of what tests.chaos.mutant changes in memory: a mutant's tables are its own.
    """
    digest = hashlib.sha256((ROOT / "requirements" / "base.txt").read_bytes())
    for name in sorted(name for name in os.environ if name.startswith("MUTANT_")):
        digest.update(f"{name}={os.environ[name]}".encode())
    for app in ("poolsite", "numbers", "queueing", "billing"):
        for path in sorted((ROOT / app).rglob("migrations/*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _make(template: Path) -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        made = Path(folder) / "made.sqlite3"
        environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{made}",
            "POOLSITE_DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "poolsite.settings",
        }
        migrate = "from django.core.management import execute_from_command_line as run; "
        migrate += "run(['manage.py', 'migrate', '--verbosity=0'])"
        mutant = "import tests.chaos.mutant; " if "MUTANT_FILE" in os.environ else ""
        command = [sys.executable, "-c", mutant + migrate]
        subprocess.run(command, env=environment, cwd=ROOT, check=True, timeout=300)
        with closing(sqlite3.connect(made)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        made.replace(template)
