"""From an empty installation to the first call, visitor, permit, top-up and session.

One guided page each, followed as by a new user, who knows only what the page says. Clicks
are counted, never time.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, WebSocket, expect

from tests.browser.console import COLOURS, PHONE, Window
from tests.browser.running import Console, running
from tests.house.source import ROOT
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

# The library under its installed name.
AS_INSTALLED = """
import sys
from integrations import dispatch_client
sys.modules["poolsite_dispatch"] = dispatch_client
exec(sys.argv[1])
"""
STAGE = "tests.browser.first_stage"
FOUR_EYES = "10000000"  # units: one person may credit 1 000 a day alone
# Clicks from the overview to the goal, including its link. Typing needs none: fields have focus.
MOST_CLICKS = {"call": 4, "visitor": 9, "permit": 3, "top-up": 5, "session": 6}


@pytest.fixture
def empty(browser: Browser, tmp_path: Path) -> Iterator[Console]:
    """A console with only one operator; on it, one person is enough to approve money."""
    alone = {"POOLSITE_SECOND_FACTOR_FOR_MONEY": "0", "POOLSITE_FOUR_EYES_ABOVE": FOUR_EYES}
    with running(browser, tmp_path, **alone) as console:
        console.stage(STAGE, "operator")
        yield console


@dataclass
class Walk:
    """A person on the way to a goal, with the number of clicks."""

    shown: Window
    clicks: dict[str, int] = field(default_factory=dict)
    goal: str = ""

    async def begin(self, goal: str) -> None:
        """Go from the overview to the page of a goal."""
        self.goal = goal
        await self.shown.go("/overview/")
        await self.click(f".goal a[href='/start/{goal}/']")
        await self.shown.page.wait_for_url(f"**/start/{goal}/")
        await self.shown.ready()

    async def click(self, selector: str, page: Page | None = None) -> None:
        self.clicks[self.goal] = self.clicks.get(self.goal, 0) + 1
        await (page or self.shown.page).locator(selector).first.click()

    async def step(self, name: str, text: str = "") -> None:
        """Do the next step: type into the focused field, and send it."""
        page = self.shown.page
        await expect(page.locator(f"#step-{name} .guide__line--next")).to_have_count(1)
        assert await self.shown.violations() == []
        if text:
            await expect(page.locator(f"#step-{name} [autofocus]")).to_be_focused()
            await page.keyboard.type(text)
        async with page.expect_navigation():
            await self.click(f"#step-{name} form .button--primary")
        await self.shown.ready()

    async def is_reached(self) -> None:
        """Check that all is done, and that the page says what comes next."""
        await expect(self.shown.page.locator(".guide__ending")).to_be_visible()
        await expect(self.shown.page.locator(".guide__line--next")).to_have_count(0)
        assert await self.shown.violations() == []
        assert await self.shown.violations(*COLOURS) == []
        most = MOST_CLICKS[self.goal]
        print(f"{self.goal}: {self.clicks[self.goal]} clicks")
        assert self.clicks[self.goal] <= most, f"{self.goal}: {self.clicks[self.goal]} clicks"


async def test_every_goal_is_reached_from_nothing_each_on_one_page(empty: Console) -> None:
    async with empty.window("first") as shown:
        walk = Walk(shown)
        await walk.begin("call")
        await walk.step("pool", "East")
        await walk.step("numbers", "+86 138 0000 0000\n+86 138 0000 0001")
        await walk.step("call")
        await expect(shown.page.locator(".guide__answers tbody tr")).to_have_count(3)
        await walk.is_reached()

        await walk.begin("permit")
        await walk.step("gate", "Meters")
        await walk.step("permit")
        await shown.contains("#step-permit dl", "Yes, the slot is free")
        await walk.is_reached()

        await _first_visitor(walk)
        await walk.is_reached()

        await walk.begin("top-up")  # the visitor's account exists
        await walk.step("balance")
        await walk.step("owner", "owner@example.org")
        await walk.step("top_up", "500")
        await shown.contains("#step-balance", "500.00")
        await walk.is_reached()

        await walk.begin("session")
        await walk.step("group", "Servers")
        await _first_session(walk)
        await walk.is_reached()
        await shown.go("/overview/")
        await expect(shown.page.locator(".goal")).to_have_count(0)  # nothing is left to start
        print(walk.clicks)


async def _first_visitor(walk: Walk) -> None:
    """Check that the page shows live that a visitor waits, and that visitor and agent talk."""
    shown = walk.shown
    await walk.begin("visitor")
    await walk.step("account", "Shop")
    await walk.step("desk", "Help")
    await walk.step("queue", "Orders")
    await walk.step("agent")
    await shown.until("document.querySelector('[data-live-badge]').dataset.state === 'live'")
    await shown.contains("#step-visitor", "No visitor is waiting")
    visitor = await _opened(walk, "Open visitor page")
    await visitor.locator("#visit-name").fill("Ann")
    await walk.click("button:has-text('Join the line')", visitor)
    await shown.contains("#step-visitor", "1 visitor is waiting")
    agent = await _opened(walk, "Open agent console")
    await walk.click("button:has-text('Go online')", agent)
    await shown.contains("#step-visitor", "A visitor is in a room with an agent")
    # Both tabs stay open: nothing drains events here, so the goal is reached while the room lasts.


async def _first_session(walk: Walk) -> None:
    """Open a session with the page's script and the token that the page leads to."""
    page = walk.shown.page
    await walk.shown.until("document.querySelector('[data-live-badge]').dataset.state === 'live'")
    script = await page.locator("#session-script").input_value()
    await expect(page.locator("[data-copy-of='session-script']")).to_be_visible()  # redrawn as well
    await walk.click("#step-session a:has-text('Create a token')")
    await page.wait_for_url("**/tokens/new/**")
    await page.locator("#id_name").fill("servers")
    await walk.click("[data-create]")
    secret = await page.locator("#secret").input_value()
    await page.locator("[data-stored] input").check()
    await walk.click("[data-done]")
    await page.wait_for_url("**/start/session/**")
    await walk.shown.ready()
    peers = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", AS_INSTALLED, script),
        env={**os.environ, "POOLSITE_TOKEN": secret},
        cwd=ROOT,
    )
    try:
        await expect(page.locator("#step-session .guide__line--done")).to_have_count(1)
    finally:
        peers.kill()
        await peers.wait()


async def _opened(walk: Walk, label: str) -> Page:
    """Return the new tab of a link."""
    async with walk.shown.page.context.expect_page() as opening:
        await walk.click(f"#step-visitor a:has-text('{label}')")
    page = await opening.value
    await page.wait_for_load_state("load")
    return page


async def test_a_page_left_and_opened_again_goes_on_and_a_second_click_repeats_nothing(
    empty: Console,
) -> None:
    async with empty.window("first", viewport=PHONE) as shown:
        walk = Walk(shown)
        await walk.begin("call")
        assert await shown.overflow() == []
        first = shown.page
        second = await first.context.new_page()  # the same page in another tab, still at step one
        await second.goto(f"{shown.base}/start/call/")
        await walk.step("pool", "East")
        await second.locator("#step-pool [name=name]").fill("West")
        async with second.expect_navigation():
            await second.locator("#step-pool form .button--primary").click()
        await expect(second.locator("#step-pool .guide__told")).to_have_text("East")
        await expect(second.locator("#step-numbers .guide__line--next")).to_have_count(1)
        await second.close()
        await shown.go("/numbers/")  # no dead end: it leads back
        await shown.page.locator("a", has_text="Set up step by step").click()
        await shown.ready()
        await walk.step("numbers", "nothing")
        await shown.contains("#step-numbers .field__error", "Line 1")
        assert await shown.overflow() == []


async def test_a_page_that_changes_does_not_take_back_the_click_that_leads_away(
    empty: Console,
) -> None:
    heard: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: heard.append(str(frame)))

    async with empty.window("first") as shown:
        shown.page.on("websocket", listen)
        await shown.go_live("/overview/")
        leads_to: Any = await shown.page.locator(".goal a.button--primary").get_attribute("href")
        assert leads_to

        async def slow(route: Route) -> None:
            await eventually(lambda: any("North" in frame for frame in heard))
            await route.continue_()

        await shown.page.route(lambda url: url.endswith(leads_to), slow)
        await shown.until("performance.now() > 2000")  # from then on it is redrawn at once
        await shown.page.locator(".goal a.button--primary").click(no_wait_after=True)
        empty.stage(STAGE, "pool")
        await shown.page.wait_for_url(lambda url: url.endswith(leads_to))
