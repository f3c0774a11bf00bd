"""The former release: its commit, its migrations and its code.

Tests use it to run the former release next to the present one. `python -m tests.support.former
record` makes the newest commit the former release.
"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/data/former_release.json"


@cache
def _recorded() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(RECORD.read_text())
    return recorded


def migrations() -> dict[str, str]:
    """Return the last migration of each app of the former release."""
    return dict(_recorded()["migrations"])


def is_in_history() -> bool:
    """Return whether this clone contains the former release's code. A shallow clone doesn't."""
    return _git("cat-file", "-e", f"{_recorded()['commit']}^{{commit}}").returncode == 0


def check_out(folder: Path) -> Path:
    """Write the former release's code to a new folder and return the folder."""
    folder.mkdir(parents=True)
    tree = _git("archive", str(_recorded()["commit"]), check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=tree, check=True)
    return folder


def record() -> None:
    """Record the newest commit and its migrations."""
    from django.db.migrations.loader import MigrationLoader

    leaves = dict(MigrationLoader(None).graph.leaf_nodes())
    commit = _git("rev-parse", "HEAD", check=True).stdout.decode().strip()
    released = {"commit": commit, "migrations": {app: leaves[app] for app in migrations()}}
    RECORD.write_text(json.dumps(released, indent=2) + "\n")


def _git(*arguments: str, check: bool = False) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=check)


if __name__ == "__main__":
    import django

    if sys.argv[1:] != ["record"]:
        sys.exit("usage: python -m tests.support.former record")
    django.setup()
    record()
