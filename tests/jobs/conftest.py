"""Kinds and sweeps that exist for one test only, on an empty Redis."""

import pytest

from poolsite import hotpath
from poolsite.jobs import registry


@pytest.fixture(autouse=True)
def registries(monkeypatch: pytest.MonkeyPatch, clean_redis: object) -> None:
    hotpath.reset()
    monkeypatch.setattr(registry, "_KINDS", {})
    monkeypatch.setattr(registry, "_SWEEPS", {})
