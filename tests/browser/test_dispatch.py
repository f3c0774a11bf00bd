"""The dispatcher in a real browser, under load: a drain, and an upgrade that loses no session."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Route, expect

from tests.browser.console import Window
from tests.browser.running import Console
from tests.support.processes import Process
from tests.support.waiting import eventually, patient

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
PATIENCE_MS = 1000 * patient(60)
# Three instances, each drained, restarted and watched for three heartbeats.
UPGRADE_MS = 1000 * patient(240)
LOST = re.compile(r"LOST (\d+)")
NO_NUMBER = re.compile(r"no number (\d+)")
STARTED = re.compile(r"started (\d+)")


@dataclass
class Played:
    """The program that plays the group's peers, and its output."""

    player: Process
    log: Path

    def counts(self, word: re.Pattern[str]) -> int:
        """Return the sum over the front-ends of their last own count."""
        lines = [line for line in self.log.read_text().splitlines() if "LOST" in line]
        return sum(int(found) for found in word.findall(lines[-1])) if lines else 0


def register(told: dict[str, Any], console: Console) -> None:
    """Let the switch of the pool report that its lines are up, so that they can be given out."""
    group = told["groups"][0]
    events = [{"event": "reg", "number": line, "switch": "asi"} for line in told["lines"]]
    with httpx.Client(**console.api(group["pool_token"])) as client:
        answer = client.post(f"/api/v1/pools/{group['pool']}/events", json=events)
    assert answer.status_code == 200, answer.text
    assert {each["outcome"] for each in answer.json()} == {"ok"}


@pytest.fixture(scope="module")
def played(console: Console) -> Iterator[Played]:
    """The group's sweeps, and two front-ends over three instances under load."""
    told = console.stage("tests.browser.dispatch_stage")
    register(told, console)
    config = console.site.folder / "dispatch.json"
    config.write_text(json.dumps(told))
    words = ["--config", str(config), "--group", "asi", "--url", console.base]
    words += ["--seed", "1", "--flap-every-seconds", "7"]
    player = "integrations.simulator.dispatch"
    with (
        console.program("tests.browser.dispatch_ticker"),
        console.program(player, *words) as process,
    ):
        yield Played(process, console.log(player))


@pytest_asyncio.fixture(loop_scope="session")
async def operator(console: Console, played: Played) -> AsyncIterator[Window]:
    """A logged-in operator on the group's page, where every instance serves sessions."""
    async with console.window("zhang.wei") as one:
        await one.go("/groups/asi/")
        for name in ("as-1", "as-2", "as-3"):
            cell = one.page.locator(f"tr[data-peer='b:{name}'][data-state=active] .bar-cell .num")
            await cell.wait_for(timeout=PATIENCE_MS)
        yield one


async def sessions_of(page: Window, name: str) -> int:
    """Return the number in the instance's row."""
    return int((await page.text(f"tr[data-peer='b:{name}'] .bar-cell .num")).split(" / ")[0])


async def test_the_page_shows_its_instances_before_it_is_live(
    console: Console, operator: Window
) -> None:
    async with console.window("zhang.wei") as shown:
        await shown.page.route_web_socket("**/ws/live/", lambda _socket: None)  # never answers
        await shown.go("/groups/asi/")
        await expect(
            shown.page.locator("tr[data-peer='b:as-1'][data-state=active]")
        ).to_be_visible()
        await expect(shown.page.locator("[data-instances-empty]")).to_be_hidden()


async def test_a_page_of_a_moment_without_instances_offers_the_upgrade_when_they_are_back(
    console: Console, operator: Window
) -> None:
    async def as_without_instances(route: Route) -> None:
        answer = await route.fetch()
        page = (await answer.text()).replace("data-unlinked", "disabled data-unlinked")
        await route.fulfill(response=answer, body=page)

    async with console.window("zhang.wei") as shown:
        await shown.page.route("**/groups/asi/", as_without_instances)
        await shown.go("/groups/asi/")
        await expect(shown.page.locator("[data-dialog=start-upgrade]")).to_be_enabled()


async def test_an_instance_is_drained_and_opened_in_the_browser(operator: Window) -> None:
    page = operator.page
    row = page.locator("tr[data-peer='b:as-2']")
    await operator.until(
        "+document.querySelector(\"tr[data-peer='b:as-2'] .bar-cell .num\")"
        ".textContent.split(' / ')[0] > 0"
    )
    await row.locator("[data-verb=drain]").click()
    await page.fill("#set-reason", "new disk")
    await page.click("#set-instance [data-go]")
    await page.locator("tr[data-peer='b:as-2'][data-manual=drain]").wait_for(timeout=PATIENCE_MS)
    await expect(row).to_contain_text("zhang.wei: new disk")
    await operator.until(
        "document.querySelector(\"tr[data-peer='b:as-2'] .bar-cell .num\")"
        ".textContent.startsWith('0 /')"
    )
    assert await sessions_of(operator, "as-1") + await sessions_of(operator, "as-3") > 0
    await row.locator("[data-verb=open]").click()
    await page.click("#set-instance [data-go]")
    await page.locator("tr[data-peer='b:as-2'][data-manual=open]").wait_for(timeout=PATIENCE_MS)
    await operator.until(
        "!document.querySelector(\"tr[data-peer='b:as-2'] .bar-cell .num\")"
        ".textContent.startsWith('0 /')"
    )
    assert await operator.violations() == []


async def test_a_group_is_upgraded_under_load_without_losing_a_session(
    operator: Window, played: Played
) -> None:
    page = operator.page
    began = played.counts(STARTED)
    await page.click("[data-dialog=start-upgrade]")
    await page.fill("#start-upgrade [name=target_version]", "2.0")
    await page.click("#start-upgrade .button--primary")
    await page.wait_for_url("**/upgrades/*/")
    await page.locator("tr[data-step][data-status=draining]").first.wait_for(timeout=PATIENCE_MS)
    assert await operator.violations() == []
    await page.locator(".topbar .chip--ok, header .chip--ok").first.wait_for(timeout=UPGRADE_MS)
    steps = page.locator("tr[data-step][data-status=done]")
    await expect(steps).to_have_count(3)
    await operator.go("/groups/asi/")
    for name in ("as-1", "as-2", "as-3"):
        await operator.until(
            "document.querySelector(`tr[data-peer='b:${wanted}']`)?.innerText.includes('2.0')", name
        )
    # By the front-ends' own count, which they report, and in the program's log.
    await operator.until("document.querySelector('[data-lost]').textContent === '0'")
    await operator.until("[...document.querySelectorAll('[data-fronts] tbody tr')].length === 2")
    assert played.player.poll() is None
    assert played.counts(LOST) == 0
    assert played.counts(NO_NUMBER) == 0  # every session got one of the pool's numbers
    assert played.counts(STARTED) - began > 20


async def test_a_session_is_explained_and_the_log_filtered(operator: Window) -> None:
    page = operator.page
    await page.locator("tr[data-peer='b:as-1'] .bar-cell .num").click()
    await page.wait_for_url("**/sessions/?peer=*")
    await operator.shows("h1", "as-1")
    await operator.until("document.querySelector('[data-peer-beat]').textContent !== '–'")

    async def one_is_listed() -> bool:
        """The list shows one moment, in which an instance may have no session."""
        await page.reload()
        return await page.locator(".table tbody th a").count() > 0

    await eventually(one_is_listed)
    session = await operator.text(".table tbody th a")
    await operator.go(f"/groups/asi/sessions/?session={session}")
    told = await operator.text(".dispatch-facts, .state")
    assert "fewest sessions, by weight" in told or "Session not found" in told
    await operator.go("/groups/asi/events/?event=registered&who=as-1")
    await expect(page.locator("tbody tr").first).to_be_visible()
    assert await operator.violations() == []
