"""A visitor returns: outcome, note and more time after a room, then the history next to it."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.console import Window
from tests.browser.line_windows import PATIENCE_MS, go_online, view
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
ROOM = "[data-room]"
OF_120 = "/ of 120 s left/.test(document.querySelector('.wrap__title')?.textContent)"
OF_150 = "/ of 150 s left/.test(document.querySelector('.wrap__title')?.textContent)"


async def comes(visitor: Window, queue: str, name: str) -> None:
    await visitor.go(f"/q/{queue}/")
    await visitor.page.fill("#visit-name", name)
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")


async def says(visitor: Window, agent: Page, text: str) -> None:
    await visitor.page.fill("#say", text)
    await visitor.page.keyboard.press("Enter")
    said = agent.locator(f"{ROOM} .talk__list .talk__row--theirs .talk__words", has_text=text)
    await said.wait_for(timeout=PATIENCE_MS)


async def end_room(agent: Window) -> None:
    await agent.page.get_by_role("button", name="End room").first.click()
    await agent.page.click("[data-ask-go]")
    await agent.page.wait_for_selector(".wrap-panel", timeout=PATIENCE_MS)


async def test_a_wrap_up_is_prolonged_everywhere_and_the_next_agent_knows_the_visitor(
    visitor: Window, agent: Window
) -> None:
    await go_online(agent, "song.yu")
    await comes(visitor, "again", "Ines")
    await says(visitor, agent.page, "Where is <i>my</i> parcel?")
    assert await agent.page.locator(".context").is_hidden()  # this browser has no history yet
    await end_room(agent)
    await agent.until(OF_120)
    second = await agent.page.context.new_page()
    other = Window(second, agent.base)
    await other.go("/agent/")
    await second.wait_for_selector(".wrap-panel", timeout=PATIENCE_MS)
    await agent.page.get_by_label("Needs follow-up").check()
    await agent.shows(".wrap__said", "Saved")
    await agent.page.get_by_role("button", name="Add 30 seconds").click()
    await agent.until(OF_150)
    await other.until(
        "Number(/: (\\d+) s of/.exec(document.querySelector('.wrap__title').textContent)[1]) > 120"
    )
    await second.close()
    await agent.page.get_by_label("Note for the next agent").fill("Wants receipts by mail.")
    assert await agent.violations() == []
    await agent.page.reload()  # the tab still knows whose wrap-up it is, and what was typed
    field = agent.page.get_by_label("Note for the next agent")
    await expect(field).to_have_value("Wants receipts by mail.", timeout=PATIENCE_MS)
    await agent.page.keyboard.press("f")
    await expect(agent.page.locator(".wrap-panel")).to_have_count(0, timeout=PATIENCE_MS)

    await view(visitor.page, "ended")
    await visitor.page.evaluate("localStorage.removeItem('poolsite:visit:again')")
    await comes(visitor, "again", "Someone else")
    head = agent.page.locator(".context__head")
    await expect(head).to_contain_text("1 earlier visit", timeout=PATIENCE_MS)
    await agent.contains(".context__visit", "Needs follow-up")
    await agent.contains(".context__note", "Wants receipts by mail.")
    assert await agent.violations() == []
    await agent.page.click(".context__visit")
    await agent.shows("#earlier-visit .talk__words", "Where is <i>my</i> parcel?")
    assert await agent.violations() == []
    await agent.page.keyboard.press("Escape")
    await end_room(agent)
    await agent.page.keyboard.press("f")
    await expect(agent.page.locator(".wrap-panel")).to_have_count(0, timeout=PATIENCE_MS)


async def test_an_agent_finds_an_own_room_by_what_was_said_there(
    visitor: Window, agent: Window
) -> None:
    await go_online(agent, "hu.na")
    await comes(visitor, "errands", "Jonas")
    await says(visitor, agent.page, "My zeppelin has not arrived.")
    await end_room(agent)
    await agent.page.get_by_label("Solved").check()
    await agent.shows(".wrap__said", "Saved")
    await agent.page.keyboard.press("f")
    await expect(agent.page.locator(".wrap-panel")).to_have_count(0, timeout=PATIENCE_MS)
    await agent.page.click("[data-offline]")
    await agent.until("document.querySelector('[data-state-words]').textContent === 'Offline'")
    row = agent.page.locator("tbody tr", has_text="Jonas").filter(has_text="Solved")

    async def is_found() -> bool:  # once the history's drain has written the visit to SQL
        await agent.go("/agent/history/?q=Zeppelin")
        return await row.count() == 1

    await eventually(is_found)
    await expect(agent.page.locator("tbody tr")).to_have_count(1)
    await row.locator("a").click()
    await agent.contains(".story", "My zeppelin has not arrived.")
    await agent.page.select_option("#outcome", label="Passed on")
    await agent.page.get_by_role("button", name="Save outcome").click()
    await agent.contains(".facts", "Passed on")
