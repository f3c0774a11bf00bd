"""A program for one step of rows 14, 16 and 17: in its own process, its memory can be measured.

fill <slug> <count>     a pool with `count` numbers, by COPY; Redis is filled from them
list <slug> <requests>  median ms of the admin's pages
rebuild <slug>          delete the pool's Redis data and rebuild it from SQL
import <slug> <file>    import a CSV file by the steps of the browser
copy <slug> <file>      COPY of the same rows, rolled back
calls <slug>            what the pool's history in SQL holds

The last line printed is a JSON object of figures.
"""

import csv
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import django

AREAS = ("Shanghai", "Nanjing", "Suzhou", "Wuxi", "Hangzhou")
FIRST = 13_000_000_000
PAGES = {
    "first page": "",
    "searched": "?q=1300000",
    "by region": "?region_is=Wuxi",
    "not quarantined": "?held=0",
}


def peak_mb() -> float:
    """Return the largest resident size that this process has had, in MB."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _pool(slug: str) -> Any:
    from numbers.models import Pool

    return Pool.objects.get(slug=slug)


def other_columns() -> list[str]:
    """Return the columns that are the same for every row. The server generates the key."""
    from numbers.models import Number

    told = {"id", "pool_id", "value", "canonical", "label", "region"}
    return [field.attname for field in Number._meta.concrete_fields if field.attname not in told]


def _copy_rows(pool_id: int, rows: list[tuple[str, str, str]]) -> None:
    from django.db import connection

    from numbers.models import Number

    connection.ensure_connection()
    names = other_columns()
    number = Number(is_up=True)
    others = [getattr(number, name) for name in names]
    columns = ", ".join(("pool_id", "value", "canonical", "label", "region", *names))
    statement = f"COPY numbers_number ({columns}) FROM STDIN"
    with connection.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for value, label, region in rows:
            copy.write_row((pool_id, value, value, label, region, *others))


def fill(slug: str, count: str) -> dict[str, Any]:
    """Make the pool; every number is registered."""
    from django.db import connection

    from numbers import services
    from numbers.services.rebuilding import load_all
    from poolsite.access import services as people

    people.user_create(username="root", email="root@example.com", is_operator=True, actor="bench")
    pool = services.pool_create(actor="bench", slug=slug)
    for start in range(0, int(count), 50_000):
        rows = [
            (str(FIRST + n), f"line {n}", AREAS[n % len(AREAS)])
            for n in range(start, min(start + 50_000, int(count)))
        ]
        _copy_rows(pool.pk, rows)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE numbers_number")
    return {"put": load_all(pool)}


def list_pages(slug: str, requests: str) -> dict[str, Any]:
    """Open each of the admin's pages `requests` times. Every page must show 50 rows."""
    from django.test import Client

    from poolsite.access.models import User

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="root"))
    figures = {}
    for name, query in PAGES.items():
        taken = []
        for turn in range(int(requests) + 5):
            begun = time.perf_counter()
            answer = client.get(f"/admin/numbers/number/{query}")
            seconds = time.perf_counter() - begun
            assert answer.status_code == 200, (name, answer.status_code)
            assert answer.content.count(b"data-state=") >= 50, name
            if turn >= 5:
                taken.append(seconds * 1000)
        figures[name] = median(taken)
    return figures


def rebuild(slug: str) -> dict[str, Any]:
    """Delete the pool's keys and let the real service rebuild them."""
    from numbers.models import Number
    from numbers.services import pool_rebuild
    from poolsite import hotpath

    pool = _pool(slug)
    redis = hotpath.client()
    keys = list(redis.scan_iter(match=f"{pool.tag}*", count=1_000))
    redis.unlink(*keys)
    begun = time.perf_counter()
    done = pool_rebuild(pool, "bench", pool.generation)
    seconds = time.perf_counter() - begun
    numbers = redis.hlen(f"{pool.tag}:numstate")
    ready = redis.zcard(f"{pool.tag}:idle:up")
    assert done
    assert numbers == ready == Number.objects.filter(pool=pool).count(), (numbers, ready)
    return {"seconds": seconds, "numbers": numbers}


def import_file(slug: str, path: str) -> dict[str, Any]:
    """Upload, preview and confirm. Afterwards the numbers are in SQL and in Redis."""
    from numbers.services import imports
    from poolsite import hotpath

    pool = _pool(slug)
    before = hotpath.client().hlen(f"{pool.tag}:numstate")
    begun = time.perf_counter()
    found = imports.import_now(pool, Path(path), "bench")
    seconds = time.perf_counter() - begun
    added = hotpath.client().hlen(f"{pool.tag}:numstate") - before
    assert found.imported == added == found.rows, (found.imported, added, found.rows)
    return {"seconds": seconds, "imported": found.imported}


def copy_file(slug: str, path: str) -> dict[str, Any]:
    """COPY the same rows into the same table, and roll back."""
    from django.db import transaction

    pool = _pool(slug)
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = [(number, label, "") for number, label in list(csv.reader(file))[1:]]
    with transaction.atomic():
        begun = time.perf_counter()
        _copy_rows(pool.pk, rows)
        seconds = time.perf_counter() - begun
        transaction.set_rollback(True)
    return {"seconds": seconds, "copied": len(rows)}


def calls(slug: str) -> dict[str, Any]:
    """Count the pool's history (without gaps it has as many events as it spans), and its size."""
    from django.db import connection
    from django.db.models import Count, Max, Min, Q

    from numbers.models import CallRecord, PoolEvent
    from poolsite.history.models import Cursor, GapRecord

    pool = _pool(slug)
    events = PoolEvent.objects.filter(aggregate=pool).aggregate(
        events=Count("pk"),
        first=Min("seq"),
        last=Max("seq"),
        calls=Count("pk", filter=Q(event="call")),
    )
    records = CallRecord.objects.filter(pool=pool)
    with connection.cursor() as cursor:
        tables = [model._meta.db_table for model in (PoolEvent, CallRecord)]
        cursor.execute(
            "SELECT sum(pg_total_relation_size(part)) FROM unnest(%s::text[]) t, "
            "LATERAL (SELECT t::regclass UNION SELECT relid FROM pg_partition_tree(t)) parts(part)",
            [tables],
        )
        size = int(cursor.fetchone()[0])
    return {
        "bytes": size,
        **events,
        "records": records.count(),
        "open": records.filter(ended_at=None).count(),
        "gaps": GapRecord.objects.filter(tag=pool.tag).count(),
        "cursor": Cursor.objects.get(tag=pool.tag).seq,
    }


STEPS: dict[str, Callable[..., dict[str, Any]]] = {
    "fill": fill,
    "list": list_pages,
    "rebuild": rebuild,
    "import": import_file,
    "copy": copy_file,
    "calls": calls,
}

if __name__ == "__main__":
    django.setup()
    found = STEPS[sys.argv[1]](*sys.argv[2:])
    print(json.dumps(found | {"peak_mb": peak_mb()}))
