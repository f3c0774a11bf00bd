"""A browser window on the console that fails on whatever a person would not accept."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    async_playwright,
    expect,
)

from tests.browser.stage import PASSWORD
from tests.support import programs
from tests.support.waiting import eventually, patient

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1440, "height": 900}
TABLET = {"width": 820, "height": 1180}
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 1000 * patient(30)  # for a page
LATENCY_MS = int(os.environ.get("BROWSER_LATENCY_MS", "0"))  # finds tests that do not wait
# What a test causes on purpose: a server that restarts, a 4xx answer that a page explains.
EXPECTED = ("WebSocket connection to", "Failed to load resource")
COLOURS = ("color-contrast", "link-in-text-block")  # axe's rules that depend on the theme
LIVE = "document.querySelector('[data-live-badge]')?.dataset.state === 'live'"

expect.set_options(timeout=PATIENCE_MS)


async def violations(page: Page, *rules: str) -> list[str]:
    """Return axe's findings on a page, of any level, one line each.

    By default by all of its rules, otherwise by `rules`.
    """
    await page.wait_for_load_state("load")
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    found: list[str] = await page.evaluate(
        """async (options) => {
          const { violations } = await axe.run(options);
          return violations.flatMap(
            ({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
        }""",
        {"resultTypes": ["violations"], **only},
    )
    return found


@dataclass
class Window:
    """A page in a browser context of its own, with everything that its browser console logged.

    sessions: user name → the session that a stage has made, the value of its cookie.
    """

    page: Page
    base: str
    sessions: Mapping[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    beside: list[BrowserContext] = field(default_factory=list)  # they end with this window

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(f"{message.type}: {message.text}")

    async def go(self, path: str) -> None:
        """Open a page of the site and wait until its modules have run.

        A page that redraws itself after a click must have done so before: of two navigations
        at once the browser may drop this one, and the wait would never end.
        """
        answer = await self.page.goto(f"{self.base}{path}", wait_until="load")
        assert answer is not None
        assert answer.ok, f"{path} answered {answer.status}"

    async def go_live(self, path: str) -> None:
        """Open a page and wait until its badge says that it is live."""
        await self.go(path)
        await self.until(LIVE)

    async def go_and_settle(self, path: str) -> None:
        """Open a page and wait until it has all that it requested, including live figures."""
        asked: set[Request] = set()
        self.page.on("request", lambda request: asked.add(request))
        for end in ("requestfinished", "requestfailed"):
            self.page.on(end, lambda request: asked.discard(request))
        await self.go(path)
        await self.until(f"!document.querySelector('[data-live-badge]:not([hidden])') || {LIVE}")
        await eventually(lambda: not asked)

    async def ready(self) -> None:
        """Wait until the modules of a newly loaded page have run: its buttons need them."""
        await self.page.wait_for_load_state("load")

    async def send(self, button: str) -> None:
        """Click the button that sends a form, and wait for the page that answers."""
        async with self.page.expect_navigation():
            await self.page.click(button)

    async def enter(self, user: str) -> None:
        """Be logged in from the next page on, with the session that a stage has made."""
        await self.page.context.add_cookies(
            [{"name": "session", "value": self.sessions[user], "url": self.base}]
        )

    async def log_in(self, user: str) -> None:
        """Log in by the form, as a person does."""
        await self.go("/login/")
        await self.page.fill("[name=login]", user)
        await self.page.fill("[name=password]", PASSWORD)
        await self.page.keyboard.press("Enter")
        await self.page.wait_for_url(lambda url: "/login" not in url)

    async def until(self, expression: str, argument: Any = None) -> None:
        """Wait until a JavaScript expression of `wanted` is true."""
        await self.page.wait_for_function(f"(wanted) => {expression}", arg=argument, polling=50)

    async def shows(self, selector: str, text: str) -> None:
        """Wait until the element's text is exactly this, apart from whitespace."""
        at = self.page.locator(selector).first
        await expect(at).to_have_text(text, use_inner_text=True)

    async def contains(self, selector: str, part: str) -> None:
        """Wait until the element's text contains this."""
        at = self.page.locator(selector).first
        await expect(at).to_contain_text(part, use_inner_text=True)

    async def text(self, selector: str) -> str:
        """Return the element's present text without surrounding whitespace.

        Wait for what may change.
        """
        return (await self.page.locator(selector).first.inner_text()).strip()

    async def violations(self, *rules: str) -> list[str]:
        """Return axe's findings, of any level, one line each: by all rules, or by `rules`."""
        return await violations(self.page, *rules)

    async def overflow(self) -> list[str]:
        """Return what makes the page wider than its window; empty if it fits."""
        await self.page.wait_for_load_state("load")  # its styles and fonts decide
        wide: list[str] = await self.page.evaluate(
            """async () => {
              await document.fonts.ready;
              const root = document.documentElement;
              if (root.scrollWidth <= root.clientWidth) return [];
              const beyond = [...document.querySelectorAll('body *')].filter(
                (each) => each.getBoundingClientRect().right > root.clientWidth + 1);
              const named = beyond.slice(-4).map((each) => each.outerHTML.slice(0, 160));
              return [`${root.scrollWidth} px wide`, ...named];
            }"""
        )
        return wide

    @property
    def complaints(self) -> list[str]:
        """Return all console messages except those that tests cause on purpose.

        CSP always counts.
        """
        return [
            line
            for line in self.said
            if "Content Security Policy" in line or not any(word in line for word in EXPECTED)
        ]


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A real Chromium without a window."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=programs.chromium(), args=ARGUMENTS
        )
        try:
            yield browser
        finally:
            await browser.close()


async def _slow_down(page: Page) -> None:
    """Delay every answer and disable the cache: a page is shown before its modules run."""
    network = await page.context.new_cdp_session(page)
    await network.send("Network.enable")
    await network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    late = {"latency": LATENCY_MS, "downloadThroughput": -1, "uploadThroughput": -1}
    await network.send("Network.emulateNetworkConditions", {"offline": False, **late})


@asynccontextmanager
async def window(
    browser: Browser, base: str, sessions: Mapping[str, str], user: str = "", **options: Any
) -> AsyncIterator[Window]:
    """Yield a fresh context with one page, in English. Assert that the console has no complaints.

    user: the logged-in user; "" for none yet.
    """
    settings = {"viewport": DESKTOP, "locale": "en-GB", "timezone_id": "Asia/Shanghai", **options}
    context = await browser.new_context(**settings)
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    if LATENCY_MS:
        await _slow_down(page)
    shown = Window(page, base, sessions)
    try:
        if user:
            await shown.enter(user)
        yield shown
        assert shown.complaints == []
    finally:
        for each in (context, *shown.beside):
            await each.close()
