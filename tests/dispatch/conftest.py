"""A worker's stage for process tests: two web processes, a keeper, a group for each test."""

from collections.abc import Iterator

import pytest

from tests.dispatch.stage import PATIENT, QUICK, Stage
from tests.live.servers import WebServer
from tests.support.parts import starts_processes


@pytest.fixture(scope="session")
@starts_processes
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A stage with its own database and Redis."""
    made = Stage.start(tmp_path_factory.mktemp("dispatch"))
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def web(stage: Stage) -> WebServer:
    """One web process, uvicorn."""
    return stage.web()


@pytest.fixture(scope="session")
def other_web(stage: Stage) -> WebServer:
    """Another web process, daphne."""
    return stage.web("daphne")


@pytest.fixture
def quick(stage: Stage) -> Iterator[str]:
    """A group whose heartbeat is 1 s, whose peers are pending after 2 s and stopped 3 s later.

    On a busy machine these times are longer.
    """
    with stage.group(**QUICK) as slug:
        yield slug


@pytest.fixture
def patient(stage: Stage) -> Iterator[str]:
    """A group like `quick`, with a disconnect timer of a minute."""
    with stage.group(**PATIENT) as slug:
        yield slug
