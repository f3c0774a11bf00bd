"""Who looks at the console in the tests of this folder."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.browser.console import PHONE, Window
from tests.browser.running import Console
from tests.support.processes import Process


def pytest_configure(config: pytest.Config) -> None:
    """A conftest of a folder may not name plugins; under its own name one is registered once."""
    config.pluginmanager.import_plugin("tests.browser.plugin")


@pytest_asyncio.fixture(loop_scope="session")
async def operator(console: Console) -> AsyncIterator[Window]:
    """An operator's window, logged in."""
    async with console.window("lin.mei") as shown:
        yield shown


@pytest.fixture(scope="module")
def ticker(console: Console) -> Iterator[Process]:
    """The line's sweeps and drains, beside the console with what line_stage.py makes."""
    console.stage("tests.browser.line_stage")
    with console.program("tests.browser.line_ticker") as process:
        yield process


@pytest.fixture(scope="module")
def line(console: Console, ticker: Process) -> Console:
    """That console."""
    return console


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(line: Console) -> AsyncIterator[Window]:
    """A visitor's phone."""
    async with line.window(viewport=PHONE) as shown:
        yield shown


@pytest_asyncio.fixture(loop_scope="session")
async def agent(line: Console) -> AsyncIterator[Window]:
    """An agent's window; nobody has logged in yet."""
    async with line.window() as shown:
        yield shown


@pytest_asyncio.fixture(loop_scope="session")
async def supervisor(line: Console) -> AsyncIterator[Window]:
    """A supervisor's window, logged in."""
    async with line.window("zhao.min") as shown:
        yield shown
