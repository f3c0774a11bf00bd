"""One operator's morning: import a file with bad rows, watch calls, step in, undo everything."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.browser.console import PHONE, Window
from tests.browser.import_stage import POOL
from tests.browser.running import Console
from tests.numbers.import_world import SAMPLE
from tests.support.waiting import patient

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
LONG_MS = 1000 * patient(90)
# Records what the bar of a job has shown, also on the page before: its end reloads the page.
WATCH_PROGRESS = """
new MutationObserver(() => {
  const bar = document.querySelector("[data-progress] progress");
  if (!bar) return;
  const seen = JSON.parse(sessionStorage.getItem("progress") ?? "[]");
  const said = bar.closest("[data-progress]").querySelector("[data-progress-done]").textContent;
  seen.push([bar.value, bar.max, said.trim()]);
  sessionStorage.setItem("progress", JSON.stringify(seen));
}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
"""


@pytest.fixture(scope="module")
def worker(console: Console) -> Iterator[None]:
    """A Celery worker on the site's database and Redis."""
    with console.program("celery", "-A", "poolsite", "worker", "-c", "1", "-l", "WARNING"):
        yield


@pytest.fixture
def second_client(console: Console) -> Iterator[httpx.Client]:
    """A machine that reports events of the pool through the public API."""
    token = console.stage("tests.browser.import_stage")["token"]
    with httpx.Client(**console.api(token)) as client:
        yield client


def send(client: httpx.Client, event: str, number: str, **more: str) -> dict[str, object]:
    """Send one event. Return the answer, whatever it is."""
    body = {"event": event, **({"number": number} if number else {}), **more}
    answer: dict[str, object] = client.post(f"/api/v1/pools/{POOL}/events", json=body).json()
    return answer


async def answer_question(page: Page, reason: str, go: str) -> None:
    """Give a reason, and press the button that names the count.

    The page reloads when it is done.
    """
    dialog = page.locator("[data-ask]")
    await dialog.locator("[data-ask-reason]").fill(reason)
    await expect(dialog.locator("[data-ask-go]")).to_have_text(go)
    async with page.expect_navigation():
        await dialog.locator("[data-ask-go]").click()


async def check_progress(page: Page) -> None:
    """Check that the bar only went up, with its texts, and was seen on its way."""
    seen = await page.evaluate("JSON.parse(sessionStorage.getItem('progress') ?? '[]')")
    steps = [value for value, most, _ in seen if most == 5_000]
    assert steps == sorted(steps)
    assert any(0 < value < 5_000 for value in steps), seen
    assert all(said == f"{value:,} of 5,000" for value, most, said in seen if most == 5_000)


async def test_an_operator_imports_the_sample_watches_calls_steps_in_and_takes_it_back(
    console: Console, operator: Window, worker: None, second_client: httpx.Client
) -> None:
    page = operator.page
    await page.add_init_script(WATCH_PROGRESS)

    # the file: 65 bad rows are named before anything is imported
    await operator.go(f"/numbers/?panel=new&pool={POOL}")
    await page.set_input_files("#import-file", SAMPLE)
    await page.click("text=Upload file")
    await page.locator(".totals").wait_for(timeout=LONG_MS)
    totals = await page.locator(".totals .figure").all_inner_texts()
    counts = [int(text.replace(",", "")) for text in totals]
    assert counts[2:] == [0, 65]
    assert sum(counts) == 5_065
    await page.click("text=Show all")
    await page.locator(".import__rows tbody tr").nth(64).wait_for()
    reasons = await page.locator(".import__rows tbody tr td:last-child").all_inner_texts()
    assert len(reasons) == 65
    assert sum("Not a phone number" in why for why in reasons) == 20
    assert sum("the maximum is 32" in why for why in reasons) == 10
    assert sum("is empty" in why for why in reasons) == 10
    assert sum("Duplicate of row" in why for why in reasons) == 25
    assert await page.locator(".import__rows mark").count() >= 65
    assert await operator.violations() == []

    # confirmed, with progress, until its end; the ID for undoing it is shown
    await page.evaluate("sessionStorage.removeItem('progress')")
    await page.click("text=Import 5,000 numbers")
    await page.locator("text=5,000 numbers added").wait_for(timeout=LONG_MS)
    await check_progress(page)
    ended = await operator.text(".import__ended")
    assert "65 rows left out" in ended
    assert "imp-" in ended

    # a second client calls: tiles change in another window at the same time
    await operator.go(f"/numbers/?pool={POOL}&rows=50")
    numbers = await page.evaluate(
        "JSON.parse(document.querySelector('#numbers-page').text).numbers"
    )
    async with console.window("lin.mei") as pool_window:
        await pool_window.go(f"/pools/{POOL}/")
        await pool_window.until("document.querySelector('[data-legend] b') !== null")
        for number in numbers[:5]:
            assert send(second_client, "reg", number)["outcome"] == "ok"
        for n, number in enumerate(numbers[:3]):
            answer = send(second_client, "call", number, call_id=f"import-{n}", agent="a-1")
            assert answer["outcome"] == "ok", answer
        await pool_window.until(
            "document.querySelector('[data-figure=busy]').textContent.trim() === '3'"
        )
        await pool_window.page.click("[data-tile-table]")
        row = "document.querySelectorAll('[data-tiles] tbody .tile[data-state=C]').length === 3"
        await pool_window.until(row)

        # forced hang-up of one; the list shows its states without a new page
        first = f"tr[data-number='{numbers[0]}']"
        await page.locator(f"{first} .tile[data-state=C]").wait_for()
        await page.click(f"{first} [data-mark]")
        await page.click("[data-verb=hangup]")
        await answer_question(page, "caller is stuck", "End call of 1 number")
        await page.locator(f"{first} .tile[data-state=R]").wait_for()
        await pool_window.until(
            "document.querySelector('[data-figure=busy]').textContent.trim() === '2'"
        )

        # quarantine: not picked any more
        await page.click(f"{first} [data-mark]")
        await page.click("[data-verb=quarantine]")
        await answer_question(page, "complaints", "Quarantine 1 number")
        await page.locator(f"{first} .tile[data-state=Q]").wait_for()
        refused = send(second_client, "call", numbers[0], call_id="import-9")
        assert refused["reason"] == "quarantined"

        # the import is undone as a whole; running calls end with their hang-up
        await operator.go("/imports/")
        await page.locator("[data-imports] form button").first.click()
        await answer_question(page, "wrong file", "Delete 5,000 numbers")
        await page.locator("text=was undone").wait_for(timeout=LONG_MS)
        assert send(second_client, "hangup", "", call_id="import-1")["outcome"] == "ok"
        await pool_window.until(
            "document.querySelector('[data-figure=numbers]').textContent.trim() === '0'"
        )
    await operator.go(f"/numbers/?pool={POOL}")
    await expect(page.locator("tr[data-number]")).to_have_count(0)


async def test_suspicious_rows_come_first_with_what_to_write_and_open_quotes_are_named(
    console: Console, operator: Window, worker: None, tmp_path: Path
) -> None:
    console.stage("tests.browser.import_stage")
    file = tmp_path / "mixed.csv"
    file.write_text(
        "13978000024.0\n13978000029–30\n+49 (0)30 1234567\n139 7800 0001\n0000\n"
        '13978000003,"desk\n13978000004,b\n13978000005,"c"\n13978000006,d\n',
        encoding="utf-8",
    )
    page = operator.page
    await operator.go(f"/numbers/?panel=new&pool={POOL}")
    await page.set_input_files("#import-file", file)
    await page.click("text=Upload file")
    await page.locator(".totals").wait_for(timeout=LONG_MS)
    assert await page.locator(".totals .figure").all_inner_texts() == ["0", "2", "3", "4"]
    await expect(page.locator(".tabs [aria-current=page]")).to_have_text("Suspicious 3")
    remedies = await page.locator(".import__remedy").all_inner_texts()
    assert remedies[0] == "Use 13978000024"
    assert remedies[2] == "Use +49301234567"
    marked = await page.locator(".import__rows table mark").all_inner_texts()
    assert marked == [".0", "–30", "(0)"]
    examples = page.locator(".import__examples")
    assert await examples.count() == 1  # the harmless clean-ups, below the suspicious rows
    async with console.window("lin.mei", viewport=PHONE) as phone:
        await phone.go(page.url.removeprefix(console.base) + "&tab=refused")
        rows = await phone.page.locator(".import__rows tbody tr td:first-child").all_inner_texts()
        assert rows == ["5", "6", "7", "8"]
        assert await phone.overflow() == []
        assert await phone.violations() == []
    assert await operator.violations() == []


async def test_a_range_that_ends_before_it_begins_is_refused_in_the_dialog(
    operator: Window,
) -> None:
    page = operator.page
    await operator.go("/numbers/")
    await page.click("[data-dialog=add-range]")
    await page.fill("#range-first", "13800000999")
    await page.fill("#range-last", "13800000000")
    await page.click("#add-range [data-go]")
    told = page.locator("#range-error")
    await told.wait_for()
    words = (await told.inner_text()).strip()
    assert words.endswith("The last number is below the first. Nothing was added.")
