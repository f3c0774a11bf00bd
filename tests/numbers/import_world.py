"""What the tests of imports share: a pool in SQL and in Redis, files, a reader of its numbers."""

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import openpyxl

from numbers import pool as commands
from numbers.models import Number, NumberImport, Pool
from numbers.services import imports
from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor
from poolsite.jobs import runner
from poolsite.jobs.models import Job

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "numbers-sample.csv"


def make_pool(slug: str = "retail-east", account: Account | None = None) -> Pool:
    """Make an open pool without numbers."""
    pool = Pool.objects.create(slug=slug, name=slug, account=account)
    hotpath.run(commands.create(slug, pool.generation, commands.PoolSettings()))
    return pool


def in_redis(pool: Pool) -> set[str]:
    """Return every number of the pool's Redis data."""
    return set(hotpath.client().hkeys(f"{pool.tag}:numstate"))


def in_sql(pool: Pool) -> set[str]:
    return set(Number.objects.filter(pool=pool).values_list("value", flat=True))


def csv_file(folder: Path, rows: Iterable[Sequence[str]], name: str = "numbers.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def xlsx_file(folder: Path, rows: Iterable[Sequence[object]], name: str = "numbers.xlsx") -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    book.save(folder / name)
    return folder / name


def zip_of(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return target.getvalue()


def undo_now(number_import: NumberImport, actor: Actor) -> NumberImport:
    """Undo an import while the test waits. Its job must succeed."""
    asked = imports.import_undo(actor=actor, number_import=number_import)
    runner.run(asked.job_id or 0)
    found = NumberImport.objects.select_related("pool", "actor", "job").get(pk=asked.pk)
    assert found.job is not None
    assert found.job.state != Job.State.FAILED, found.job.message
    return found


def totals(found: NumberImport) -> tuple[int, int, int]:
    return found.rows_as_they_are, found.rows_cleaned, found.rows_refused
