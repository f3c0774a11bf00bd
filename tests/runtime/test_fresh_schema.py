"""The demo's fast way to create its tables has the same result as `migrate`."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.support.database import lay_migrated
from tests.support.waiting import patient

LAY = """
import django; django.setup()
from poolsite.runtime import fresh_schema
print(fresh_schema.lay(), fresh_schema.lay())
"""


def schema(path: Path) -> dict[tuple[str, str], object]:
    """Return every object by kind and name, with a table's columns and constraints sorted."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    found: dict[tuple[str, str], object] = {}
    for kind, name, sql in rows:
        said = re.sub(r"\s+", " ", sql or "")
        found[kind, name] = sorted(re.split(r", (?=\"|CONSTRAINT|UNIQUE)|\(|\)", said))
    return found


def rows(path: Path, table: str, columns: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return sorted(database.execute(f"SELECT {columns} FROM {table}").fetchall())


@pytest.mark.processes
def test_the_tables_laid_at_once_are_those_of_the_migrations(tmp_path: Path) -> None:
    migrated, laid = tmp_path / "migrated.sqlite3", tmp_path / "poolsite.sqlite3"
    lay_migrated(migrated)
    environment = {**os.environ, "POOLSITE_DATA_DIR": str(tmp_path)}
    environment |= {"DATABASE_URL": f"sqlite:///{laid}"}
    environment |= {"DJANGO_SETTINGS_MODULE": "poolsite.settings"}
    ran = subprocess.run(
        [sys.executable, "-c", LAY],
        env=environment,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=patient(60),
    )
    assert ran.stdout.split() == ["True", "False"]  # not again if tables exist
    assert schema(laid) == schema(migrated)
    for table, columns in (
        ("django_migrations", "app, name"),
        ("django_content_type", "app_label, model"),
        ("auth_permission", "codename, name"),
    ):
        assert rows(laid, table, columns) == rows(migrated, table, columns)
