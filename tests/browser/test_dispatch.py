"""The dispatcher in a real browser, under load: a drain, and an upgrade that loses no session."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, expect

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.browser.console import DESKTOP, PHONE, Window, chromium, window
from tests.live.servers import ROOT, Site, WebServer

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium"), pytest.mark.slow]
PATIENCE_MS = 60_000
UPGRADE_MS = 240_000  # three instances, each drained, restarted and watched for three heartbeats
LOST = re.compile(r"LOST (\d+)")
NO_NUMBER = re.compile(r"no number (\d+)")
STARTED = re.compile(r"started (\d+)")


@dataclass
class Played:
    """The site, and the play of the group's peers, whose log it keeps."""

    web: WebServer
    log: Path
    player: subprocess.Popen[bytes]

    def counts(self, word: re.Pattern[str]) -> int:
        """The sum over the front-ends of their last own count."""
        lines = [line for line in self.log.read_text().splitlines() if "LOST" in line]
        return sum(int(found) for found in word.findall(lines[-1])) if lines else 0


@contextmanager
def _child(site: Site, log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=ROOT,
            env=site.environment,
            stdout=output,
            stderr=output,
            preexec_fn=die_with_parent,
        )
    try:
        yield child
    finally:
        child.terminate()
        child.wait(timeout=20)


def register(config: Path, port: int) -> None:
    """Let the switch of the pool say that its lines are up, so that they can be given out."""
    told = json.loads(config.read_text())
    group = told["groups"][0]
    events = [{"event": "reg", "number": line, "switch": "asi"} for line in told["lines"]]
    answer = httpx.post(
        f"http://127.0.0.1:{port}/api/v1/pools/{group['pool']}/events",
        headers={"Authorization": f"Bearer {group['pool_token']}"},
        json=events,
        timeout=20,
    )
    assert answer.status_code == 200, answer.text
    assert {each["outcome"] for each in answer.json()} == {"ok"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """A server, the sweeps beside it, and two front-ends over three instances under load."""
    folder = tmp_path_factory.mktemp("dispatch")
    with ExitStack() as stack:
        redis = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False)
        stack.callback(redis.stop)
        redis.start()
        site = Site(folder / "site", redis.url)
        site.migrate()
        config = folder / "simulation.json"
        config.write_text(site.run("-m", "tests.browser.dispatch_stage"))
        web = WebServer(site, "uvicorn", application="poolsite.asgi:application")
        stack.callback(web.stop)
        web.start()
        register(config, web.port)
        ticker = "tests.browser.dispatch_ticker"
        stack.enter_context(_child(site, folder / "ticker.log", ticker))
        words = ["--config", str(config), "--group", "asi", "--url", f"http://127.0.0.1:{web.port}"]
        words += ["--seed", "1", "--flap-every-seconds", "7"]
        log = folder / "player.log"
        player = _child(site, log, "integrations.simulator.dispatch", *words)
        yield Played(web, log, stack.enter_context(player))


@pytest.fixture
async def chrome() -> AsyncIterator[Browser]:
    """A Chromium for one test."""
    async with chromium() as started:
        yield started


@pytest.fixture
async def operator(chrome: Browser, played: Played) -> AsyncIterator[Window]:
    """A logged-in operator on the group's page, where every instance serves sessions."""
    base = f"http://127.0.0.1:{played.web.port}"
    async with window(chrome, base, viewport=DESKTOP) as one:
        await one.log_in("zhang.wei")
        await one.go("/groups/asi/")
        for name in ("as-1", "as-2", "as-3"):
            cell = one.page.locator(f"tr[data-peer='b:{name}'][data-state=active] .bar-cell .num")
            await cell.wait_for(timeout=PATIENCE_MS)
        yield one


async def sessions_of(page: Window, name: str) -> int:
    """What stands in the instance's row."""
    return int((await page.text(f"tr[data-peer='b:{name}'] .bar-cell .num")).split(" / ")[0])


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
    assert await operator.serious_violations() == []


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
    assert await operator.serious_violations() == []
    await page.locator(".topbar .chip--ok, header .chip--ok").first.wait_for(timeout=UPGRADE_MS)
    steps = page.locator("tr[data-step][data-status=done]")
    await expect(steps).to_have_count(3)
    await operator.go("/groups/asi/")
    for name in ("as-1", "as-2", "as-3"):
        await operator.until(
            "document.querySelector(`tr[data-peer='b:${wanted}']`)?.innerText.includes('2.0')", name
        )
    # By the front-ends' own count, told by themselves, and in the log of their play.
    await operator.until("document.querySelector('[data-lost]').textContent === '0'")
    await operator.until("[...document.querySelectorAll('[data-fronts] tbody tr')].length === 2")
    assert played.player.poll() is None
    assert played.counts(LOST) == 0
    assert played.counts(NO_NUMBER) == 0  # every session got one of the pool's numbers
    assert played.counts(STARTED) - began > 20


async def test_a_session_is_explained_and_the_log_filtered(operator: Window) -> None:
    page = operator.page
    await page.locator("tr[data-peer='b:as-1'] .bar-cell .num").click()
    session = await operator.text(".table tbody th a")
    await operator.go(f"/groups/asi/sessions/?session={session}")
    told = await operator.text(".dispatch-facts, .state")
    assert "fewest sessions by weight" in told or "no such session" in told
    await operator.go("/groups/asi/events/?event=registered&who=as-1")
    await expect(page.locator("tbody tr").first).to_be_visible()
    assert await operator.serious_violations() == []


@pytest.mark.parametrize("path", ["/groups/", "/groups/asi/", "/groups/asi/events/"])
async def test_pages_fit_a_phone(chrome: Browser, played: Played, path: str) -> None:
    base = f"http://127.0.0.1:{played.web.port}"
    async with window(chrome, base, viewport=PHONE) as one:
        await one.log_in("zhang.wei")
        await one.go(path)
        await one.page.wait_for_timeout(500)
        assert await one.overflow() == []
        assert await one.serious_violations() == []
