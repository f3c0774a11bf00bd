"""The console shows within 5 s that a process of the platform no longer responds."""

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import PATIENCE_MS, Window
from tests.browser.running import Console, running
from tests.support.processes import Process, end
from tests.support.waiting import patient

pytestmark = [
    pytest.mark.prove,
    pytest.mark.alone,  # it measures the console in seconds
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

TOLD_SECONDS = 5.0
PROCESSES = {
    "timers": ("manage", "timers"),
    "worker": ("celery", "-A", "poolsite", "worker", "-c", "1", "-l", "WARNING"),
    "beat": ("celery", "-A", "poolsite", "beat", "--pidfile=", "-s", "/dev/null"),
}
Processes = dict[str, Process]


@pytest.fixture
def platform(browser: Browser, tmp_path: Path) -> Iterator[tuple[Console, Processes]]:
    """A console and every other process of the platform, all running."""
    with running(browser, tmp_path) as console, ExitStack() as stack:
        console.stage("tests.browser.first_stage", "operator")
        started: Processes = {}
        for name, words in PROCESSES.items():
            started[name] = console.site.start(tmp_path / f"{name}.log", *words)
            stack.callback(end, started[name])
        assert console.redis.process is not None
        yield console, started | {"redis": console.redis.process}


async def test_whatever_falls_silent_is_told_within_five_seconds_and_so_is_its_return(
    platform: tuple[Console, Processes],
) -> None:
    console, processes = platform
    async with console.window("first") as shown:
        await shown.go_live("/overview/")
        well = shown.page.locator("[data-attention-well]")
        await expect(well).to_be_visible(timeout=2 * PATIENCE_MS)  # three processes start
        for name, title in {
            "worker": "No workers are running",
            "beat": "The scheduler is not running",
            "timers": re.compile("No timers process serves 8 of 8 shards|No timers are running"),
            "redis": "Redis can't be reached",
        }.items():
            with silent(processes[name]):
                await told(shown, title)
            await told_to_be_well(shown)
        with console.redis.client() as client:
            client.config_set("maxmemory", "1")
            await told(shown, "Redis refuses writes")
            client.config_set("maxmemory", "0")
        await told_to_be_well(shown)


@contextmanager
def silent(process: Process) -> Iterator[None]:
    """Stop the process without ending it: its end notifies no other process."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


async def told(shown: Window, title: str | re.Pattern[str]) -> None:
    row = shown.page.locator("[data-cause^='health.'] .attention__title")
    await expect(row).to_have_text(title, timeout=1_000 * patient(TOLD_SECONDS))
    await expect(shown.page.locator("[data-attention-well]")).to_be_hidden()


async def told_to_be_well(shown: Window) -> None:
    await expect(shown.page.locator("[data-cause^='health.']")).to_have_count(0)
    await expect(shown.page.locator("[data-attention-well]")).to_be_visible()
