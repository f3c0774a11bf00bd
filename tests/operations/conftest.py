"""An empty Redis, forgotten health answers, and people to ask as."""

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model

from poolsite import hotpath
from poolsite.console.registry import CARDS, SEARCHES, STATS
from poolsite.operations import checks, health
from poolsite.operations.registry import CHECKS, COLLECTORS, EXAMINATIONS

REGISTRIES = (CARDS, STATS, SEARCHES, COLLECTORS, CHECKS, EXAMINATIONS)


@pytest.fixture(autouse=True)
def fresh(clean_redis: object) -> Iterator[None]:
    hotpath.reset()
    health.forget()
    checks.forget()
    before = [dict(each) for each in REGISTRIES]
    yield
    for each, entries in zip(REGISTRIES, before, strict=True):
        each.clear()
        each.update(entries)
    hotpath.reset()  # a test may have been on another Redis
    health.forget()


@pytest.fixture
def olga(db):
    """An operator's user row; rights come from a Principal where a test asks as her."""
    return get_user_model().objects.create_user("olga", password="a long password")
