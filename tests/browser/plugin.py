"""One Chromium and one console for every browser test of a worker process.

Each is made when the first test needs it, and ends with the session. A test has a context of
its own in that browser (`console.window`). Playwright belongs to one event loop: its tests and
fixtures run in the session's, `pytest.mark.asyncio(loop_scope="session")`.

Files outside this folder: `pytest_plugins = ["tests.browser.plugin"]`.
"""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.console import chromium
from tests.browser.running import Console, running
from tests.support.parts import starts_processes

# Payments that move no money, no second factor for money, and credits by a single operator.
DEMO = {
    "POOLSITE_DEMO": "1",
    "POOLSITE_DEMO_PASSWORD": "unused",
    "POOLSITE_FOUR_EYES_ABOVE": "100000000",
    "POOLSITE_PASSWORD_FRESH_SECONDS": "86400",  # stages log people in once for all files
}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
@starts_processes
async def browser() -> AsyncIterator[Browser]:
    """The worker's Chromium."""
    async with chromium() as started:
        yield started


@pytest.fixture(scope="session")
@starts_processes
def console(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """The worker's console, with what stage.py makes. Files add stages with their own names.

    A test that empties its Redis, ends its server or logs a stored session out has its own console.
    """
    with running(browser, tmp_path_factory.mktemp("console"), **DEMO) as started:
        started.stage("tests.browser.stage")
        yield started
