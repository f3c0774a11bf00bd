"""A table for the tests of the drain, and an aggregate to drain."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from poolsite import history, hotpath
from tests.history import ledger


@pytest.fixture(scope="session")
def ledger_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock():
        ledger.create_table()


@pytest.fixture
def source(
    ledger_table: None, transactional_db: None, clean_redis: object
) -> Iterator[ledger.LedgerSource]:
    """A registered source with one aggregate, `{t1}`, on an empty Redis and an empty table."""
    hotpath.reset()
    ledger.LedgerRow.objects.all().delete()
    with ledger.registered(ledger.LedgerSource([history.Aggregate("{t1}", 1)])) as registered:
        yield registered


@pytest.fixture
def aggregate(source: ledger.LedgerSource) -> history.Aggregate:
    return source.known[0]
