"""SQL answers but refuses writes: history waits, health states why, and nothing is lost."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import DatabaseError, OperationalError, connection

from poolsite import hotpath
from poolsite.history import refusals, tasks
from poolsite.operations import checks
from poolsite.operations.models import Incident
from tests.history import ledger

ENTRIES = 2_000


@contextmanager
def takes_nothing() -> Iterator[None]:
    """Keep SQLite from growing by a page, as on a full disk, or make PostgreSQL read-only."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("VACUUM")  # empty pages that earlier tests left would be free space
            cursor.execute("PRAGMA page_count")
            (pages,) = cursor.fetchone()
            cursor.execute(f"PRAGMA max_page_count = {pages}")
        else:
            cursor.execute("SET default_transaction_read_only = on")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("PRAGMA max_page_count = 1073741823")
            else:
                cursor.execute("SET default_transaction_read_only = off")


def test_what_a_full_disk_refuses_waits_and_health_says_what_to_do(aggregate):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, ENTRIES)
    with takes_nothing():
        assert tasks.drain_all(0, 1)["failed"] == 1
    assert ledger.rows(aggregate) == []
    assert hotpath.client().xlen("{t1}:log") == ENTRIES
    trouble = checks.history().trouble
    assert trouble is not None
    assert (trouble.severity, trouble.title) == ("critical", "SQL refuses writes")
    assert trouble.remedy.startswith("Free disk space")
    assert trouble.params["reason"] == refusals.reason() != ""
    assert not Incident.objects.filter(type="history.fault").exists()  # not the entries' fault


def test_when_there_is_room_again_all_is_written_once_and_the_mark_goes_by_itself(aggregate):
    ledger.begin(aggregate.tag)
    ledger.append(aggregate.tag, ENTRIES)
    with takes_nothing():
        tasks.drain_all(0, 1)
    assert 0 < hotpath.client().ttl(refusals.KEY) <= refusals.KEPT_SECONDS
    assert tasks.drain_all(0, 1)["entries"] == ENTRIES
    assert [seq for _, seq, _ in ledger.rows(aggregate)] == list(range(1, ENTRIES + 1))
    hotpath.client().delete(refusals.KEY)  # it has expired
    assert checks.history().trouble is None


@pytest.mark.parametrize("error", [DatabaseError("x"), OperationalError("x"), ValueError("x")])
def test_other_errors_leave_no_mark(source, error):
    assert not refusals.note(error)
    assert refusals.reason() == ""
