"""The floor: people who need attention, why each visitor waits, a supervisor in a room."""

import pytest
from playwright.async_api import Locator, expect

from tests.browser.console import DESKTOP, LIVE, PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online, join, other_visitor, view, words_in
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


def row_of(shown: Window, agent: str) -> Locator:
    """Return an agent's row on the floor."""
    return shown.page.locator("[data-agent]", has=shown.page.locator("th", has_text=agent))


async def menu_of(shown: Window, agent: str) -> Locator:
    """Return the open menu of an agent."""
    await row_of(shown, agent).locator(".row-menu").click()
    menu = shown.page.locator("[data-agent-menu]")
    await expect(menu).to_be_visible()
    return menu


async def test_a_supervisor_whispers_joins_speaks_and_takes_nothing_that_is_not_there(
    visitor: Window, agent: Window, supervisor: Window, line: Console
) -> None:
    await join(visitor, "watch", "Ines")
    await go_online(agent, "gu.nan")
    await view(visitor.page, "room")
    await supervisor.go_live("/desks/care/floor/?queue=watch")
    await expect(row_of(supervisor, "Gu Nan")).to_contain_text("Ines")
    menu = await menu_of(supervisor, "Gu Nan")
    await expect(menu.get_by_role("button", name="Take over")).to_have_count(0)  # no seat here
    await menu.get_by_role("link", name="Listen to Ines").click()

    await supervisor.page.fill("#guest-text", "Offer the refund")
    await supervisor.page.get_by_role("button", name="Whisper to Gu Nan").click()
    whisper = agent.page.locator(".talk__row--whisper")
    await expect(whisper).to_contain_text("Offer the refund")
    await expect(whisper).to_contain_text("Only you and zhao.min")
    await supervisor.page.get_by_role("button", name="Join the room").click()
    joined = visitor.page.locator(".talk__system", has_text="zhao.min joined the conversation")
    await joined.wait_for(timeout=PATIENCE_MS)
    await supervisor.page.fill("#guest-text", "Hello, I am here too.")
    await supervisor.page.get_by_role("button", name="Send to both").click()
    await words_in(visitor.page, "theirs", ["Hello, I am here too."])
    assert "Offer the refund" not in await visitor.page.content()
    await expect(agent.page.locator(".talk__row--theirs")).to_contain_text("zhao.min")
    assert await supervisor.violations() == []
    await supervisor.page.get_by_role("button", name="Leave the room").click()
    left = agent.page.locator(".talk__system", has_text="zhao.min left the conversation")
    await left.wait_for(timeout=PATIENCE_MS)
    await visitor.page.reload()
    await view(visitor.page, "room")
    await joined.wait_for(timeout=PATIENCE_MS)
    assert "Offer the refund" not in await visitor.page.content()


async def test_the_floor_says_why_pauses_and_logs_out(
    visitor: Window, agent: Window, supervisor: Window
) -> None:
    await join(visitor, "gallery", "Jon")
    await supervisor.go_live("/desks/care/floor/?queue=gallery")
    line = supervisor.page.locator("[data-visit-row]", has_text="Jon")
    await expect(line).to_contain_text("No agent of this queue is online")
    await expect(supervisor.page.locator("[data-offline]")).to_contain_text("offline")
    await go_online(agent, "pan.ye")
    await view(visitor.page, "room")
    late = await other_visitor(visitor, "gallery", "Kim")
    await expect(row_of(supervisor, "Pan Ye")).to_contain_text("1 of 1")
    row = supervisor.page.locator("[data-visit-row]", has_text="Kim")
    await row.get_by_role("button", name="Why Kim is still waiting").click()
    await expect(row).to_contain_text("Full, 1 of 1 room")
    told = late.pages[0].locator("[data-agents]")
    await expect(told).to_contain_text("1 agent online: 1 with visitors.")
    assert "Pan Ye" not in await late.pages[0].content()
    for size in (PHONE, DESKTOP):
        await supervisor.page.set_viewport_size(size)
        assert await supervisor.overflow() == []
        assert await supervisor.violations() == []

    menu = await menu_of(supervisor, "Pan Ye")
    await menu.get_by_role("button", name="Pause Pan Ye after the rooms").click()
    await menu.get_by_role("button", name="Lunch").click()
    await agent.contains("[data-state-words]", "then paused")
    await expect(row_of(supervisor, "Pan Ye")).to_contain_text("Then a pause: Lunch")
    menu = await menu_of(supervisor, "Pan Ye")
    await menu.get_by_role("button", name="Log out Pan Ye").click()
    await supervisor.page.fill("[data-ask-reason]", "Shift is over")
    await supervisor.page.click("[data-ask-go]")
    await agent.contains("[data-state-words]", "Offline")
    await view(visitor.page, "waiting")
    await expect(row_of(supervisor, "Pan Ye")).to_have_count(0)


async def test_a_new_order_waits_while_a_menu_is_open(
    agent: Window, supervisor: Window, line: Console
) -> None:
    await go_online(agent, "qin.mo")
    async with line.window() as second:
        await go_online(second, "su.bei")
        await supervisor.go_live("/desks/care/floor/")
        names = supervisor.page.locator("[data-agent] th b")
        await expect(names.filter(has_text="Su Bei")).to_have_count(1)
        await supervisor.page.select_option("[data-queue]", "order")
        await expect(names).to_have_text(["Qin Mo", "Su Bei"])
        await menu_of(supervisor, "Su Bei")
        await second.page.click("[data-pause-button]")
        await second.page.click("[data-pause=Lunch]")
        row = row_of(supervisor, "Su Bei")
        await expect(row).to_contain_text("Lunch")
        later = "{ const now = Date.now; Date.now = () => now() + 60_000; }"
        async with supervisor.page.expect_websocket():  # as after a computer has slept
            await supervisor.page.evaluate(later)  # the two seconds have passed
        await supervisor.until(LIVE)
        await expect(row.locator("[data-since]")).to_contain_text("1:")
        await expect(names).to_have_text(["Qin Mo", "Su Bei"])
        await supervisor.page.keyboard.press("Escape")
        await expect(row.locator(".row-menu")).to_be_focused()
        await supervisor.page.mouse.move(2, 2)
        await supervisor.page.locator("[data-find]").focus()
        await expect(names).to_have_text(["Su Bei", "Qin Mo"])


async def test_old_figures_are_muted_and_verbs_wait(agent: Window, supervisor: Window) -> None:
    await go_online(agent, "ru.yi")
    await supervisor.go_live("/desks/care/floor/")
    button = row_of(supervisor, "Ru Yi").locator(".row-menu")
    await expect(button).to_be_enabled()
    menu = await menu_of(supervisor, "Ru Yi")
    pause = menu.get_by_role("button", name="Pause Ru Yi…")
    await expect(pause).to_be_enabled()
    await supervisor.page.context.set_offline(True)
    await supervisor.page.evaluate("dispatchEvent(new Event('offline'))")
    await supervisor.page.wait_for_selector("[data-floor][data-stale]", timeout=PATIENCE_MS)
    for verb in (button, pause):  # an open menu stays, and keeps waiting as well
        await expect(verb).to_be_disabled()
        await expect(verb).to_have_attribute(
            "title", "The figures aren't live. Wait until they're up to date."
        )
    assert await supervisor.violations() == []
    await supervisor.page.context.set_offline(False)
    await supervisor.page.wait_for_selector("[data-floor]:not([data-stale])", timeout=PATIENCE_MS)
    await expect(button).to_be_enabled()
    await pause.click()
    await menu.get_by_role("button", name="Lunch").click()
    await expect(row_of(supervisor, "Ru Yi")).to_contain_text("Lunch")
