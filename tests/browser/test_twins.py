"""An operator reviews duplicates: keeps one spelling, removes another, merges the rest at once."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.console import PHONE, Window
from tests.browser.running import Console
from tests.browser.twin_stage import LINES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


async def answer_question(page: Page, reason: str, go: str) -> None:
    """Give a reason, and press the button. The page reloads when it is done."""
    dialog = page.locator("[data-ask]")
    await dialog.locator("[data-ask-reason]").fill(reason)
    await expect(dialog.locator("[data-ask-go]")).to_have_text(go)
    async with page.expect_navigation():
        await dialog.locator("[data-ask-go]").click()


async def test_the_page_fits_a_phone(console: Console) -> None:
    console.stage("tests.browser.twin_stage")
    async with console.window("lin.mei", viewport=PHONE) as shown:
        await shown.go("/numbers/twins/")
        assert await shown.overflow() == []


async def test_duplicates_are_kept_removed_and_merged(console: Console, operator: Window) -> None:
    page = operator.page
    await operator.go("/numbers/")
    await page.get_by_role("link", name="Review duplicates").click()
    groups = page.locator("[data-twins] tbody")
    await expect(groups).to_have_count(LINES)
    assert await operator.violations() == []

    # keep the spelling that was quarantined
    row = page.locator("tr[data-stored='8613977000000']")
    await row.get_by_role("button", name="Keep…").click()
    await answer_question(page, "this one is printed", "Keep and merge")
    await expect(page.get_by_text("Duplicates merged into 8613977000000.")).to_be_visible()
    await expect(groups).to_have_count(LINES - 1)

    # a number in a call stays
    row = page.locator("tr[data-stored='+8613977000001']")
    await row.get_by_role("button", name="Remove…").click()
    await answer_question(page, "not ours", "Remove")
    await expect(page.get_by_text("+8613977000001 is in a call.")).to_be_visible()

    # the rest at once
    await page.get_by_role("button", name="Merge all…").click()
    await answer_question(page, "clean up", "Merge all")
    await expect(page.get_by_text("No duplicates")).to_be_visible()
