"""What every page has: log-in, navigation, theme, keyboard, phone width, no axe findings."""

import pytest
from playwright.async_api import expect

from tests.browser.console import LIVE, PHONE, Window
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_an_operator_logs_in_and_lands_on_a_live_overview(console: Console) -> None:
    async with console.window() as shown:
        await shown.log_in("lin.mei")
        assert shown.page.url.endswith("/overview/")
        await shown.until(LIVE)
        await shown.shows("h1", "Overview")


async def test_the_theme_is_switched_kept_and_set_before_the_page_is_painted(
    operator: Window,
) -> None:
    page = operator.page
    await operator.go("/overview/")
    background = "getComputedStyle(document.body).backgroundColor"
    assert await page.evaluate(background) == "rgb(249, 250, 251)"
    await page.click("[data-theme-switch]")
    assert await page.evaluate(background) == "rgb(16, 24, 40)"
    await page.add_init_script(
        "addEventListener('DOMContentLoaded', () => {"
        "  window.first = document.documentElement.dataset.theme; })"
    )
    await operator.go("/system/")
    assert await page.evaluate("window.first") == "dark"


async def test_the_system_page_changes_by_itself(operator: Window) -> None:
    await operator.go("/system/")
    before = await operator.text("#system-as-of time")
    await operator.until(f"document.querySelector('#system-as-of time').textContent !== {before!r}")


async def test_single_keys_search_go_and_list_and_stay_out_of_fields(operator: Window) -> None:
    page = operator.page
    await operator.go("/overview/")
    await page.keyboard.press("/")
    await expect(page.locator("[data-search]")).to_be_visible()
    await page.keyboard.type("g?/")
    await expect(page.locator("[data-search-input]")).to_have_value("g?/")
    await page.keyboard.press("Escape")
    await expect(page.locator("[data-search]")).to_be_hidden()
    await page.keyboard.press("?")
    await expect(page.locator("[data-keys]")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("[data-keys]")).to_be_hidden()
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await page.wait_for_url("**/system/")


async def test_a_key_pressed_as_a_dialog_closes_is_not_lost(operator: Window) -> None:
    """Until the next frame the hidden field of the closed dialog still has the focus."""
    page = operator.page
    await operator.go("/overview/")
    await page.keyboard.press("/")
    await expect(page.locator("[data-search-input]")).to_be_focused()
    await page.evaluate("""() => {
        document.querySelector("[data-search]").close();
        const key = new KeyboardEvent("keydown", { key: "?", bubbles: true });
        document.activeElement.dispatchEvent(key);
    }""")
    await expect(page.locator("[data-keys]")).to_be_visible()


async def test_the_pages_own_entry_of_a_menu_too_long_for_the_window_is_seen(
    operator: Window,
) -> None:
    await operator.page.set_viewport_size({"width": 1500, "height": 320})
    await operator.go("/history/")
    current = operator.page.locator(".sidebar__nav [aria-current]")
    await expect(current).to_have_attribute("href", "/history/")
    await operator.until("""document.querySelector('.sidebar__nav').scrollTop > 0""")
    await expect(current).to_be_in_viewport(ratio=1)
    await operator.go("/overview/")
    await expect(current).to_be_in_viewport(ratio=1)


async def test_a_change_is_opened_by_keyboard_and_shows_what_is_stored(operator: Window) -> None:
    page = operator.page
    await operator.go("/history/?thing_kind=pool")
    change = page.locator(".change").first
    await expect(change.locator(".change__said b").first).to_be_visible()
    await expect(change.locator("pre")).to_be_hidden()
    await change.locator(".change__more > summary").focus()
    await page.keyboard.press("Enter")
    await expect(change.locator(".change__facts")).to_be_visible()
    await change.locator(".change__raw > summary").focus()
    await page.keyboard.press("Enter")
    await expect(change.locator("pre")).to_contain_text('"action": "numbers.')
    assert await operator.violations() == []
    await page.select_option("select[name=thing_kind]", "account")
    await page.wait_for_url("**thing_kind=account**")
    await expect(page.locator(".filter-chip b")).to_have_text("Account")


async def test_the_first_tab_stop_skips_to_the_content(operator: Window) -> None:
    page = operator.page
    await operator.go("/overview/")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.className") == "skip"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "content"


async def test_the_drawer_opens_on_a_phone_and_gives_the_focus_back(console: Console) -> None:
    async with console.window("lin.mei", viewport=PHONE) as shown:
        await shown.go("/overview/")
        await shown.page.click("[data-drawer-open]")
        await shown.page.locator("#sidebar a.nav-item").first.wait_for(state="visible")
        await shown.page.keyboard.press("Escape")
        await shown.until("document.activeElement.hasAttribute('data-drawer-open')")


async def test_a_lost_connection_shows_at_once_and_heals(operator: Window) -> None:
    state = "document.querySelector('[data-live-badge]').dataset.state"
    await operator.go_live("/overview/")
    await operator.page.context.set_offline(True)
    await operator.until(f"['offline', 'reconnecting', 'stale'].includes({state})")
    await operator.page.context.set_offline(False)
    await operator.until(LIVE)
