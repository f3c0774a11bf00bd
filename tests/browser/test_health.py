"""Number health in the browser: the map, the worst numbers, undo, rules and labels."""

import pytest
from playwright.async_api import expect

from tests.browser.health_stage import POOL
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

PAGE = f"/pools/{POOL}/health/"


@pytest.fixture
def numbers(console: Console) -> list[str]:
    console.stage("tests.browser.stage")
    told: list[str] = console.stage("tests.browser.health_stage")["numbers"]
    return told


async def test_an_operator_undoes_what_a_rule_did(console: Console, numbers: list[str]) -> None:
    async with console.window("lin.mei") as shown:
        await shown.go(PAGE)
        cells = shown.page.locator(".heat-grid .heat")
        assert await cells.count() > 100
        assert await cells.first.get_attribute("data-heat") == "0"
        undo = shown.page.get_by_role("button", name="Undo")
        before = await undo.count()
        assert before > 0
        async with shown.page.expect_navigation():
            await undo.first.click()
        await expect(shown.page.get_by_role("button", name="Undo")).to_have_count(before - 1)
        await shown.page.get_by_role("link", name="7 d", exact=True).click()
        await expect(shown.page.locator(".segments [aria-current=true]")).to_have_text("7 d")


async def test_the_threshold_follows_the_measure(console: Console, numbers: list[str]) -> None:
    async with console.window("lin.mei") as shown:
        await shown.go(f"{PAGE}rules/new/")
        page = shown.page
        for measure, its in (
            ("asr", "percent"),
            ("mean_duration", "talk_seconds"),
            ("spam_sources", "sources"),
        ):
            await page.select_option("[name=measure]", measure)
            for name in ("percent", "talk_seconds", "sources"):
                await expect(page.locator(f"[name={name}]")).to_be_visible(visible=name == its)
        await expect(page.locator("[name=direction]")).to_be_hidden()
        await expect(page.locator("[name=least_calls]")).to_be_hidden()
