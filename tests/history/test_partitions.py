"""Events by month on PostgreSQL: partitions created during writes, moved, dropped and merged."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from environ import Env

from numbers.models import Pool, PoolEvent
from numbers.services.history_source import POOL_HISTORY
from poolsite import history
from poolsite.access.models import Account
from poolsite.history import partitioning, partitions, retention
from poolsite.history.models import HistoryEntry
from poolsite.history.partitioning import PartitionByMonth
from poolsite.history.services import HistoryConflictError, insert_rows
from poolsite.moments import us_of
from tests.support.connecting import connected_to
from tests.support.migrating import migrate_forward
from tests.support.postgres import PostgresServer

pytestmark = [pytest.mark.processes, pytest.mark.needs("postgres")]

TABLE = "numbers_poolevent"
PARTITIONED, PLAIN = ("numbers", "0008_months"), ("numbers", "0007_wording")


def event_models() -> list[type[HistoryEntry]]:
    """Return the product's event models."""
    return [model for model in HistoryEntry.__subclasses__() if model.__module__[:5] != "tests"]


def partition_anew(model: type[HistoryEntry]) -> None:
    """Run the migration's operation backwards and forwards. The executor would take seconds."""
    label, state = model._meta.app_label, SimpleNamespace(apps=apps)
    operation = PartitionByMonth(model._meta.model_name or "")
    with connection.schema_editor(atomic=False) as editor:
        operation.database_backwards(label, editor, state, state)
    with connection.schema_editor(atomic=False) as editor:
        operation.database_forwards(label, editor, state, state)


@pytest.fixture
def database(postgres_server: PostgresServer, django_db_blocker: Any) -> Iterator[str]:
    """The URL of a separate migrated database, to which the default connection points.

    Its months start now: the databases that tests copy may have been made in another month.
    """
    url = postgres_server.create_database()
    with django_db_blocker.unblock(), connected_to(Env.db_url_config(url)):
        for model in event_models():
            partition_anew(model)
        yield url


@pytest.fixture
def pool(database: str) -> Pool:
    account = Account.objects.create(name="North", slug="north")
    return Pool.objects.create(account=account, name="Lines", slug="lines")


def write(pool: Pool, *moments: datetime, first: int = 1) -> int:
    """Write an event for each moment, as the drain does."""
    entries = [
        (history.StreamEntry(seq, us_of(moment), {}), {"event": "call", "number": "100"})
        for seq, moment in enumerate(moments, first)
    ]
    with transaction.atomic():
        return insert_rows(PoolEvent, pool.pk, 1, entries)


def rows_of(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT count(*) FROM "{table}"')
        return int(cursor.fetchone()[0])


def known(model: Any = PoolEvent) -> partitions.Partitions:
    found = partitions.partitions_of(model)
    assert found is not None
    return found


def month(months_later: int) -> datetime:
    """Return the middle of a month; 0 is the current month."""
    this = partitions.month_of(timezone.now()).later(months_later)
    return datetime.fromtimestamp(this.first_us / 1e6, UTC) + timedelta(days=14)


def name_of(months_later: int) -> str:
    return f"{TABLE}_{month(months_later):%Y_%m}"


def constraints() -> dict[str, Any]:
    """Return the table's indexes and constraints as Django sees them.

    The time column is left out of unique keys.
    """
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, TABLE)
    return {
        name: [column for column in one["columns"] if column != "at_us" or not one["unique"]]
        for name, one in found.items()
    }


# -- from day to day ----------------------------------------------------------------------------


def test_every_table_of_events_has_this_month_and_the_next_two(database: str) -> None:
    assert len(event_models()) == 4
    for model in event_models():
        suffixes = [name[-7:] for name in known(model).months]
        assert suffixes == [f"{month(n):%Y_%m}" for n in range(3)], model


def test_events_lie_in_their_month_and_are_there_once(pool: Pool) -> None:
    assert write(pool, month(-5), month(0), month(1), month(9)) == 4
    assert [rows_of(f"{TABLE}_{part}") for part in ("before", "rest")] == [1, 1]
    assert [rows_of(name_of(n)) for n in range(3)] == [1, 1, 0]
    assert write(pool, month(-5), month(0), month(1), month(9)) == 0
    with pytest.raises(HistoryConflictError):
        write(pool, month(0), first=1)
    with pytest.raises(IntegrityError):
        PoolEvent.objects.create(aggregate=pool, generation=1, seq=2, at_us=us_of(month(0)))
    assert list(PoolEvent.objects.order_by("pk").values_list("seq", flat=True)) == [1, 2, 3, 4]


def test_events_of_a_month_that_nobody_made_move_into_it(pool: Pool) -> None:
    write(pool, month(8), month(9), month(9), month(9), month(30))
    assert rows_of(f"{TABLE}_rest") == 5
    assert partitions.make_months(PoolEvent, known(), month(8)) == 3
    assert [rows_of(name_of(n)) for n in (8, 9, 10)] == [1, 3, 0]
    assert rows_of(f"{TABLE}_rest") == 1
    assert partitions.make_months(PoolEvent, known(), month(8)) == 0
    assert PoolEvent.objects.count() == 5


def test_a_month_goes_when_all_of_it_has_expired_and_what_was_before_row_by_row(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CALLS_KEEP_DAYS = 70
    monkeypatch.setattr(retention, "sources", lambda: [POOL_HISTORY])
    write(pool, *[month(-3)] * 5, *[month(0)] * 4, *[month(1)] * 3)
    assert retention.delete_expired() == {"rows": 5, "months": 0}
    early, late = month(2), month(3)
    monkeypatch.setattr(timezone, "now", lambda: early)
    assert retention.delete_expired() == {"rows": 0, "months": 0}
    monkeypatch.setattr(timezone, "now", lambda: late)
    assert retention.delete_expired() == {"rows": 0, "months": 1}
    assert PoolEvent.objects.count() == 3
    assert list(known().months) == [name_of(n) for n in range(-2, 3)]


def test_events_that_are_kept_for_days_go_row_by_row(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CALLS_KEEP_DAYS = 7
    monkeypatch.setattr(retention, "sources", lambda: [POOL_HISTORY])
    now = month(0)
    monkeypatch.setattr(timezone, "now", lambda: now)
    write(pool, *[now - timedelta(days=8)] * 4, *[now] * 3)
    assert retention.delete_expired() == {"rows": 4, "months": 0}
    assert PoolEvent.objects.count() == 3


def test_who_reads_for_long_holds_up_neither_the_sweep_nor_the_drain(
    pool: Pool, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "LOCK_SECONDS", 0.01)
    with psycopg.connect(database) as reader:
        reader.execute(f"SELECT count(*) FROM {TABLE}")
        assert partitions.drop_months(PoolEvent, known(), us_of(month(9))) == 0
        assert partitions.make_months(PoolEvent, known(), month(8)) == 0
        assert write(pool, month(0)) == 1
    assert partitions.drop_months(PoolEvent, known(), us_of(month(9))) == 3
    assert partitions.make_months(PoolEvent, known(), month(8)) == 3


# -- the migration ------------------------------------------------------------------------------


def migrate_to(target: tuple[str, str]) -> None:
    MigrationExecutor(connection).migrate([target])


def test_a_table_with_events_becomes_the_first_partition_while_events_are_written(
    pool: Pool, database: str
) -> None:
    migrate_to(PLAIN)
    assert partitions.partitions_of(PoolEvent) is None
    before = constraints()
    write(pool, *[month(-6), month(0)] * 500)
    over, written = threading.Event(), []

    def go_on() -> None:
        """Write events like another process of the former release."""
        columns = "aggregate_id, generation, seq, at_us, event, number, state_before, state_after"
        more = "call_id, switch, agent, callee, direction, reason, detail"
        texts = ", ".join(["''"] * 8)
        with psycopg.connect(database, autocommit=True) as other:
            while not over.is_set() or len(written) < 10:
                seq = 10_001 + len(written)
                other.execute(
                    f"INSERT INTO {TABLE} ({columns}, {more}) VALUES "
                    f"({pool.pk}, 1, {seq}, {us_of(month(0))}, 'call', '1', {texts}, '{{}}')"
                )
                written.append(seq)

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        migrate_forward()
    finally:
        over.set()
        writer.join()
    assert rows_of(TABLE) == rows_of(f"{TABLE}_before") == 1_000 + len(written)
    assert constraints() == before
    assert list(known().months) == [name_of(2)]  # the table itself takes this month and the next
    assert write(pool, month(0), month(2), first=20_001) == 2
    assert rows_of(name_of(2)) == 1
    keys = set(PoolEvent.objects.values_list("pk", flat=True))
    assert len(keys) == 1_002 + len(written)
    assert partitions.make_months(PoolEvent, known(), month(1)) == 1


def test_a_migration_that_was_cut_off_is_repeated(pool: Pool) -> None:
    migrate_to(PLAIN)
    write(pool, month(0))
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {TABLE} ADD CONSTRAINT {TABLE}_month CHECK (at_us > 0)")
        cursor.execute(f"CREATE UNIQUE INDEX {TABLE}_pkey_before ON {TABLE} (id, at_us)")
    migrate_forward()
    assert rows_of(f"{TABLE}_before") == 1
    assert f"{TABLE}_month" not in constraints()


def test_a_migration_gives_way_to_who_reads_for_long(
    pool: Pool, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate_to(PLAIN)
    write(pool, month(0))
    monkeypatch.setattr(partitions, "LOCK_SECONDS", 0.01)
    monkeypatch.setattr(partitioning, "ATTEMPTS", 1)
    with psycopg.connect(database) as reader:
        reader.execute(f"SELECT count(*) FROM {TABLE}")
        with pytest.raises(OperationalError, match="lock timeout"):
            migrate_forward()
        assert write(pool, month(0), first=2) == 1
    migrate_forward()
    assert rows_of(f"{TABLE}_before") == 2


def test_the_way_back_has_one_table_with_all_events_and_the_key_that_it_had(pool: Pool) -> None:
    write(pool, month(-3), month(0), month(1), month(12))
    with_months = constraints()
    migrate_to(PLAIN)
    assert rows_of(TABLE) == 4
    assert constraints() == with_months
    assert write(pool, month(0), first=5) == 1
    with pytest.raises(IntegrityError):
        PoolEvent.objects.create(aggregate=pool, generation=1, seq=5, at_us=1)
    migrate_to(PARTITIONED)
    assert rows_of(f"{TABLE}_before") == 5
    assert list(known().months) == []  # none before the month after the latest event
