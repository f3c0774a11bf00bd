"""An empty installation leads an operator, step by step, to the first thing of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, WebSocket, expect

from tests.browser.console import Window
from tests.browser.running import Console, running
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

STAGE = "tests.browser.first_stage"
# In the order of the steps: what stands on the button, what is filled in, where it leads.
STEPS = (
    ("New account", {"slug": "shop", "name": "The shop"}, "/accounts/shop/invite/"),
    ("New pool", {"slug": "east", "name": "East"}, "/pools/east/"),
    ("New desk", {"slug": "help", "name": "Help"}, "/desks/help/settings/"),
    ("New gate", {"slug": "meters", "name": "Meters"}, "/gates/meters/"),
    ("New group", {"slug": "apps", "name": "Servers"}, "/groups/apps/"),
    ("Open a balance", {"account": "shop"}, "/billing/accounts/shop/"),
)


@pytest.fixture
def empty(browser: Browser, tmp_path: Path) -> Iterator[Console]:
    """A console with one operator and nothing else; without a second factor for money."""
    with running(browser, tmp_path, POOLSITE_SECOND_FACTOR_FOR_MONEY="0") as console:
        console.stage(STAGE, "operator")
        yield console


async def test_the_overview_leads_through_every_step_until_all_are_done(empty: Console) -> None:
    async with empty.window("first") as shown:
        for place, (label, values, leads_to) in enumerate(STEPS):
            await shown.go("/overview/")
            assert await _next_step(shown) == (place, label)
            await shown.page.locator(".first-step a.button--primary").click()
            await _fill_in(shown, values)
            assert shown.page.url == f"{shown.base}{leads_to}"
            assert await shown.serious_violations() == []
            if label == "New desk":
                await _first_queue(shown)
        await shown.go("/overview/")
        await expect(shown.page.locator(".first-step")).to_have_count(0)


async def test_a_page_that_changes_does_not_take_back_the_click_that_leads_away(
    empty: Console,
) -> None:
    heard: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: heard.append(str(frame)))

    async with empty.window("first") as shown:
        shown.page.on("websocket", listen)
        await shown.go_live("/overview/")
        leads_to = await shown.page.locator(".first-step a.button--primary").get_attribute("href")
        assert leads_to

        async def slow(route: Route) -> None:
            await eventually(lambda: any("North" in frame for frame in heard))
            await route.continue_()

        await shown.page.route(lambda url: url.endswith(leads_to), slow)
        await shown.until("performance.now() > 2000")  # from then on it is drawn anew at once
        await shown.page.locator(".first-step a.button--primary").click(no_wait_after=True)
        empty.stage(STAGE, "pool")
        await shown.page.wait_for_url(lambda url: url.endswith(leads_to))


async def _next_step(shown: Window) -> tuple[int, str]:
    """How many steps are done, and what the one button says."""
    await shown.page.locator(".first-step").first.wait_for()
    await expect(shown.page.locator(".first-step")).to_have_count(len(STEPS))
    button = await shown.text(".first-step a.button--primary")
    return await shown.page.locator(".first-step__mark--done").count(), button


async def _fill_in(shown: Window, values: dict[str, str]) -> None:
    """Fill the form that is open, and send it off."""
    open_one = "dialog[open] form"
    form = shown.page.locator(
        open_one if await shown.page.locator(open_one).count() else "main form:has([name])"
    ).last
    before = shown.page.url
    for name, value in values.items():
        field = form.locator(f"[name={name}]")
        if await field.evaluate("(each) => each.tagName") == "SELECT":
            await field.select_option(value)
        else:
            await field.fill(value)
    await form.locator(".button--primary").click()
    await shown.page.wait_for_url(lambda url: url != before)


async def _first_queue(shown: Window) -> None:
    """The desk's page asks for a queue and says so; its visitors' page then opens."""
    await shown.page.locator("a.button--primary", has_text="New queue").click()
    await _fill_in(shown, {"slug": "orders", "name": "Orders"})
    await shown.go("/q/orders/")
    assert await shown.text("h1")
