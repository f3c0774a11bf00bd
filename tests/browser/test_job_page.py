"""The page of a job: live while the job runs, which can be stopped there."""

import pytest
from playwright.async_api import expect

from tests.browser.console import Window
from tests.browser.import_stage import POOL
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_the_page_of_a_job_follows_it_and_stops_it(
    console: Console, operator: Window
) -> None:
    console.stage("tests.browser.import_stage")
    page = operator.page
    await operator.go(f"/numbers/?panel=new&pool={POOL}")
    file = {"name": "new.csv", "mimeType": "text/csv", "buffer": b"13978000024\n"}
    await page.set_input_files("#import-file", file)
    await operator.send("text=Upload file")
    job = await page.locator("[data-progress]").get_attribute("data-progress")  # no worker takes it
    await operator.go(f"/jobs/{job}/")
    async with console.window("lin.mei", locale="zh-CN") as chinese:
        await chinese.go(f"/jobs/{job}/")
        await page.click("[data-progress-cancel]")
        await page.click("[data-ask] [data-ask-go]")
        for shown, word in ((page, "Cancelled"), (chinese.page, "已取消")):
            await expect(shown.locator(".topbar .chip")).to_have_text(word)
            await expect(shown.locator("[data-progress-cancel]")).to_have_count(0)
    assert await operator.violations() == []
