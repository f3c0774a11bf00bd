"""The chat on a tenant's own site, in a real browser on two origins: the shop's CSP is strict."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Page, expect

from integrations.simulator.shop import shop
from tests.browser.console import DESKTOP, PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online
from tests.browser.running import Console
from tests.browser.shop_windows import BADGE, BUBBLE, PANEL, TEASER, chat_of, serving, shows
from tests.support.processes import Process
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
QUEUES = ("plants", "planters", "phone")
NO_STORAGE = """if (window.parent !== window) {
  for (const name of ["localStorage", "sessionStorage"]) {
    const get = () => { throw new DOMException("no", "SecurityError"); };
    Object.defineProperty(window, name, { get });
  }
}"""


@pytest.fixture(scope="module")
def shops(console: Console) -> Iterator[dict[str, int]]:
    """A shop for each queue, each on its own port. As `localhost` the desk allows it."""
    with serving({queue: shop(console.base, queue) for queue in QUEUES}) as ports:
        yield ports


@pytest.fixture(scope="module")
def ticker(console: Console, shops: dict[str, int]) -> Iterator[Process]:
    """The desk of the shops, and the line's sweeps."""
    console.stage("tests.browser.line_stage")
    origins = [f"http://localhost:{port}" for port in shops.values()]
    console.stage("tests.browser.widget_stage", *origins)
    with console.program("tests.browser.line_ticker") as process:
        yield process


async def focus_within(page: Page) -> str:
    """Return the focused element of the shop's page: one of the chat, or of the shop."""
    found: str = await page.evaluate(
        """() => (document.activeElement.shadowRoot?.activeElement ?? document.activeElement)
          .tagName"""
    )
    return found


async def say(agent: Window, words: str) -> None:
    await agent.page.fill("[data-room] textarea", words)
    await agent.page.keyboard.press("Enter")


async def test_a_shop_has_the_chat_and_it_outlives_pages_while_it_is_closed(
    line: Console, agent: Window, shops: dict[str, int]
) -> None:
    base = f"http://localhost:{shops['plants']}"
    async with line.window(viewport=DESKTOP) as shown:
        page = shown.page
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        await page.goto(f"{base}/", wait_until="load")
        bubble = page.locator(BUBBLE)
        await expect(bubble).to_have_attribute("aria-expanded", "false")
        box = await bubble.bounding_box()
        assert box is not None
        assert (box["width"], box["height"]) == (56, 56)
        assert (box["x"] + box["width"], box["y"] + box["height"]) == (1420, 880)
        style = await bubble.evaluate("(each) => getComputedStyle(each).backgroundColor")
        assert style == "rgb(20, 85, 58)"  # the desk's color, whatever the shop's own style is
        border = await bubble.evaluate("(each) => getComputedStyle(each).borderStyle")
        assert border == "none"
        console = [each for each in requests if each.startswith(line.base)]
        assert console == [f"{line.base}/widget/plants.js"]  # nothing else before it is opened

        await bubble.focus()
        await page.keyboard.press("Enter")
        chat = await chat_of(page)
        await shows(chat, "join")
        await expect(chat.locator("#visit-name")).to_be_focused()
        assert await focus_within(page) == "IFRAME"
        await expect(chat.locator("[data-join] .visit__lead")).to_have_text("Hello, plant people.")
        size = await page.locator(PANEL).bounding_box()
        assert size is not None
        assert (size["width"], size["height"]) == (380, 640)
        await page.keyboard.press("Escape")
        await expect(page.locator(PANEL)).to_be_hidden()
        await expect(bubble).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(chat.locator("#visit-name")).to_be_focused()
        await page.keyboard.type("Wren")
        await page.keyboard.press("Enter")
        await shows(chat, "waiting")
        await expect(chat.locator("[data-frame-line]")).to_contain_text("You're 1st")
        for at_once in ("[data-dots]", "[data-tell]", "#say"):
            await expect(chat.locator(at_once)).to_be_in_viewport(ratio=1)

        await page.click("text=Pots")  # the shop's next page
        await page.wait_for_url(f"{base}/pots/")
        chat = await chat_of(page)
        await shows(chat, "waiting")
        await expect(page.locator(PANEL)).to_be_visible()
        await page.click(BUBBLE)
        await go_online(agent, "gao.feng")
        await expect(page.locator(TEASER)).to_contain_text("is here to help", timeout=PATIENCE_MS)
        await agent.page.wait_for_selector("[data-room] .talk__list")
        await say(agent, "Which plant is it?")
        await expect(page.locator(BADGE)).to_have_text("1", timeout=PATIENCE_MS)
        await expect(page.locator(TEASER)).to_contain_text("Which plant is it?")
        await expect(page.locator(TEASER)).to_contain_text("Gao Feng")
        await expect(bubble).to_have_attribute("aria-label", "Open the chat. Unread messages: 1")
        assert await focus_within(page) == "BUTTON"  # the closed chat takes no focus

        await page.click("text=Plants")
        await say(agent, "A fig?")  # while the page changes, or just after
        await expect(page.locator(BADGE)).to_have_text("2", timeout=PATIENCE_MS)
        await page.click(TEASER)
        chat = await chat_of(page)
        await expect(chat.locator("#say")).to_be_focused()
        await expect(page.locator(BADGE)).to_be_hidden()
        await expect(chat.locator("[data-frame-name]")).to_have_text("Gao Feng")
        await page.keyboard.type("Yes, a fig.")
        await page.keyboard.press("Enter")
        heard = agent.page.locator("[data-room] .talk__row--theirs .talk__words")
        await expect(heard).to_have_text("Yes, a fig.", timeout=PATIENCE_MS)
        await page.reload()
        await shows(await chat_of(page), "room")
        await expect(page.locator(BADGE)).to_be_hidden()  # seen messages stay seen

        chat = await chat_of(page)
        await chat.click("[data-menu=frame-menu]")
        await page.keyboard.press("Escape")  # only the menu
        await expect(page.locator(PANEL)).to_be_visible()
        await chat.click("[data-menu=frame-menu]")
        await chat.click("[data-frame-end]")
        await chat.click("[data-ask-go]")
        await shows(chat, "ended")
        assert shown.complaints == []
        assert await shown.violations() == []
        shown.said.clear()  # axe calls into the frame, which has another origin


async def test_a_phone_has_the_chat_on_its_whole_screen_and_an_arrow_back(
    line: Console, shops: dict[str, int]
) -> None:
    async with line.window(viewport=PHONE) as shown:
        page = shown.page
        await page.goto(f"http://localhost:{shops['phone']}/", wait_until="load")
        await page.click(BUBBLE)
        chat = await chat_of(page)
        await shows(chat, "join")
        size = await page.locator(PANEL).bounding_box()
        assert size == {"x": 0, "y": 0, "width": 390, "height": 844}
        await expect(page.locator(BUBBLE)).to_be_hidden()
        await chat.fill("#visit-name", "Robin")
        await page.keyboard.press("Enter")
        await shows(chat, "waiting")
        await chat.click(".frame-back")
        await expect(page.locator(BUBBLE)).to_be_focused()
        await page.click("text=Pots")
        await shows(await chat_of(page), "waiting")  # connected, and not in the way
        await expect(page.locator(PANEL)).to_be_hidden()
        assert await shown.overflow() == []
        assert shown.complaints == []


async def test_a_visit_goes_on_where_the_browser_refuses_the_frame_its_storage(
    line: Console, shops: dict[str, int]
) -> None:
    async with line.window(viewport=DESKTOP) as shown:
        page = shown.page
        await page.add_init_script(NO_STORAGE)
        await page.goto(f"http://localhost:{shops['planters']}/", wait_until="load")
        await page.click(BUBBLE)
        chat = await chat_of(page)
        await shows(chat, "join")
        await chat.fill("#visit-name", "Jay")
        await page.keyboard.press("Enter")
        await shows(chat, "waiting")
        await page.click("text=Plants")
        chat = await chat_of(page)
        await shows(chat, "waiting")
        await chat.click(".visit__fold summary")
        await chat.click("[data-leave]")
        await chat.click("[data-ask-go]")
        await shows(chat, "ended")
        await chat.click("[data-again]")
        await shows(chat, "join")
        kept = await page.evaluate("sessionStorage.getItem('poolsite:widget:planters:visit')")
        assert kept is None  # nothing of it is left


async def test_a_site_that_is_not_allowed_cannot_show_the_chat(
    line: Console, shops: dict[str, int]
) -> None:
    async with line.window(viewport=DESKTOP) as shown:
        page = shown.page
        await page.goto(f"http://127.0.0.1:{shops['plants']}/", wait_until="load")
        await page.click(BUBBLE)
        link = page.locator("poolsite-widget .refused a")
        await expect(link).to_have_attribute("href", f"{line.base}/q/plants/")
        await page.keyboard.press("Escape")
        await expect(page.locator(PANEL)).to_be_hidden()
        assert await page.locator(f"{PANEL} iframe").count() == 0  # closing tries nothing again
        await eventually(lambda: any("frame-ancestors" in each for each in shown.said))
        shown.said.clear()
        await page.evaluate(  # nor any page without ?widget, on an allowed site either
            """(address) => {
              const frame = document.createElement("iframe");
              frame.src = address;
              document.body.append(frame);
            }""",
            f"{line.base}/q/plants/",
        )
        await eventually(lambda: any("frame-ancestors 'none'" in each for each in shown.said))
        shown.said.clear()


async def test_the_chat_of_a_stranger_is_told_nothing(line: Console, shops: dict[str, int]) -> None:
    async with line.window(viewport=DESKTOP) as shown:
        page = shown.page
        await page.goto(f"http://localhost:{shops['planters']}/", wait_until="load")
        await page.evaluate(
            """() => window.postMessage(
              { poolsite: "planters", tells: "unread", count: 9, text: "Call 555" }, "*")"""
        )
        await page.click(BUBBLE)
        chat = await chat_of(page)
        await shows(chat, "join")
        await page.evaluate(
            """() => window.postMessage(
              { poolsite: "planters", tells: "unread", count: 9, text: "Call 555" }, "*")"""
        )
        await chat.evaluate(  # a window of the console's origin that is not the host
            """() => window.postMessage({ poolsite: "planters", do: "close" }, location.origin)"""
        )
        await expect(page.locator(BADGE)).to_be_hidden()
        await expect(page.locator(PANEL)).to_be_visible()


async def test_the_framed_page_pleases_axe_in_both_themes_and_fits(line: Console) -> None:
    async with line.window(viewport={"width": 380, "height": 640}) as shown:
        for scheme in ("light", "dark"):
            await shown.page.emulate_media(color_scheme=scheme)
            await shown.go("/q/planters/?widget")
            assert await shown.overflow() == []
            assert await shown.violations() == []
        await shown.page.fill("#visit-name", "Lark")
        await shown.page.keyboard.press("Enter")
        await shown.page.wait_for_selector('[data-visit][data-view="waiting"]')
        assert await shown.overflow() == []
        assert await shown.violations() == []
        await shown.page.click("[data-menu=frame-menu]")
        assert await shown.violations() == []
        await shown.page.click("[data-frame-end]")
        await shown.page.click("[data-ask-go]")
        await shown.page.wait_for_selector('[data-visit][data-view="ended"]')


async def test_the_settings_page_shows_what_is_typed_and_tries_the_chat(line: Console) -> None:
    async with line.window("chen.li") as shown:
        for size in (PHONE, DESKTOP):
            await shown.page.set_viewport_size(size)
            await shown.go("/desks/care/widget/")
            assert await shown.overflow() == []
            assert await shown.violations() == []
        await shown.page.fill("[name=colour]", "#ffcc00")
        await shown.contains("[data-look-contrast]", "1.5:1, which is too low")
        await shown.page.select_option("[data-snippet-queue]", label="Help")
        snippet = await shown.page.input_value("[data-snippet]")
        assert snippet == f'<script src="{line.base}/widget/help.js" async></script>'
        await shown.page.click("[data-try]")
        await shown.page.click(BUBBLE)
        await shows(await chat_of(shown.page), "join")
