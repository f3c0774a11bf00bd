"""An empty Redis, forgotten health answers, and people to ask as."""

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model

from poolsite import hotpath
from poolsite.operations import checks, health, registry

REGISTRIES = ("CARDS", "STATS", "SEARCHES", "COLLECTORS", "CHECKS", "EXAMINATIONS")


@pytest.fixture(autouse=True)
def fresh(clean_redis: object) -> Iterator[None]:
    hotpath.reset()
    health.forget()
    checks.forget()
    known = [getattr(registry, name) for name in REGISTRIES]
    before = [dict(each) for each in known]
    yield
    for each, entries in zip(known, before, strict=True):
        each.clear()
        each.update(entries)
    hotpath.reset()  # a test may have been on another Redis
    health.forget()


@pytest.fixture
def olga(db):
    """An operator's user row; rights come from a Principal where a test asks as her."""
    return get_user_model().objects.create_user("olga", password="a long password")
