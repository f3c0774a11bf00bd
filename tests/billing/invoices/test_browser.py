"""The pages of invoices in a real browser: read, issue, credit; on a phone; no axe findings."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.billing.invoices.invoice_stage import SLUG
from tests.billing.recharge.test_browser import faults
from tests.browser.console import Window
from tests.browser.running import Console

pytest_plugins = ["tests.browser.plugin"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

STAGE = "tests.billing.invoices.invoice_stage"
PORTAL = f"/accounts/{SLUG}/"
CUSTOMERS = [
    f"{PORTAL}invoices/",
    f"{PORTAL}invoices/{{invoice}}/",
    f"{PORTAL}tax-profile/",
]
OPERATORS = [
    "/billing/invoices/",
    f"{PORTAL}invoices/{{waiting}}/",
    "/billing/seller/",
    "/billing/tax-rates/{rate}/end/",
]


@pytest.fixture(scope="module")
def books(console: Console) -> Console:
    """The console with what invoice_stage.py makes."""
    console.stage(STAGE)
    return console


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def customer(books: Console) -> AsyncIterator[Window]:
    async with books.window("han.mei") as shown:
        yield shown


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def operator(books: Console) -> AsyncIterator[Window]:
    async with books.window("lin.mei") as shown:
        yield shown


@pytest.mark.parametrize("path", CUSTOMERS)
async def test_a_customer_s_page_fits_a_phone_and_has_nothing_for_axe(
    books: Console, customer: Window, path: str
) -> None:
    assert await faults(customer, path, books.stage(STAGE)["ids"]) == []
    assert customer.complaints == []


@pytest.mark.parametrize("path", OPERATORS)
async def test_an_operator_s_page_fits_a_phone_and_has_nothing_for_axe(
    books: Console, operator: Window, path: str
) -> None:
    assert await faults(operator, path, books.stage(STAGE)["ids"]) == []
    assert operator.complaints == []


async def test_a_customer_opens_an_invoice_and_changes_what_the_next_one_says(
    customer: Window,
) -> None:
    page = customer.page
    await customer.go(f"{PORTAL}invoices/")
    await page.click("tbody tr:last-child th a")
    await page.wait_for_url("**/invoices/*/")
    assert "Vineyard Hotels Ltd" in await customer.text("main")
    assert "Credit note" not in await customer.text("main")
    await customer.go(f"{PORTAL}tax-profile/")
    await page.fill("[name=legal_name]", "Vineyard Group Ltd")
    await page.click("main form button.button--primary")
    await page.wait_for_selector(".notice--ok")


async def test_an_operator_issues_a_month_and_asks_to_credit_it(operator: Window) -> None:
    page = operator.page
    await operator.go(f"{PORTAL}invoices/")
    await page.select_option("[name=month]", "2026-03")
    await page.click("text=Issue invoice")
    await page.wait_for_selector(".notice--ok")
    assert "Vineyard" in await operator.text("main")
    await page.fill("[name=reason]", "Issued too early")
    await page.click("button:has-text('Issue credit note')")
    await page.wait_for_selector(".notice--ok")
