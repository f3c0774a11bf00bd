"""One pool live: a second client's events are shown at once, an operator's actions take effect."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from playwright.async_api import Route, expect

from tests.browser.console import Window
from tests.browser.running import Console
from tests.browser.stage import POOL

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

PAGE = f"/pools/{POOL}/"


@dataclass
class Switch:
    """A switch on the pool's public API."""

    client: httpx.Client
    numbers: list[str]
    calls: list[str] = field(default_factory=list)

    def send(self, event: str, number: str = "", **more: Any) -> dict[str, Any]:
        """Report one event. Return the answer, whatever it is."""
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


@pytest.fixture
def switch(console: Console) -> Iterator[Switch]:
    """A second client, which reports events of the pool. At the end every number is idle+up."""
    told = console.stage("tests.browser.stage")
    with httpx.Client(**console.api(told["token"])) as client:
        second = Switch(client, told["numbers"])
        second.settle()
        yield second
        second.settle()


def state_of(switch: Switch, number: str) -> str:
    """Return a JavaScript expression: the letter of the number's tile."""
    return f"document.querySelector('#tile-{switch.numbers.index(number)}').dataset.state"


async def open_pool(shown: Window) -> None:
    await shown.go_live(PAGE)
    await shown.until("document.querySelectorAll('.tile-list .tile[data-state]').length === 40")


async def test_tiles_and_figures_follow_a_second_client(operator: Window, switch: Switch) -> None:
    await open_pool(operator)
    picked = [switch.send("call", call_id=f"tiles-{n}", agent="Wang Fang") for n in range(3)]
    assert {answer["outcome"] for answer in picked} == {"ok"}
    for answer in picked:
        await operator.until(f"{state_of(switch, answer['number'])} === 'C'")
    await operator.until("document.querySelector('[data-figure=busy]').textContent === '3'")
    await operator.shows("button[data-letter=C] b", "3")
    index = switch.numbers.index(picked[0]["number"])
    shown = await operator.page.get_attribute(f"#tile-{index}", "aria-label")
    assert shown is not None
    assert shown.endswith(", In call")
    switch.send("hangup", call_id="tiles-0")
    await operator.until(f"{state_of(switch, picked[0]['number'])} === 'R'")


async def test_a_chosen_number_tells_its_story_while_it_happens(
    operator: Window, switch: Switch
) -> None:
    await open_pool(operator)
    await operator.page.click("#tile-7")
    await operator.until("document.querySelector('[data-story] .timeline') !== null")
    switch.send(
        "call", switch.numbers[7], call_id="story-7", agent="Li Jun", callee="+8613912342231"
    )
    await operator.until(
        "document.querySelector('[data-story] .timeline__title').textContent"
        " === 'Picked for Li Jun'"
    )
    await operator.contains("[data-story] .timeline__why", "callee 139 •••• 2231")
    await operator.shows("[data-story] .chip", "In call")


async def test_an_operator_ends_a_call_and_says_why(operator: Window, switch: Switch) -> None:
    page = operator.page
    await open_pool(operator)
    switch.send("call", switch.numbers[3], call_id="end-3", agent="Zhao Min")
    await operator.until(f"{state_of(switch, switch.numbers[3])} === 'C'")
    await page.click("#tile-3")
    await page.click("[data-hangup]")
    await page.click("[data-ask-go]")
    await expect(page.locator("[data-ask-error]")).to_be_visible()
    await page.fill("[data-ask-reason]", "stuck since noon")
    await page.click("[data-ask-go]")
    await operator.until(f"{state_of(switch, switch.numbers[3])} !== 'C'")
    await operator.until(
        "document.querySelector('[data-story] .timeline__title').textContent"
        " === 'Hung up by an operator'"
    )
    await operator.contains("[data-story] .timeline__why", "stuck since noon")
    assert switch.send("hangup", switch.numbers[3], call_id="end-3")["outcome"] == "ok"


async def test_a_quarantined_number_is_hatched_and_not_picked_until_it_is_released(
    operator: Window, switch: Switch
) -> None:
    page = operator.page
    await open_pool(operator)
    await page.click("#tile-5")
    await page.click("[data-quarantine]")
    await page.fill("[data-ask-reason]", "complaints")
    await page.click("[data-ask-go]")
    await operator.until(f"{state_of(switch, switch.numbers[5])} === 'Q'")
    assert switch.send("call", switch.numbers[5], call_id="q-5")["reason"] == "quarantined"
    await page.click("[data-release]")
    await page.click("[data-ask-go]")
    await operator.until(f"{state_of(switch, switch.numbers[5])} === 'R'")
    assert switch.send("call", switch.numbers[5], call_id="q-6")["outcome"] == "ok"


async def test_a_paused_pool_says_so_in_another_window_and_refuses_calls(
    operator: Window, console: Console, switch: Switch
) -> None:
    async with console.window("lin.mei") as other:
        await open_pool(operator)
        await open_pool(other)
        await operator.page.click("[data-menu=pool-menu]")
        await operator.page.click("[data-pause]")
        await operator.page.fill("[data-ask-reason]", "carrier trouble")
        await operator.page.click("[data-ask-go]")
        await other.until("document.querySelector('[data-paused]') !== null")
        await other.contains("[data-paused]", "carrier trouble")
        await other.ready()
        assert switch.send("call", call_id="paused-1")["reason"] == "paused"
        await other.page.click("[data-menu=pool-menu]")
        await other.page.click("[data-resume]")
        await operator.until("document.querySelector('[data-paused]') === null")
        assert switch.send("call", call_id="paused-2")["outcome"] == "ok"


async def test_tiles_are_one_tab_stop_with_arrows_enter_and_a_filter(
    operator: Window, switch: Switch
) -> None:
    page = operator.page
    await open_pool(operator)
    await page.focus(".tile-list")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    active = await page.get_attribute(".tile-list", "aria-activedescendant")
    assert active == "tile-2"
    await page.keyboard.press("Enter")
    await operator.until("document.querySelector('[data-story] .timeline') !== null")
    await expect(page.locator("#tile-2")).to_have_attribute("aria-selected", "true")
    switch.send("call", switch.numbers[0], call_id="filter-0")
    await operator.until(f"{state_of(switch, switch.numbers[0])} === 'C'")
    await page.click("button[data-letter=C]")
    dimmed = "document.querySelectorAll('.tile-list .tile[data-dim]').length"
    await operator.until(f"{dimmed} === 39")
    await page.click("button[data-letter=C]")
    await operator.until(f"{dimmed} === 0")


async def test_tiles_and_charts_have_a_table_beside_them(operator: Window, switch: Switch) -> None:
    page = operator.page
    await open_pool(operator)
    await page.click("[data-tile-table]")
    await operator.until("document.querySelectorAll('[data-tiles] tbody tr').length === 40")
    await page.click("[data-tile-table]")
    await operator.until("document.querySelectorAll('.tile-list .tile').length === 40")
    await page.route("**/*seconds=3600", lambda route: route.abort())
    await page.click("[data-range='3600']")
    error = page.locator("[data-charts] .state--error")
    await error.wait_for()
    assert await page.locator("[data-charts] canvas:visible").count() == 0
    await page.unroute("**/*seconds=3600")
    await error.locator("button").click()
    await expect(page.locator("[data-charts] canvas:visible")).to_have_count(2)
    await operator.until("document.querySelector('[data-range-title]').textContent === 'Last hour'")
    await page.click("[data-chart-table]")
    await operator.until("document.querySelectorAll('.chart__table tbody tr').length === 120")


async def test_a_story_that_could_not_be_read_is_read_again(
    operator: Window, switch: Switch
) -> None:
    """No further change of this number follows that would have the page read it."""
    number = switch.numbers[9]
    await operator.go_live(f"/numbers/{number}/")
    refused: list[str] = []

    async def refuse(route: Route) -> None:
        refused.append(route.request.url)
        await route.abort()

    await operator.page.route("**/story/", refuse, times=1)
    switch.send("call", number, call_id="again-9", agent="Li Jun")
    await operator.shows("[data-word]", "In call")
    assert len(refused) == 1


async def test_a_foreign_pool_looks_like_a_missing_one(console: Console) -> None:
    async with console.window("chen.er") as shown:
        own = await shown.page.goto(f"{shown.base}{PAGE}")
        missing = await shown.page.goto(f"{shown.base}/pools/no-such-pool/")
        assert own is not None
        assert missing is not None
        assert (own.status, missing.status) == (200, 404)
        settings = await shown.page.goto(f"{shown.base}{PAGE}settings/")
        assert settings is not None
        assert settings.status == 403


async def test_a_pool_page_stays_within_its_budget_of_script(operator: Window) -> None:
    await operator.go(PAGE)
    await operator.until("document.querySelectorAll('.tile-list .tile').length === 40")
    size = await operator.page.evaluate(
        "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('.js'))"
        ".reduce((sum, e) => sum + e.decodedBodySize, 0)"
    )
    assert 200_000 < size < 300_000
