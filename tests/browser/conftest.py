"""The windows of this folder's tests: the users who open the console."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.browser.console import PHONE, Window
from tests.browser.running import Console
from tests.support.processes import Process


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin once under its own name: a folder's conftest may not name plugins."""
    config.pluginmanager.import_plugin("tests.browser.plugin")


@pytest_asyncio.fixture(loop_scope="session")
async def operator(console: Console) -> AsyncIterator[Window]:
    """An operator's window, logged in."""
    async with console.window("lin.mei") as shown:
        yield shown


@pytest.fixture(scope="module")
def ticker(console: Console) -> Iterator[Process]:
    """The line's sweeps and drains, next to the console with what line_stage.py makes."""
    console.stage("tests.browser.line_stage")
    with console.program("tests.browser.line_ticker") as process:
        yield process


@pytest.fixture(scope="module")
def line(console: Console, ticker: Process) -> Console:
    """The console with what line_stage.py makes."""
    return console


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(line: Console) -> AsyncIterator[Window]:
    """A visitor's phone."""
    async with line.window(viewport=PHONE) as shown:
        yield shown


@pytest_asyncio.fixture(loop_scope="session")
async def agent(line: Console) -> AsyncIterator[Window]:
    """An agent's window without a log-in."""
    async with line.window() as shown:
        yield shown


@pytest_asyncio.fixture(loop_scope="session")
async def supervisor(line: Console) -> AsyncIterator[Window]:
    """A supervisor's window, logged in."""
    async with line.window("zhao.min") as shown:
        yield shown
