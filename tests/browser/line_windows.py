"""What people do at the line's pages, for the browser tests."""

from playwright.async_api import BrowserContext, Page

from tests.browser.console import Window
from tests.support.waiting import patient

PATIENCE_MS = 1000 * patient(60)  # how long a heartbeat is valid


async def join(shown: Window, queue: str, name: str) -> None:
    """Join as a person does, with the keyboard."""
    await shown.go(f"/q/{queue}/")
    await shown.page.fill("#visit-name", name)
    await shown.page.keyboard.press("Enter")
    await view(shown.page, "waiting")


async def view(page: Page, name: str) -> None:
    await page.wait_for_selector(f'[data-visit][data-view="{name}"]', timeout=PATIENCE_MS)


async def other_visitor(shown: Window, queue: str, name: str) -> BrowserContext:
    """Return a second visitor in another browser, which ends with this window."""
    browser = shown.page.context.browser
    assert browser is not None
    context = await browser.new_context(locale="en-GB")
    context.set_default_timeout(PATIENCE_MS)
    shown.beside.append(context)
    await join(Window(await context.new_page(), shown.base), queue, name)
    return context


async def go_online(shown: Window, user: str) -> None:
    await shown.enter(user)
    await shown.go("/agent/")
    await shown.page.click("[data-online]")
    await shown.page.wait_for_selector("[data-agent-state].chip--ok")


async def go_offline(shown: Window) -> None:
    """Take no more visitors, so that the next test begins as this one did."""
    await shown.page.click("[data-offline]")
    await shown.page.wait_for_selector("[data-online]", timeout=PATIENCE_MS)


async def place(page: Page, wanted: str) -> None:
    expected = "(wanted) => document.querySelector('[data-place]').textContent === wanted"
    await page.wait_for_function(expected, arg=wanted, timeout=PATIENCE_MS)


async def words_in(page: Page, side: str, texts: list[str]) -> None:
    """Wait until exactly these texts of one side are shown, each once."""
    expected = """([side, texts]) => {
      const found = [...document.querySelectorAll(`.talk__row--${side}:not(.talk__row--sending)`)];
      const words = found.map((row) => row.querySelector(".talk__words").textContent);
      return JSON.stringify(words) === JSON.stringify(texts);
    }"""
    await page.wait_for_function(expected, arg=[side, texts], timeout=PATIENCE_MS)
