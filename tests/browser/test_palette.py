"""The search palette by keyboard, with a slow, a late and a lost answer; the menu that folds."""

import asyncio
from contextlib import suppress

import pytest
from playwright.async_api import Error as BrowserError
from playwright.async_api import Route, expect

from tests.browser.console import PHONE, Window
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

ROWS = "[data-search-results] .palette__item"
CHOSEN = f"{ROWS}[aria-selected=true]"
INPUT = "[data-search-input]"
HEADS = """[...document.querySelectorAll('.palette__group')]
    .map((head) => head.firstChild.textContent)"""


async def opened(window: Window, path: str = "/overview/") -> None:
    await window.go(path)
    await window.page.keyboard.press("Control+k")
    await expect(window.page.locator(ROWS).first).to_be_visible()


async def test_keys_open_move_narrow_and_lead_to_the_thing(operator: Window) -> None:
    page = operator.page
    await opened(operator, "/pools/")
    assert await page.evaluate(HEADS) == ["On this page", "Go to"]
    await expect(page.locator(CHOSEN)).to_contain_text("New pool…")
    await page.keyboard.type("retail east")
    await expect(page.locator(CHOSEN)).to_contain_text("Retail East")
    await expect(page.locator(f"{CHOSEN} .palette__name b")).to_have_text("Retail East")
    heads = await page.evaluate(HEADS)
    assert heads[0] == "Pools"
    assert heads[-2:] == ["Pages", "Actions"]
    await expect(page.locator(INPUT)).to_be_focused()
    active = await page.get_attribute(INPUT, "aria-activedescendant")
    assert active == await page.get_attribute(CHOSEN, "id")
    assert await operator.violations() == []
    await page.keyboard.press("ArrowUp")  # wraps around to the last one
    await expect(page.locator(ROWS).last).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await expect(page.locator("[data-search-only]")).to_have_text("Pools")
    await operator.until(f"{HEADS}.join() === 'Pools'")
    await page.keyboard.press("Shift+Tab")
    await expect(page.locator("[data-search-only]")).to_be_hidden()
    await operator.until(f"{HEADS}.length > 1")
    async with page.context.expect_page() as aside:
        await page.keyboard.press("Control+Enter")
    other = await aside.value
    await expect(other).to_have_url(f"{operator.base}/pools/retail-east/")
    await other.close()
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/pools/retail-east/")
    await opened(operator)
    assert (await page.evaluate(HEADS))[0] == "Recent"
    await expect(page.locator(ROWS).first).to_contain_text("Retail East")
    await page.keyboard.press("Escape")
    await expect(page.locator("[data-search]")).to_be_hidden()


async def test_an_action_of_the_page_is_done_from_the_palette(operator: Window) -> None:
    await opened(operator, "/pools/")
    await operator.page.locator(ROWS, has_text="New pool…").click()
    await expect(operator.page.locator("#create-pool")).to_be_visible()


async def test_enter_waits_for_the_answer_to_what_was_typed_last(operator: Window) -> None:
    page = operator.page
    await opened(operator)

    asked, answered = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        if "q=sys" not in route.request.url:
            asked.set()
            await answered.wait()  # the answer to the first letters comes last
        with suppress(BrowserError):  # the page that sent the request may be gone
            await route.continue_()

    await page.route("**/search/?*", late)
    await page.keyboard.type("retail")
    await asked.wait()
    await page.fill(INPUT, "system")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/system/")
    answered.set()


async def test_a_lost_connection_is_said_and_heals(operator: Window) -> None:
    page = operator.page
    await opened(operator)
    await page.context.set_offline(True)
    await page.keyboard.type("pools")
    await operator.contains("[data-search-hint]", "Can't reach the server")
    await expect(page.locator(ROWS).first).to_contain_text("Pools")  # the menu is loaded here
    await page.context.set_offline(False)
    await expect(page.locator("[data-search-hint]")).to_be_hidden()


async def test_an_answer_that_fails_is_asked_for_again(operator: Window) -> None:
    """The browser does not always report that it is online again before requests work."""
    page = operator.page
    fails = True

    async def answer(route: Route) -> None:
        await (route.abort() if fails else route.continue_())

    await page.route("**/search/?q=*", answer)
    await opened(operator)
    await page.keyboard.type("pools")
    await operator.contains("[data-search-hint]", "Can't reach the server")
    await page.keyboard.press("ArrowDown")
    marked = await page.get_attribute(INPUT, "aria-activedescendant")
    async with page.expect_event("requestfailed"):
        pass
    assert await page.get_attribute(INPUT, "aria-activedescendant") == marked
    fails = False
    await expect(page.locator("[data-search-hint]")).to_be_hidden()
    await operator.until(f"{HEADS}.includes('Pages')")  # only the server finds this


async def test_the_palette_closes_before_its_program_has_come_and_opens_when_it_has(
    operator: Window,
) -> None:
    page, comes = operator.page, asyncio.Event()

    async def late(route: Route) -> None:
        await comes.wait()
        await route.continue_()

    await page.route("**/js/console/search*.js", late)
    await operator.go("/overview/")
    await page.keyboard.press("/")
    await page.keyboard.type("retail")
    await page.keyboard.press("Escape")
    await expect(page.locator("[data-search]")).to_be_hidden()
    await page.keyboard.press("/")
    await expect(page.locator(INPUT)).to_have_value("")
    comes.set()
    await operator.until(f"{HEADS}.includes('Go to')")


async def test_a_palette_whose_program_is_lost_says_so_and_can_be_opened_again(
    operator: Window,
) -> None:
    page = operator.page
    await page.route("**/js/console/search*.js", lambda route: route.abort(), times=1)
    await operator.go("/overview/")
    await page.keyboard.press("/")
    await operator.contains("[data-search-hint]", "Search couldn't be loaded.")
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await operator.until(f"{HEADS}.includes('Go to')")
    await expect(page.locator("[data-search-hint]")).to_be_hidden()


async def test_no_result_says_what_can_be_searched(operator: Window) -> None:
    await opened(operator)
    await operator.page.keyboard.type("zzzqqq")
    await operator.contains("[data-search-hint]", "No results. You can search for numbers")
    await expect(operator.page.locator(ROWS)).to_have_count(0)


async def test_the_palette_fits_a_phone(console: Console) -> None:
    async with console.window("lin.mei", viewport=PHONE) as phone:
        await phone.go("/pools/")
        await phone.page.click("[data-search-open]")
        await phone.page.fill(INPUT, "retail")
        await phone.until("document.querySelector('[data-typed] .palette__item')")
        assert await phone.overflow() == []
        assert await phone.violations() == []
        await phone.page.click(".palette__esc")
        await expect(phone.page.locator("[data-search]")).to_be_hidden()


async def test_a_section_of_the_menu_stays_as_it_was_left(operator: Window) -> None:
    page = operator.page
    await operator.go("/system/")
    billing = page.locator("[data-nav-group=billing]")
    await expect(billing.locator("ul")).to_be_hidden()
    await page.locator("#nav-billing").focus()
    await page.keyboard.press("Enter")
    await expect(billing.locator("a").first).to_be_visible()
    await operator.until("document.cookie.includes('billing')")
    await operator.go("/pools/")
    await expect(billing).to_have_attribute("open", "")
    await expect(page.locator("[data-nav-group=system]")).not_to_have_attribute("open", "")
    await page.click("#nav-billing")
    await operator.until("!document.cookie.includes('billing')")
    await operator.go("/system/")
    await expect(billing.locator("ul")).to_be_hidden()
    await page.keyboard.press("g")
    await page.keyboard.press("l")  # the entry of a folded section
    await page.wait_for_url("**/billing/accounts/")
