"""A customer tops up in a real browser and the balance moves; two people approve in two windows."""

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
PORTAL = f"/accounts/{SLUG}/"
# Names in braces are IDs that the stage prints.
CUSTOMERS = [
    f"{PORTAL}top-up/",
    f"{PORTAL}top-ups/",
    f"{PORTAL}top-ups/{{recharge}}/",
    f"{PORTAL}limits/",
    f"{PORTAL}statements/",
    f"{PORTAL}statements/{{month}}/",
    f"{PORTAL}refund/",
    f"{PORTAL}tariffs/",
    f"{PORTAL}tariffs/{{tariff}}/call-rates/",
    f"{PORTAL}chatbots/",
    f"{PORTAL}chatbots/service/",
    f"{PORTAL}chatbots/new/",
]
OPERATORS = [
    "/billing/adjustments/",
    "/billing/adjustments/{adjustment}/",
    "/billing/refunds/{refund}/",
    "/billing/open/",
    f"/billing{PORTAL}adjust/",
    f"/billing{PORTAL}close/",
    f"/billing{PORTAL}credit-limit/",
    f"/billing{PORTAL}promotions/",
    f"{PORTAL}tariffs/new/",
    f"{PORTAL}tariffs/{{tariff}}/end/",
    f"{PORTAL}tariffs/{{tariff}}/call-rates/import/",
]


@pytest.fixture(scope="module")
def paying(console: Console) -> Console:
    """The console with what paying_stage.py makes."""
    console.stage(STAGE)
    return console


@pytest_asyncio.fixture(loop_scope="session")
async def customer(paying: Console) -> AsyncIterator[Window]:
    async with paying.window("tao.ran") as shown:
        yield shown


@pytest_asyncio.fixture(loop_scope="session")
async def operator(paying: Console) -> AsyncIterator[Window]:
    async with paying.window("lin.mei") as shown:
        yield shown


async def balance(shown: Window) -> float:
    """Return the account's balance from the hot lane, in currency units."""
    asked = await shown.page.request.get(f"{shown.base}/api/v1/accounts/{SLUG}/balance")
    return float((await asked.json())["spendable"])


async def test_a_top_up_by_the_demo_s_provider_moves_the_balance_on_every_open_page(
    customer: Window, paying: Console
) -> None:
    before = await balance(customer)
    async with paying.window("tao.ran") as watching:
        await watching.go(PORTAL)
        await customer.go(f"{PORTAL}top-up/?amount=300")
        assert await customer.page.input_value("[name=amount]") == "300"
        await customer.page.click("[data-pay-button]")
        await customer.page.wait_for_url("**/pay/")
        assert await balance(customer) == before
        await customer.page.click("button[value=paid]")
        await customer.page.wait_for_url(lambda url: "/pay/" not in url)
        assert await customer.text("h1") == "Receipt"
        assert "300.00" in await customer.text(".paper__sum")
        assert await balance(customer) == before + 300
        wanted = f"{before + 300:,.2f}"
        await watching.until(
            "document.querySelector('[data-money=spendable]').textContent.includes(wanted)", wanted
        )


async def test_a_refused_payment_moves_nothing_and_can_be_tried_again(customer: Window) -> None:
    before = await balance(customer)
    await customer.go(f"{PORTAL}top-up/?amount=25.5")
    await customer.page.click("[data-pay-button]")
    await customer.send("button[value=failed]")
    await customer.shows("h1", "Top-up")
    assert await balance(customer) == before


async def test_a_second_press_of_the_button_is_one_top_up(customer: Window) -> None:
    await customer.go(f"{PORTAL}top-up/?amount=11")
    token = await customer.page.input_value("[name=token]")
    for _ in range(2):
        await customer.go(f"{PORTAL}top-up/?amount=11")
        await customer.page.eval_on_selector(
            "[name=token]", "(field, token) => { field.value = token; }", token
        )
        await customer.page.click("[data-pay-button]")
        await customer.page.wait_for_url("**/pay/")
    await customer.go(f"{PORTAL}top-ups/?show=waiting")
    assert await customer.page.locator("tbody tr").count() == 1


async def test_the_button_says_how_much_is_paid_and_one_sentence_what_it_does(
    customer: Window,
) -> None:
    before = await balance(customer)
    await customer.go(f"{PORTAL}top-up/")
    assert await customer.page.is_checked("[name=preset][value='2000']")
    await customer.shows("[data-pay-button]", "Pay ¥2,000.00")
    await customer.page.check("[name=preset][value='500']", force=True)
    said = await customer.text("[data-sentence]")
    assert f"You pay ¥500.00. Your balance becomes about ¥{before + 500:,.2f}" in said
    assert await customer.page.locator("[name=amount]:visible").count() == 0
    await customer.page.check("[data-other]", force=True)
    await customer.page.fill("[name=amount]", "12.5")
    await customer.shows("[data-pay-button]", "Pay ¥12.50")
    assert "You pay ¥12.50." in await customer.text("[data-sentence]")
    await customer.page.fill("[name=amount]", "12.555")
    assert await customer.text("[data-sentence]") == ""


async def test_an_adjustment_says_what_the_balance_becomes_and_keeps_the_amount(
    operator: Window,
) -> None:
    before = await balance(operator)
    await operator.go(f"/billing{PORTAL}adjust/")
    await operator.page.fill("[name=amount]", "20")
    assert f"{before + 20:,.2f}" in await operator.text("[data-after]")
    await operator.page.click("[data-kind]:has-text('Debit')")
    await operator.page.wait_for_url("**kind=debit**")
    assert await operator.page.input_value("[name=amount]") == "20"
    await operator.page.fill("[name=amount]", f"{before + 1}")
    assert "owed" in await operator.text("[data-after-owed]")
    assert await operator.page.locator("[name=recharge]").count() == 0
    await operator.page.click("[data-kind]:has-text('Chargeback')")
    await operator.page.wait_for_selector("[name=recharge]")


@pytest.mark.parametrize("amount", ["0", "-5", "0.001", "1e99", "NaN", "", "ten", "10000000"])
async def test_what_is_no_amount_is_said_beside_its_field(customer: Window, amount: str) -> None:
    before = await balance(customer)
    await customer.go(f"{PORTAL}top-up/")
    await customer.page.check("[data-other]", force=True)
    await customer.page.fill("[name=amount]", amount)
    await customer.page.click("[data-pay-button]")
    await customer.page.wait_for_selector(".field__error, .notice--bad")
    assert await balance(customer) == before


async def test_a_month_opens_in_place_at_its_own_address(customer: Window, paying: Console) -> None:
    month = paying.stage(STAGE)["ids"]["month"]
    page, closed = customer.page, f"{PORTAL}statements/"
    await customer.go(f"{closed}?closed=1")
    await page.evaluate("document.body.dataset.same = 'yes'")
    await page.click(f"[data-month='{month}']")
    await page.wait_for_url(f"**{closed}{month}/#month-{month}")
    assert await page.evaluate("document.body.dataset.same") == "yes"  # no page was loaded
    assert "Adds up" in await customer.text(".statement")
    await page.wait_for_selector("[data-statement-days] canvas")
    assert await page.evaluate("document.activeElement.dataset.month") == month
    await page.click("text=Show as table")
    days = page.locator(".statement__table tbody tr")
    assert 28 <= await days.count() <= 31
    await page.click(f"[data-month='{month}']")
    await page.wait_for_selector(".statement", state="detached")
    await page.go_back()
    await page.wait_for_selector(".statement")
    await customer.go(f"{closed}{month}/")
    assert "Adds up" in await customer.text(".statement")
    assert customer.complaints == []


async def test_a_credit_is_asked_for_in_one_window_and_approved_in_another(
    operator: Window, paying: Console
) -> None:
    before = await balance(operator)
    await operator.go(f"/billing{PORTAL}adjust/")
    await operator.page.fill("[name=amount]", "12000")
    await operator.page.fill("[name=reason]", "Goodwill after the outage")
    await operator.page.click("main form button.button--primary")
    await operator.page.wait_for_url("**/billing/adjustments/*/")
    assert await operator.page.locator("button:has-text('Approve')").count() == 0
    page = operator.page.url.removeprefix(operator.base)
    async with paying.window("zhou.yi") as other:
        await other.go(page)
        await other.page.click("button:has-text('Approve')")
        await other.page.wait_for_selector(".notice--ok")
        assert await balance(other) == before + 12_000


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def looking(paying: Console) -> AsyncIterator[dict[str, Window]]:
    """Windows for all pages that are only read."""
    async with paying.window("tao.ran") as customer, paying.window("lin.mei") as operator:
        yield {"customer": customer, "operator": operator}


async def faults(shown: Window, path: str, ids: dict[str, int]) -> list[str]:
    """Return axe's findings for a page, on a desktop and on a phone."""
    await shown.page.set_viewport_size(DESKTOP)
    await shown.go(path.format(**ids))
    found = await shown.violations()
    await shown.page.set_viewport_size(PHONE)
    return [*found, *await shown.overflow()]


@pytest.mark.parametrize("path", CUSTOMERS)
async def test_a_customer_s_page_fits_a_phone_and_has_nothing_for_axe(
    paying: Console, looking: dict[str, Window], path: str
) -> None:
    assert await faults(looking["customer"], path, paying.stage(STAGE)["ids"]) == []
    assert looking["customer"].complaints == []


@pytest.mark.parametrize("path", OPERATORS)
async def test_an_operator_s_page_fits_a_phone_and_has_nothing_for_axe(
    paying: Console, looking: dict[str, Window], path: str
) -> None:
    assert await faults(looking["operator"], path, paying.stage(STAGE)["ids"]) == []
    assert looking["operator"].complaints == []
