"""The line in a real browser: a visitor moves up and is served, over a reload and a lost agent."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.browser.console import PHONE, Window, chromium, window
from tests.live.servers import ROOT, Site, WebServer

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium"), pytest.mark.slow]
PATIENCE_MS = 60_000  # a heartbeat's life, on a busy machine


@pytest.fixture(scope="module")
def line_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis of this module's own."""
    server = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def line_site(tmp_path_factory: pytest.TempPathFactory, line_redis: RedisServer) -> Site:
    """A migrated database with what line_stage.py makes."""
    site = Site(tmp_path_factory.mktemp("line"), line_redis.url)
    site.run("manage.py", "migrate", "--verbosity=0")
    site.people["line"] = json.loads(site.run("-m", "tests.browser.line_stage"))
    return site


@pytest.fixture(scope="module")
def line_web(line_site: Site) -> Iterator[WebServer]:
    """The server process, and the line's sweeps beside it."""
    server = WebServer(line_site, "uvicorn", application="poolsite.asgi:application").start()
    ticker = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.line_ticker"],
        cwd=ROOT,
        env=line_site.environment,
        preexec_fn=die_with_parent,
    )
    yield server
    ticker.terminate()
    ticker.wait(timeout=20)
    server.stop()


@pytest.fixture
async def chrome() -> AsyncIterator[Browser]:
    """A Chromium for one test."""
    async with chromium() as started:
        yield started


@pytest.fixture
async def visitor(chrome: Browser, line_web: WebServer) -> AsyncIterator[Window]:
    """A visitor's phone."""
    async with window(chrome, f"http://127.0.0.1:{line_web.port}", viewport=PHONE) as shown:
        yield shown


@pytest.fixture
async def agent(chrome: Browser, line_web: WebServer) -> AsyncIterator[Window]:
    """An agent's window; nobody has logged in yet."""
    async with window(chrome, f"http://127.0.0.1:{line_web.port}") as shown:
        yield shown


async def join(shown: Window, queue: str, name: str) -> None:
    """Join as a person does, by the keyboard."""
    await shown.go(f"/q/{queue}/")
    await shown.page.fill("#visit-name", name)
    await shown.page.keyboard.press("Enter")
    await view(shown.page, "waiting")


async def view(page: Page, name: str) -> None:
    await page.wait_for_selector(f'[data-visit][data-view="{name}"]', timeout=PATIENCE_MS)


async def other_visitor(shown: Window, queue: str, name: str) -> BrowserContext:
    """A second visitor in a browser of its own."""
    browser = shown.page.context.browser
    assert browser is not None
    context = await browser.new_context(locale="en-GB")
    await join(Window(await context.new_page(), shown.base), queue, name)
    return context


async def go_online(shown: Window, user: str) -> None:
    await shown.log_in(user)
    await shown.go("/agent/")
    await shown.page.click("[data-online]")
    await shown.page.wait_for_selector("[data-agent-state].chip--ok")


async def test_a_visitor_moves_up_is_served_and_comes_first_when_the_agent_is_lost(
    visitor: Window, agent: Window
) -> None:
    first = await other_visitor(visitor, "help", "Ann")
    await join(visitor, "help", "Bo <b>")
    await visitor.until("document.querySelector('[data-place]').textContent === '2'")
    assert await visitor.text("[data-before]") == "1 person is before you"
    await visitor.page.reload()
    await view(visitor.page, "waiting")
    await visitor.until("document.querySelector('[data-place]').textContent === '2'")
    assert await visitor.serious_violations() == []
    assert await visitor.overflow() == []

    await first.pages[0].click("[data-leave]")
    await first.pages[0].click("[data-ask-go]")
    await view(first.pages[0], "ended")
    await visitor.until("document.querySelector('[data-place]').textContent === '1'")
    assert await visitor.text("[data-before]") == "You are next"
    await first.close()

    await go_online(agent, "li.jun")
    await view(visitor.page, "room")
    await agent.page.wait_for_selector("[data-room] .talk__list")
    await visitor.page.fill("#say", "I was <i>charged</i> twice")
    await visitor.page.keyboard.press("Enter")
    words = agent.page.locator("[data-room] .talk__row--theirs .talk__words")
    await words.first.wait_for(timeout=PATIENCE_MS)
    assert await words.first.inner_text() == "I was <i>charged</i> twice"
    await agent.page.fill("[data-room] textarea", "Let me look.")
    await agent.page.keyboard.press("Enter")
    theirs = visitor.page.locator(".talk__row--theirs .talk__words")
    await theirs.first.wait_for(timeout=PATIENCE_MS)
    assert await theirs.first.inner_text() == "Let me look."
    assert await agent.serious_violations() == []
    await visitor.page.reload()
    await view(visitor.page, "room")
    await theirs.first.wait_for()

    late = await other_visitor(visitor, "help", "Late")
    await agent.page.close()
    await view(visitor.page, "waiting")
    await visitor.until("document.querySelector('[data-place]').textContent === '1'")
    assert "first in the line" in await visitor.text("[data-notice-words]")
    await late.pages[0].wait_for_function(
        "document.querySelector('[data-place]').textContent === '2'"
    )
    await late.close()


async def test_a_place_goes_along_to_another_device(visitor: Window, chrome: Browser) -> None:
    await join(visitor, "billing", "Cy")
    await visitor.page.click("[data-hold]")
    link = await visitor.page.input_value("[data-hold-link]")
    async with window(chrome, visitor.base, viewport=PHONE) as second:
        await second.page.goto(link)
        await view(second.page, "waiting")
        assert "#" not in second.page.url
        await second.until("document.querySelector('[data-place]').textContent === '1'")
        await second.page.click("[data-leave]")
        await second.page.click("[data-ask-go]")
        await view(second.page, "ended")
    await view(visitor.page, "ended")


async def test_a_place_survives_the_loss_of_everything_that_redis_had(
    visitor: Window, line_redis: RedisServer
) -> None:
    gone = await other_visitor(visitor, "billing", "Gone")  # away, and counted all the same
    first = await other_visitor(visitor, "billing", "Fay")
    await gone.close()
    await join(visitor, "billing", "Gus")
    shown = "document.querySelector('[data-place]').textContent === wanted"
    await visitor.until(shown, "3")
    with line_redis.client() as client:
        client.flushall()
        await visitor.page.reload()
        await view(visitor.page, "waiting")
    await visitor.until(shown, "3")
    await first.pages[0].click("[data-leave]")
    await first.pages[0].click("[data-ask-go]")
    await view(first.pages[0], "ended")
    await visitor.until(shown, "2")
    await visitor.page.click("[data-leave]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
    await first.close()


async def test_an_offer_is_accepted_and_the_room_ended_by_the_keyboard_alone(
    visitor: Window, agent: Window
) -> None:
    await go_online(agent, "sun.hao")
    await visitor.go("/q/offers/")
    await visitor.page.fill("#visit-name", "Di")
    await visitor.page.keyboard.press("Enter")
    await agent.page.wait_for_selector(".room--offer")
    await agent.page.keyboard.press("a")
    await agent.page.wait_for_selector("[data-room] textarea:focus")
    await view(visitor.page, "room")
    await agent.page.keyboard.press("Escape")
    await agent.page.keyboard.press("f")
    await agent.page.wait_for_selector("[data-ask][open]")
    await agent.page.keyboard.press("Enter")
    await view(visitor.page, "ended")
    await visitor.page.click(".stars__one:nth-of-type(5)")
    await visitor.page.click("[data-rating] .button")
    await visitor.page.wait_for_selector("[data-rating] [role=status]")
    assert await visitor.serious_violations() == []


async def test_a_closed_queue_takes_a_message(visitor: Window) -> None:
    await visitor.go("/q/night/")
    await view(visitor.page, "closed")
    assert "09:00–12:00, 13:00–18:00" in await visitor.text(".visit__hours")
    await visitor.page.click("[data-leave-message] .button--primary")
    assert "Tell your name" in await visitor.text("[data-error=left]")
    await visitor.page.fill("#left-name", "Eve")
    await visitor.page.fill("#left-contact", "138 0013 0417")
    await visitor.page.check("[value=call]")
    await visitor.page.click("[data-leave-message] .button--primary")
    await visitor.until(
        "document.querySelector('[data-closed-title]').textContent === 'We will call you back'"
    )
    assert await visitor.serious_violations() == []
