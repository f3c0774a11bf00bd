"""A browser window on the console, which fails on what a person would not forgive."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

from tests.support import programs

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 30_000  # a page on a busy machine
PASSWORD = "a long pass phrase for tests"
POOL = "retail-east"
# What a test takes away on purpose: a server that restarts, an answer of 4xx that a page explains.
EXPECTED = ("WebSocket connection to", "Failed to load resource")

expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Window:
    """One page of one browser context, with everything that its console said."""

    page: Page
    base: str
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.said.append(f"{message.type}: {message.text}")

    async def go(self, path: str) -> None:
        """Open a page of the site and wait until its modules have run."""
        answer = await self.page.goto(f"{self.base}{path}", wait_until="load")
        assert answer is not None
        assert answer.ok, f"{path} answered {answer.status}"

    async def log_in(self, user: str) -> None:
        """Log in by the form, as a person does."""
        await self.go("/login/")
        await self.page.fill("[name=username]", user)
        await self.page.fill("[name=password]", PASSWORD)
        await self.page.keyboard.press("Enter")
        await self.page.wait_for_url(lambda url: "/login" not in url)

    async def until(self, expression: str, argument: Any = None) -> None:
        """Wait until a JavaScript expression of `wanted` is true."""
        await self.page.wait_for_function(f"(wanted) => {expression}", arg=argument, polling=50)

    async def shows(self, selector: str, text: str) -> None:
        """Wait until just this stands there, whatever the space in and around it."""
        at = self.page.locator(selector).first
        await expect(at).to_have_text(text, use_inner_text=True)

    async def contains(self, selector: str, part: str) -> None:
        """Wait until this is a part of what stands there."""
        at = self.page.locator(selector).first
        await expect(at).to_contain_text(part, use_inner_text=True)

    async def text(self, selector: str) -> str:
        """What stands there now, without space around it; what may still change is waited for."""
        return (await self.page.locator(selector).first.inner_text()).strip()

    async def serious_violations(self, *rules: str) -> list[str]:
        """What axe finds serious or critical, one line each; by all of its rules, or by these."""
        only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
        found = await Axe().run(self.page, options={"resultTypes": ["violations"], **only})
        return [
            f"{each['id']}: {node['html'][:160]}"
            for each in found.response["violations"]
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    async def overflow(self) -> list[str]:
        """What makes the page wider than its window; nothing where it fits."""
        wide: list[str] = await self.page.evaluate(
            """() => {
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
        """Everything that the console said but what tests cause on purpose; CSP always counts."""
        return [
            line
            for line in self.said
            if "Content Security Policy" in line or not any(word in line for word in EXPECTED)
        ]


@dataclass
class Switch:
    """A switch on the pool's public interface."""

    client: httpx.Client
    numbers: list[str]
    calls: list[str] = field(default_factory=list)

    def send(self, event: str, number: str = "", **more: Any) -> dict[str, Any]:
        """Report one event; returns the answer, whatever it is."""
        body = {"event": event, **({"number": number} if number else {}), **more}
        if event == "call":
            self.calls.append(more["call_id"])
        answer: dict[str, Any] = self.client.post(f"/api/v1/pools/{POOL}/events", json=body).json()
        return answer

    def settle(self) -> None:
        """Hang every call up and register every number."""
        events = [{"event": "hangup", "call_id": call} for call in self.calls]
        events += [{"event": "reg", "number": number} for number in self.numbers]
        self.client.post(f"/api/v1/pools/{POOL}/events", json=events).raise_for_status()


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


@asynccontextmanager
async def window(browser: Browser, base: str, **options: Any) -> AsyncIterator[Window]:
    """A fresh context with one page, in English; asserts that nobody complained."""
    settings = {"viewport": DESKTOP, "locale": "en-GB", "timezone_id": "Asia/Shanghai", **options}
    context = await browser.new_context(**settings)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    shown = Window(page, base)
    try:
        yield shown
        assert shown.complaints == []
    finally:
        await context.close()
