"""Gates and batches in a real browser: a cap that is kept under load, uploads, two windows."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Dialog, Page, expect

from poolsite.runtime.redis_server import RedisServer
from queueing.admission.gate import read_change
from tests.browser.console import LIVE, Window
from tests.browser.running import Console
from tests.support.ports import free_port
from tests.support.waiting import eventually, patient

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
USED = "Number(document.querySelector('[data-figure=used]')?.textContent)"
CAP = "document.querySelector('[data-figure=cap]')?.textContent"
ENOUGH = 20
OPEN_MS = 1000 * patient(40)  # a batch is read, and its window opens


@pytest.fixture(scope="module")
def gates(console: Console) -> Iterator[Console]:
    """The console with what gate_stage.py makes, and the gates' sweeps."""
    console.stage("tests.browser.gate_stage")
    with console.program("tests.admission.gate_ticker"):
        yield console


@pytest.fixture
def load(gates: Console) -> Iterator[Path]:
    """Devices at work on an external system that counts them. Yield that system's own log."""
    config = gates.site.folder / "gates.json"
    config.write_text(json.dumps(gates.stage("tests.browser.gate_stage")))
    log = gates.site.folder / "external.jsonl"
    port = str(free_port())
    told = ["--config", str(config), "--gate", "tower", "--url", gates.base]
    place = ["--external", f"http://127.0.0.1:{port}", "--work-seconds", "1"]
    words = ["--port", port, "--strong", "20", "--log", str(log)]
    name = "integrations.simulator"
    with (
        gates.program(f"{name}.external", *told, *words),
        gates.program(f"{name}.devices", *told, *place),
    ):
        yield log


@pytest_asyncio.fixture(loop_scope="session")
async def shown(gates: Console) -> AsyncIterator[Window]:
    """A window in which an operator has logged in."""
    async with gates.window("lin.mei") as one:
        yield one


class Machine:
    """A machine at the gate `press`."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.client.post(f"/api/v1{path}", json=body)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told


@pytest_asyncio.fixture(loop_scope="session")
async def machine(gates: Console) -> AsyncIterator[Machine]:
    """A machine that ends with no permit of its own."""
    told = gates.stage("tests.browser.gate_stage")["gates"]
    token = next(gate["token"] for gate in told if gate["slug"] == "press")
    async with httpx.AsyncClient(**gates.api(token)) as client:
        yield Machine(client)


async def open_gate(shown: Window, slug: str) -> None:
    await shown.go_live(f"/gates/{slug}/")


async def change_cap(shown: Window, cap: int) -> None:
    await shown.page.click(".gate-change:not([open]) > summary")
    await shown.page.fill("#id_cap", str(cap))
    await shown.send("button[value=resize]")
    await shown.until(f"{CAP} === wanted", f"of {cap}")
    await shown.until(LIVE)


def moves(log: Path) -> list[dict[str, Any]]:
    """Return every change of the external system's count."""
    return [
        json.loads(line) for line in log.read_text().splitlines(keepends=True) if line[-1] == "\n"
    ]


async def moved_often(log: Path) -> None:
    """Wait for enough changes of the count to see that a cap is kept."""
    began = time.time()
    await eventually(lambda: sum(move["at"] > began for move in moves(log)) >= ENOUGH)


async def test_a_cap_changed_under_load_holds_from_that_moment_in_both_directions(
    shown: Window, load: Path, gates: Console
) -> None:
    await open_gate(shown, "tower")
    await shown.until(f"{USED} === wanted", 6)
    await change_cap(shown, 3)
    await shown.until(f"{USED} <= wanted", 3)
    low_at = time.time()
    await moved_often(load)
    raised_at = time.time()
    await change_cap(shown, 10)
    await shown.until(f"{USED} === wanted", 10)
    await moved_often(load)

    counted = moves(load)
    lowered = [move["count"] for move in counted if low_at < move["at"] < raised_at]
    assert lowered, "nobody worked under the lower cap"
    assert max(lowered) <= 3
    assert max(move["count"] for move in counted if move["at"] < low_at) <= 6
    assert 6 < max(move["count"] for move in counted) <= 10
    assert _every_grant_was_under_the_cap_of_its_moment(gates.redis) == [6, 3, 10]


def _every_grant_was_under_the_cap_of_its_moment(server: RedisServer) -> list[int]:
    """Replay the gate's own history. Return the caps one after the other.

    A permit counts until its deadline, though `expired` is written by the next sweep: a device
    that this machine delays for longer than its permit has lost its slot.
    """
    with server.client() as client:
        entries = client.xrange("{gate.tower}:log")
    caps = [6]
    deadlines: dict[str, int] = {}
    changes = [read_change(fields) for _, fields in entries]
    assert changes[0].event == "created", "the beginning was trimmed"
    assert all(a.at_us <= b.at_us for a, b in pairwise(changes))
    for change in changes:
        if change.event == "resized":
            caps.append(int(change.data.split()[1]))
        elif change.event in ("issued", "renewed"):
            assert change.deadline_us is not None
            deadlines[change.holder] = change.deadline_us
        elif change.event in ("done", "failed", "expired", "freed"):
            deadlines.pop(change.holder, None)
        if change.event == "issued":
            held = sum(deadline_us > change.at_us for deadline_us in deadlines.values())
            assert held <= caps[-1], "somebody was let in over the cap"
    return caps


async def test_a_holder_is_freed_with_a_reason_and_the_next_one_moves_up(
    shown: Window, machine: Machine
) -> None:
    for name in ("worker-1", "worker-2", "worker-3", "worker-4"):
        await machine.post("/gates/press/acquire", holder=name)
    await open_gate(shown, "press")
    page = shown.page
    await page.wait_for_selector("[data-holders] th:text-is('worker-1')")
    waiting = page.locator("[data-line] tbody tr")
    await waiting.nth(1).wait_for()
    await expect(waiting.nth(0).locator("td").first).to_have_text("1")
    await expect(waiting.nth(0)).to_contain_text("worker-3")
    await expect(waiting.nth(1)).to_contain_text("worker-4")

    row = page.locator("[data-holders] tr", has_text="worker-1")
    await row.locator("button").click()
    await page.click("#free-holder button.button--danger")  # no reason: the browser itself refuses
    await expect(page.locator("#free-holder")).to_be_visible()
    await page.fill("#free-reason", "hangs since noon")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("text=Slot held by worker-1 freed.")
    await row.wait_for(state="detached")
    assert (await machine.post("/gates/press/acquire", holder="worker-3"))["granted"]
    await page.wait_for_selector("[data-holders] th:text-is('worker-3')")
    await shown.until("document.querySelectorAll('[data-line] tbody tr').length === 1")
    assert await shown.violations() == []
    for name in ("worker-2", "worker-3"):
        again = await machine.post("/gates/press/acquire", holder=name)
        await machine.post("/gates/press/release", holder=name, token=again["token"])


async def test_a_page_shows_its_holders_and_its_line_before_it_is_live(
    gates: Console, machine: Machine
) -> None:
    permits = [await machine.post("/gates/press/acquire", holder=name) for name in ("a-1", "a-2")]
    assert not (await machine.post("/gates/press/acquire", holder="a-3"))["granted"]
    async with gates.window("lin.mei") as shown:
        await shown.page.route_web_socket("**/ws/live/", lambda _socket: None)  # never answers
        await shown.go("/gates/press/")
        await expect(shown.page.locator("[data-holders] tbody tr")).to_have_count(2)
        await expect(shown.page.locator("[data-line] tbody")).to_contain_text("a-3")
        await expect(shown.page.locator("[data-holders-empty]")).to_be_hidden()
        await expect(shown.page.locator("[data-undrawn]")).to_have_count(0)
    async with gates.window("lin.mei") as shown:
        await open_gate(shown, "press")
        refused = shown.page.locator("[data-figure=refused]")
        before = int(await refused.inner_text())
        assert not (await machine.post("/gates/press/acquire", holder="a-3"))["granted"]
        await expect(refused).to_have_text(str(before + 1))
    for name, permit in zip(("a-1", "a-2"), permits, strict=True):
        await machine.post("/gates/press/release", holder=name, token=permit["token"])
    for name in ("worker-4", "a-3"):  # otherwise they keep their place before those of other tests
        permit = await machine.post("/gates/press/acquire", holder=name)
        await machine.post("/gates/press/release", holder=name, token=permit["token"])


async def upload(page: Page, name: str, rows: str, *, skip_bad: bool = False) -> None:
    await page.fill("#new-batch #id_name", name)
    csv = {"name": "tasks.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    await page.set_input_files("#new-batch #id_file", csv)
    if skip_bad:
        await page.check("#new-batch #id_skip_bad")
    await page.click("#new-batch button.button--primary")


async def test_a_batch_is_uploaded_watched_and_its_failed_devices_come_as_csv(
    shown: Window, machine: Machine
) -> None:
    page = shown.page
    await shown.go("/gates/press/batches/")
    await page.click("[data-dialog=new-batch]")
    await upload(page, "night <b>", "a1,one\na2,two\na1,again\nb c,bad\n")
    await shown.contains("#new-batch", "Row 3 (a1)")
    await shown.contains("#new-batch", "Row 4 (b c)")
    await expect(page.locator("[data-batch]")).to_have_count(0)
    await upload(page, "night <b>", "a1,one\na2,two\na1,again\nb c,bad\n", skip_bad=True)
    await page.wait_for_url("**/batches/*/")
    await shown.shows("h1", "night <b>")
    await page.wait_for_selector(".chip--info:has-text('In progress')", timeout=OPEN_MS)
    await shown.until("document.querySelector('[data-figure=pending]')?.textContent === '2'")

    first = await machine.post("/devices/a1/report")
    await shown.until("document.querySelector('[data-figure=issued]')?.textContent === '1'")
    second = await machine.post("/devices/a2/report")
    for device, told, ok in (("a1", first, True), ("a2", second, False)):
        result = {"task": told["task"], "token": told["token"], "ok": ok}
        await machine.post(f"/devices/{device}/report", results=[result])
    await shown.until("document.querySelector('[data-figure=done]')?.textContent === '1'")
    await shown.until("document.querySelector('[data-figure=failed]')?.textContent === '1'")
    await shown.shows("[data-ended]", "2 of 2")
    async with page.expect_download() as download:
        await page.click("a[href$='/failed/']")
    saved = await (await download.value).path()
    rows = (await asyncio.to_thread(Path(saved).read_text)).splitlines()
    assert rows[0].startswith("device,payload,state,reason")
    assert [row.split(",")[:4] for row in rows[1:]] == [["a2", "two", "failed", "device"]]


async def test_the_list_of_batches_is_drawn_anew_but_never_under_a_dialog(
    shown: Window, gates: Console
) -> None:
    await shown.go("/gates/tower/batches/")
    await shown.page.click("[data-dialog=new-batch]")
    await upload(shown.page, "day", "b1,one\n")
    await shown.page.wait_for_url("**/batches/*/")
    await shown.page.wait_for_selector(".chip--info:has-text('In progress')", timeout=OPEN_MS)
    async with gates.window("lin.mei") as other:
        await other.go("/gates/tower/batches/")
        row = other.page.locator("tr[data-batch]:has(a:text-is('day'))")
        await row.and_(other.page.locator("[data-status=open]")).wait_for()
        await other.until(LIVE)
        await other.page.click("[data-dialog=new-batch]")
        await shown.ready()
        await shown.page.click("[data-dialog=cancel-batch]")
        await shown.page.fill("#cancel-batch [name=reason]", "wrong file")
        await shown.page.click("#cancel-batch button.button--danger")
        await row.locator("[data-figure=expired]:text-is('1')").wait_for()
        await expect(row).to_have_attribute("data-status", "open")
        await other.page.keyboard.press("Escape")
        await row.and_(other.page.locator("[data-status=cancelled]")).wait_for()


async def test_what_one_window_does_the_other_one_shows(
    shown: Window, gates: Console, machine: Machine
) -> None:
    async with gates.window("lin.mei") as other:
        await open_gate(other, "press")
        await open_gate(shown, "press")
        await shown.page.click("[data-dialog=pause-gate]")
        await shown.page.fill("#pause-gate-reason", "storm <i>")
        await shown.page.keyboard.press("Enter")
        await other.page.wait_for_selector(".notice:has-text('storm <i>')")
        await other.ready()
        assert (await machine.post("/gates/press/acquire", holder="late"))["reason"] == "paused"
        await other.page.click("[data-dialog=resume-gate]")
        await other.send("#resume-gate button.button--primary")
        await shown.page.wait_for_selector("[data-dialog=pause-gate]")
        await change_cap(other, 4)
        await shown.until(f"{CAP} === wanted", "of 4")
        await change_cap(other, 2)


async def test_settings_are_changed_by_the_keyboard_and_a_bad_one_says_why(shown: Window) -> None:
    page = shown.page
    await open_gate(shown, "press")
    await page.click("a[href$='/settings/']")
    await page.fill("#id_margin_seconds", "5 min")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(
        ".field--error:has-text('Enter a value lower than the permit duration.')"
    )
    await expect(page.locator("[data-form-errors]")).to_be_focused()
    await expect(page.locator("#id_margin_seconds")).to_have_css("border-top-width", "2px")
    await expect(page.locator("#id_name")).to_have_css("border-top-width", "1px")
    assert await shown.violations() == []
    await page.fill("#id_margin_seconds", "20 s")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("text=Settings saved.")
    await shown.go("/gates/press/settings/")
    await expect(page.locator("#id_margin_seconds")).to_have_value("20 s")


async def test_settings_show_what_was_changed_and_ask_before_it_is_lost(shown: Window) -> None:
    page = shown.page
    await shown.go("/gates/press/settings/")
    bar = page.locator("[data-save-bar]")
    await expect(bar).to_be_hidden()
    period = page.locator("#id_period_seconds")
    await expect(period).to_be_hidden()
    await page.locator(".settings__nav").get_by_text("Advanced").click()
    before = await period.input_value()
    await period.fill("90 min")
    await page.locator("#id_fair").click()
    await expect(bar).to_contain_text("Save 2 changes")
    await expect(page.locator(".setting--changed")).to_have_count(2)
    await expect(page.get_by_text(f"was {before}", exact=True)).to_be_visible()
    assert await shown.violations() == []
    await page.locator("#id_fair").click()
    await period.fill(f" {before.upper()}")
    await expect(bar).to_be_hidden()
    rows = page.locator("[data-when=adaptive]")
    for on in (True, False):
        await page.locator("#id_adaptive").set_checked(on)
        await expect(rows.first).to_be_visible(visible=on)
    await period.fill("90")
    await page.keyboard.press("Control+s")
    link = page.locator("[data-form-errors] a")
    await expect(link).to_have_text("Report period: Add a unit, for example 90 s or 4 h.")
    await shown.ready()
    await link.click()
    await expect(period).to_be_focused()
    asked: list[str] = []

    async def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        await dialog.accept()

    page.on("dialog", leave)
    await period.fill("91")
    await shown.go("/gates/")
    assert asked == ["beforeunload"]


async def test_a_short_name_follows_the_name_until_it_is_edited(shown: Window) -> None:
    page = shown.page
    await shown.go("/gates/")
    await page.locator("[data-dialog=create]").first.click()
    slug = page.locator("#create [name=slug]")
    await page.fill("#create [name=name]", "Night  gate, Überall")
    await expect(slug).to_have_value("night-gate-uberall")
    await expect(slug).not_to_be_editable()
    assert await shown.violations() == []
    await page.fill("#create [name=name]", "夜间闸门")
    await expect(slug).to_have_value("")
    await expect(slug).to_be_editable()
    await page.fill("#create [name=name]", "Night")
    await page.locator("#create").get_by_role("button", name="Edit", exact=True).click()
    await slug.fill("nights")
    await page.fill("#create [name=name]", "Night gate")
    await expect(slug).to_have_value("nights")


async def test_a_gate_that_is_created_appears_in_a_list_that_is_open(
    gates: Console, shown: Window
) -> None:
    await shown.go_live("/gates/")
    rows = shown.page.locator("tr[data-gate]")
    before = await rows.count()
    async with gates.window("lin.mei") as other:
        await other.go("/gates/")
        await other.page.locator("[data-dialog=create]").first.click()
        await other.page.fill("#create [name=name]", "Appearing")
        await other.send("#create .button--primary")
    await expect(rows).to_have_count(before + 1)
