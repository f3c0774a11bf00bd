"""Routing in a real browser: topics, a signed visitor, hours in two zones, and their pages."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.console import PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online, view
from tests.browser.running import Console
from tests.line.identity_tokens import token

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


@pytest.fixture(scope="module")
def shop(line: Console) -> dict[str, Any]:
    """A desk whose topics lead to other queues."""
    return line.stage("tests.browser.routing_stage")


@pytest_asyncio.fixture(loop_scope="session")
async def owner(line: Console, shop: dict[str, Any]) -> AsyncIterator[Window]:
    """The desk's owner."""
    async with line.window("wen.bo") as shown:
        yield shown


async def test_a_topic_leads_a_signed_visitor_to_the_agent_with_the_skill(
    shop: dict[str, Any], visitor: Window, agent: Window
) -> None:
    identity = token(shop["secret"], name="Ann Bell", **{"class": 2})
    await visitor.go(f"/q/shop-door/#identity={identity}")
    await view(visitor.page, "join")
    await visitor.contains("[data-signed-words]", "Logged in as Ann Bell")
    assert "identity" not in visitor.page.url
    await expect(visitor.page.locator("#visit-name")).to_have_value("Ann Bell")
    await visitor.page.get_by_text("Invoice", exact=True).click()
    assert await visitor.violations() == []
    assert await visitor.overflow() == []
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "waiting")
    await visitor.contains("[data-place-label]", "Invoices")  # the page follows the topic's queue
    await visitor.page.reload()
    await view(visitor.page, "waiting")
    await visitor.contains("[data-place-label]", "Invoices")

    await go_online(agent, "rui.an")
    await view(visitor.page, "room")
    room = agent.page.locator("[data-room]")
    await room.get_by_text("Verified").wait_for(timeout=PATIENCE_MS)
    await room.get_by_text("Invoice", exact=True).wait_for()
    assert await agent.violations() == []
    # a visitor who logs in after her in the same browser does not see her visit
    other = token(shop["secret"], sub="customer-9", name="Bo")
    await visitor.page.goto("about:blank")
    await visitor.go(f"/q/shop-door/#identity={other}")
    await view(visitor.page, "join")
    await visitor.contains("[data-signed-words]", "Logged in as Bo")


async def test_who_shows_a_token_that_is_not_good_joins_as_a_guest(
    shop: dict[str, Any], visitor: Window
) -> None:
    await visitor.go(f"/q/shop-door/#identity={token('another secret', name='Eve')}")
    await view(visitor.page, "join")
    await visitor.page.fill("#visit-name", "Guest")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "waiting")
    await visitor.contains("[data-notice-words]", "joined as a guest")


async def test_a_closed_topic_says_when_it_opens_in_both_zones_and_leads_back(
    line: Console, shop: dict[str, Any]
) -> None:
    async with line.window(viewport=PHONE, timezone_id="Europe/Berlin") as shown:
        await shown.go("/q/shop-door/")
        await view(shown.page, "join")
        await shown.page.fill("#visit-name", "Cy")
        await shown.page.get_by_text("At night").click()
        await shown.page.click("[data-join] .button--primary")
        await view(shown.page, "closed")
        await shown.contains("[data-closed-title]", "Night desk is closed right now")
        await shown.contains("[data-closed-text]", "The night desk is resting.")
        opens = await shown.page.inner_text("[data-opens-at]")
        assert "(09:00, Shanghai time)" in opens
        assert opens.split(" at ")[1][:5] in ("02:00", "03:00")  # winter and summer time of Berlin
        assert await shown.violations() == []
        await shown.page.click("[data-back]")
        await view(shown.page, "join")
        await shown.page.get_by_text("Delivery", exact=True).click()
        await shown.page.click("[data-join] .button--primary")
        await view(shown.page, "waiting")
        await shown.contains("[data-place-label]", "Shop")


async def test_an_owner_edits_topics_and_hours_by_hand(owner: Window) -> None:
    await owner.go("/desks/shop/routing/")
    assert await owner.violations() == []
    await owner.page.get_by_role("link", name="Shop", exact=True).last.click()
    await owner.ready()
    await owner.page.get_by_label("Topic, row 4").fill("Refund")
    await owner.page.get_by_label("Goes to, row 4").select_option(label="Invoices")
    await owner.page.get_by_label("Required skills, row 4").fill("invoices 1")
    await owner.send("button:has-text('Save topics')")
    sentence = "Visitors wait in Invoices for an agent with Invoices at level 1 or higher."
    await owner.page.get_by_text(sentence).wait_for()
    assert await owner.violations() == []

    await owner.go("/desks/shop/queues/shop-bills/")
    await owner.page.get_by_label("Always open").uncheck()
    monday = owner.page.get_by_role("group", name="Monday")
    await monday.get_by_role("button", name="Add hours").click()
    await monday.get_by_label("Monday, from").fill("22:00")
    await monday.get_by_label("Monday, until").fill("06:00")
    await expect(monday.get_by_text("next day")).to_be_visible()
    await monday.get_by_role("button", name="Copy to Monday to Friday").click()
    assert await owner.violations() == []
    await owner.page.set_viewport_size(PHONE)
    assert await owner.overflow() == []
    await owner.send("[data-save-bar] .button--primary")
    await owner.go("/desks/shop/queues/shop-bills/")
    friday = owner.page.get_by_role("group", name="Friday")
    await expect(friday.get_by_label("Friday, until")).to_have_value("06:00")
    sunday = owner.page.get_by_role("group", name="Sunday")
    await expect(sunday.get_by_text("Closed")).to_be_visible()
    await owner.page.get_by_label("Always open").check()
    await owner.send("[data-save-bar] .button--primary")
