"""A price list in a real browser: the keys of a spreadsheet, a pasted table, publishing."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.billing.recharge.paying_stage import SLUG
from tests.browser.console import DESKTOP, PHONE, Window
from tests.browser.running import Console

pytest_plugins = ["tests.browser.plugin"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

STAGE = "tests.billing.recharge.paying_stage"
HOME = f"/accounts/{SLUG}/tariffs/"
NEW = f"{HOME}new/"
RATES = (
    "prefix,destination,days,from,to,price_per_minute,first_increment,increment,connection_fee\n"
    "+49,Germany,,,,0.11,60,60,\n"
    "+4917,Germany mobile,,,,0.12,60,1,0.05\n"
)
PASTED = "Mode\tPrice\tCounted\nCall\t¥0.08\tPer started interval\nYuexin text\t0.05\t70 characters"


@pytest_asyncio.fixture(loop_scope="session")
async def operator(console: Console) -> AsyncIterator[Window]:
    console.stage(STAGE)
    async with console.window("lin.mei") as shown:
        yield shown


async def value(shown: Window, name: str) -> str:
    return await shown.page.input_value(f"[name={name}]")


async def paste(shown: Window, name: str, text: str) -> None:
    """Do what Ctrl-V does with this text in the clipboard."""
    await shown.page.focus(f"[name={name}]")
    await shown.page.eval_on_selector(
        f"[name={name}]",
        """(field, text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          field.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
        }""",
        text,
    )


async def test_cells_are_typed_in_as_in_a_spreadsheet(operator: Window) -> None:
    await operator.go(NEW)
    page = operator.page
    assert await value(operator, "native_text-price") == "0.0420"
    await page.fill("[name=native_text-price]", "0.045")
    await page.press("[name=native_text-price]", "Enter")
    assert await page.evaluate("document.activeElement.name") == "native_card-price"
    await page.keyboard.type("9")
    await page.keyboard.press("Escape")
    assert await value(operator, "native_card-price") == "0.1100"
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.name") == "native_card-rule"
    row = "tr[data-mode=native_text]"
    assert await operator.text(f"{row} [data-was]") == "0.0420"
    assert await operator.text(f"{row} [data-change]") == "+7.1%"
    assert await operator.text(f"{row} [data-arithmetic]") == "1 unit × 0.0450"
    await operator.shows("[data-show=changed]", "Changed 1")
    await page.click("[data-show=changed]")
    assert await page.locator("tr[data-mode]:visible").count() == 1
    assert operator.complaints == []


async def test_a_pasted_table_fills_its_rows_by_name_or_downwards(operator: Window) -> None:
    await operator.go(NEW)
    await paste(operator, "native_text-price", PASTED)
    assert await value(operator, "call-price") == "0.08"
    assert await value(operator, "yuexin_unresolved-price") == "0.05"
    assert await value(operator, "yuexin_unresolved-rule") == "characters_per_unit"
    assert await value(operator, "yuexin_unresolved-size") == "70"
    assert await value(operator, "native_text-price") == "0.0420"
    await paste(operator, "native_text-price", "0.01\n0.02\n")
    assert await value(operator, "native_text-price") == "0.01"
    assert await value(operator, "native_card-price") == "0.02"
    await paste(operator, "native_text-price", "Telegram\t7\n")
    assert await value(operator, "native_text-price") == "0.01"


async def give(shown: Window, text: str) -> None:
    """Choose a file of call rates and upload it for the check."""
    file = {"name": "rates.csv", "mimeType": "text/csv", "buffer": text.encode()}
    await shown.page.set_input_files("[name=file]", file)
    await shown.send("form button.button--primary")


async def test_call_rates_are_read_through_before_they_are_imported(operator: Window) -> None:
    await operator.go(HOME)
    await operator.page.click("text=Import call rates…")
    await give(operator, f"{RATES}49x,Nowhere,,,,1,60,60,\n")
    assert await operator.text("#faults-title") == "1 error in the file"
    for size in (PHONE, DESKTOP):
        await operator.page.set_viewport_size(size)
        assert await operator.overflow() == []
    assert await operator.violations() == []
    await give(operator, RATES)
    assert "Import into “" in await operator.text("#review-title")
    for size in (PHONE, DESKTOP):
        await operator.page.set_viewport_size(size)
        assert await operator.overflow() == []
    assert await operator.violations() == []
    await operator.page.click("button[name=confirm]")
    await operator.page.wait_for_selector(".notice--ok")
    assert "2 call rates imported" in await operator.text(".notice--ok")
    await operator.page.click("text=All call rates")
    await operator.page.wait_for_selector("tbody tr")
    assert await operator.page.locator("tbody tr").count() == 2
    await operator.page.fill("[name=q]", "+491701")
    await operator.page.press("[name=q]", "Enter")
    await operator.until("document.querySelectorAll('tbody tr').length === 2")
    assert operator.complaints == []


async def test_publishing_asks_first(operator: Window) -> None:
    await operator.go(NEW)
    await operator.page.fill("[name=video-price]", "0")
    await operator.page.click("button[form=tariff-form]")
    await operator.page.wait_for_selector("button[name=publish]")
    assert "Publish “" in await operator.text("h1")
    assert await operator.violations() == []
    await operator.page.set_viewport_size(PHONE)
    assert await operator.overflow() == []
    await operator.page.set_viewport_size(DESKTOP)
    await operator.page.click("button[name=publish]")
    await operator.page.wait_for_selector(".notice--ok")
    assert await operator.text("tr[data-mode=video] .chip--ok") == "free"
    assert await operator.violations() == []
    assert operator.complaints == []
