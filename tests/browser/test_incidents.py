"""Incidents in two windows: what one user does is seen in the other window."""

import json
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Locator, WebSocketRoute, expect

from tests.browser.console import COLOURS, PHONE, Window
from tests.browser.incident_stage import CAUSE
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

ROWS = "[data-attention] > [data-attention-rows]"


@pytest_asyncio.fixture(loop_scope="session")
async def other(console: Console) -> AsyncIterator[Window]:
    async with console.window("lin.mei") as shown:
        yield shown


def row(shown: Window, box: str = ROWS) -> Locator:
    return shown.page.locator(f"{box} [data-cause='{CAUSE}']")


async def test_who_acknowledges_and_snoozes_is_seen_by_the_others_until_it_gets_worse(
    console: Console, operator: Window, other: Window
) -> None:
    console.stage("tests.browser.incident_stage")
    for shown in (operator, other):
        await shown.go_live("/incidents/")
    await expect(row(operator).locator(".attention__owner")).to_contain_text("Unassigned")
    await row(operator).locator("[data-acknowledge]").click()
    await expect(row(other).locator(".attention__owner")).to_contain_text("Lin Mei")
    await expect(row(other).locator("[data-acknowledge]")).to_have_count(0)

    await row(operator).locator("[data-snooze]").click()
    await operator.page.get_by_label("1 hour").check()
    await operator.page.fill("#snooze-reason", "Known until noon")
    await operator.page.click("#snooze-dialog .button--primary")
    await expect(row(other)).to_have_count(0)
    await other.page.click("[data-attention-snoozed] summary")
    later = row(other, "[data-attention-later]")
    await expect(later.locator(".attention__snooze")).to_contain_text("Known until noon")

    console.stage("tests.browser.incident_stage", "worse")
    for shown in (operator, other):
        await expect(row(shown)).to_have_count(1)
        await expect(row(shown).locator("summary")).to_contain_text("Show 2 others")


async def test_an_incidents_page_is_live_and_pleases_axe_also_on_a_phone(
    console: Console, operator: Window, other: Window
) -> None:
    console.stage("tests.browser.incident_stage")
    await operator.go_live("/incidents/")
    own = await row(operator).locator("a.attention__title").get_attribute("href")
    await operator.go(own or "")
    page = operator.page
    assert await operator.violations() == []
    await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    await operator.go(urlsplit(page.url).path)
    assert await operator.violations(*COLOURS) == []
    await other.go_live(urlsplit(page.url).path)
    await page.fill("#incident-note", "Called the carrier")
    await page.click(".incident__note .button")
    await expect(other.page.locator("#incident-timeline")).to_contain_text("Called the carrier")
    await page.set_viewport_size(PHONE)
    assert await operator.overflow() == []
    await page.click("[data-dialog='snooze-dialog']")
    await expect(page.locator("#snooze-dialog")).to_be_visible()
    assert await operator.violations() == []
    assert operator.complaints == []


async def test_a_row_opens_its_incident_beside_the_list_with_an_address(
    console: Console, operator: Window
) -> None:
    console.stage("tests.browser.incident_stage")
    await operator.go_live("/incidents/")
    page = operator.page
    await page.set_viewport_size({"width": 1440, "height": 900})
    title = await row(operator).locator("a.attention__title").inner_text()
    await row(operator).locator("a.attention__title").click()
    panel = page.locator("#panel-title")
    await expect(panel).to_have_text(title)
    assert urlsplit(page.url).query.startswith("panel=")
    assert await operator.violations() == []
    await page.reload()
    await expect(panel).to_have_text(title)
    await page.fill("#incident-note", "Called the carrier")
    await operator.send(".incident__note .button")
    await expect(page.locator("#incident-timeline")).to_contain_text("Called the carrier")
    assert urlsplit(page.url).query.startswith("panel=")
    await page.click("[data-dialog='assign-dialog']")
    person = await page.locator("#assign-owner option").nth(1).inner_text()
    await page.select_option("#assign-owner", index=1)
    assert await operator.violations() == []
    await page.click("#assign-dialog .button--primary")
    await expect(panel).to_have_text(title)
    await expect(row(operator).locator(".attention__owner")).to_contain_text(
        person.removesuffix(" (you)")
    )
    await page.click("[data-dock-close]")
    await expect(panel).to_have_count(0)
    await page.go_back()
    await expect(panel).to_have_text(title)
    await page.focus("[data-dock-close]")
    await page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)
    await page.keyboard.press("j")
    await expect(panel).to_have_count(1)

    await page.set_viewport_size(PHONE)
    await operator.go("/incidents/")
    await row(operator).locator("a.attention__title").click()
    await page.wait_for_url("**/incidents/*/")
    assert operator.complaints == []


async def test_an_incident_that_ends_appears_in_the_list_of_ended_ones(
    console: Console, operator: Window
) -> None:
    console.stage("tests.browser.incident_stage")
    await operator.go_live("/incidents/?q=gate")
    ended = operator.page.locator("#incident-rows tr[data-incident]")
    before = await ended.count()
    console.stage("tests.browser.incident_stage", "over")
    await expect(ended).to_have_count(before + 1)
    assert operator.complaints == []


async def test_problems_that_are_over_before_the_first_live_data_leave_the_page(
    console: Console, operator: Window
) -> None:
    def open_without_problems(socket: WebSocketRoute) -> None:
        def pass_on(message: str | bytes) -> None:
            frame = json.loads(message)
            if "causes" in frame.get("data", {}):
                frame["data"] |= {"causes": [], "snoozed": [], "problems": 0, "silent": False}
            socket.send(json.dumps(frame))

        socket.connect_to_server().on_message(pass_on)

    console.stage("tests.browser.incident_stage")
    await operator.go("/overview/")
    drawn = operator.page.locator(f"{ROWS} [data-cause]")
    assert await drawn.count() > 0
    await operator.page.route_web_socket("**/ws/live/", open_without_problems)
    await operator.go_live("/overview/")
    await expect(operator.page.locator("[data-attention-well]")).to_be_visible()
    await expect(drawn).to_have_count(0)
