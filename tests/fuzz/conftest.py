"""The fuzz test's servers, once per worker: a web process with two tenants."""

from collections.abc import Iterator

import pytest

from tests.fuzz.stage import Stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory.mktemp("fuzz"))
    yield stage
    stage.stop()
