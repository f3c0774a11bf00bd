"""Fixtures for the tests of the registries that every app uses.

A folder's conftest imports them.
"""

from collections.abc import Iterator

import pytest

from poolsite import hotpath
from poolsite.access.models import User
from poolsite.console.registry import CARDS, SEARCHES, STATS
from poolsite.operations import checks, health
from poolsite.operations.registry import CHECKS, COLLECTORS, EXAMINATIONS

REGISTRIES = (CARDS, STATS, SEARCHES, COLLECTORS, CHECKS, EXAMINATIONS)


@pytest.fixture(autouse=True)
def fresh(clean_redis: object) -> Iterator[None]:
    """An empty Redis and no cached health answers. What a test registers is removed afterwards."""
    hotpath.reset()
    health.forget()
    checks.forget()
    before = [dict(each) for each in REGISTRIES]
    yield
    for each, entries in zip(REGISTRIES, before, strict=True):
        each.clear()
        each.update(entries)
    hotpath.reset()  # a test may have used another Redis
    health.forget()


@pytest.fixture
def olga(db: object) -> User:
    """An operator's user row. Her rights come from a Principal where a test acts as her."""
    user: User = User.objects.create_user("olga", password="a long password")
    return user
