"""A queue's forecast in the browser: the figures of a day, a what-if, charts, the file."""

from datetime import date

import pytest

from tests.browser.console import DESKTOP, PHONE, Window
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


async def _a_workday(shown: Window) -> str:
    """Return a day of the list between Monday and Friday. The stage has several such days."""
    options = shown.page.locator("#f-day option")
    days = [await each.get_attribute("value") or "" for each in await options.all()]
    return next(day for day in days[1:] if date.fromisoformat(day).weekday() < 5)


async def test_a_forecast_tells_the_agents_needed_and_what_some_would_reach(
    supervisor: Window,
) -> None:
    await supervisor.go("/desks/care/reports/")
    await supervisor.page.get_by_role("link", name="Forecast").click()
    await supervisor.page.wait_for_selector("#f-day")
    await supervisor.page.select_option("#f-queue", "help")
    await supervisor.page.select_option("#f-day", await _a_workday(supervisor))
    await supervisor.page.fill("#f-agents", "3")
    await supervisor.page.get_by_role("button", name="Show").click()
    await supervisor.page.wait_for_selector("[data-asked]")
    await supervisor.page.wait_for_selector("[data-charts] canvas")
    assert "agents=3" in supervisor.page.url
    await supervisor.page.wait_for_selector("th:has-text('With 3 agents')")
    await supervisor.page.click("[data-chart-table]")
    await supervisor.page.wait_for_selector("[data-charts] .chart__table table")
    async with supervisor.page.expect_download() as coming:
        await supervisor.page.get_by_role("link", name="Export").click()
    path = await (await coming.value).path()
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("queue,from,until,visitors")
    rows = supervisor.page.locator("[aria-labelledby=rows-title] tbody tr")
    assert len(lines) == 1 + await rows.count()


async def test_the_forecast_is_for_everybody_on_every_screen(line: Console) -> None:
    async with line.window("chen.li") as shown:
        await shown.go("/desks/care/forecast/")
        day = await _a_workday(shown)
        for size in (PHONE, DESKTOP):
            await shown.page.set_viewport_size(size)
            await shown.go(f"/desks/care/forecast/?queue=help&agents=2&day={day}")
            await shown.page.wait_for_selector("[data-charts] canvas")
            assert await shown.overflow() == []
            assert await shown.violations() == []
