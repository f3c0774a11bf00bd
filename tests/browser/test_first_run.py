"""An empty installation leads an operator, step by step, to the first thing of each kind."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from poolsite.runtime.redis_server import RedisServer
from tests.browser.console import PASSWORD, Window, window
from tests.live.servers import Site, WebServer

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium")]

MAKE_OPERATOR = f"""
import poolsite, django
django.setup()
from poolsite.access import services
made = {{"username": "first", "email": "first@example.org", "is_operator": True}}
user = services.user_create(password={PASSWORD!r}, actor="test", **made)
for name in ("operate", "finance"):
    services.grant_set(user=user, name=name, actor="test")
"""
MAKE_POOL = """
import poolsite, django
django.setup()
from numbers.services import pool_create
pool_create(slug="north", name="North", actor="test")
"""
# In the order of the steps: what stands on the button, what is filled in, where it leads.
STEPS = (
    ("New account", {"slug": "shop", "name": "The shop"}, "/accounts/shop/invite/"),
    ("New pool", {"slug": "east", "name": "East"}, "/pools/east/"),
    ("New desk", {"slug": "help", "name": "Help"}, "/desks/help/settings/"),
    ("New gate", {"slug": "meters", "name": "Meters"}, "/gates/meters/"),
    ("New group", {"slug": "apps", "name": "Servers"}, "/groups/apps/"),
    ("Open a balance", {"account": "shop"}, "/billing/accounts/shop/"),
)


class _EmptySite(Site):
    """Without a second factor, so that the balance can be opened at once."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"POOLSITE_SECOND_FACTOR_FOR_MONEY": "0"}


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[WebServer]:
    """A migrated database with one operator and nothing else."""
    redis = RedisServer(folder=tmp_path / "r", append_only=False).start()
    site = _EmptySite(tmp_path / "site", redis.url)
    site.migrate()
    site.run("-c", MAKE_OPERATOR)
    server = WebServer(site, "uvicorn", application="poolsite.asgi:application").start()
    yield server
    server.stop()
    redis.stop()


async def test_the_overview_leads_through_every_step_until_all_are_done(
    browser: Browser, empty: WebServer
) -> None:
    async with window(browser, f"http://127.0.0.1:{empty.port}") as shown:
        await shown.log_in("first")
        for place, (label, values, leads_to) in enumerate(STEPS):
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
    browser: Browser, empty: WebServer
) -> None:
    async with window(browser, f"http://127.0.0.1:{empty.port}") as shown:
        await shown.log_in("first")
        leads_to = await shown.page.locator(".first-step a.button--primary").get_attribute("href")
        assert leads_to

        async def slow(route: Route) -> None:
            await asyncio.sleep(8)  # long enough to hear of the pool
            await route.continue_()

        await shown.page.route(lambda url: url.endswith(leads_to), slow)
        await shown.page.locator(".first-step a.button--primary").click(no_wait_after=True)
        await asyncio.to_thread(empty.site.run, "-c", MAKE_POOL)
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
