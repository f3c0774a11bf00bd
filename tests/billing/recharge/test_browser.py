"""A customer tops up in a real browser, and the balance moves; four eyes in two windows."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser

from poolsite.runtime.redis_server import RedisServer
from tests.browser.console import PHONE, Window, chromium, window
from tests.live.servers import Site, WebServer

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium"), pytest.mark.slow]

CUSTOMERS = [
    "/accounts/evergreen/top-up/",
    "/accounts/evergreen/top-ups/",
    "/accounts/evergreen/top-ups/1/",
    "/accounts/evergreen/limits/",
    "/accounts/evergreen/statements/",
    "/accounts/evergreen/refund/",
    "/accounts/evergreen/tariffs/",
    "/accounts/evergreen/chatbots/",
    "/accounts/evergreen/chatbots/service/",
    "/accounts/evergreen/chatbots/new/",
]
OPERATORS = [
    "/billing/adjustments/",
    "/billing/adjustments/1/",
    "/billing/refunds/1/",
    "/billing/open/",
    "/billing/accounts/evergreen/adjust/",
    "/billing/accounts/evergreen/close/",
    "/accounts/evergreen/tariffs/new/",
    "/accounts/evergreen/tariffs/1/end/",
]


@pytest.fixture(scope="module")
def paying_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """The console in the demo's mode, where the provider that moves no money stands open."""
    folder: Path = tmp_path_factory.mktemp("paying")
    redis = RedisServer(folder=tmp_path_factory.mktemp("r"), append_only=False).start()
    demo = {"POOLSITE_DEMO": "1", "POOLSITE_DEMO_PASSWORD": "unused"}
    site = _DemoSite(folder, redis.url)
    site.migrate()
    site.run("-m", "tests.billing.recharge.paying_stage")
    server = WebServer(
        site, "uvicorn", application="poolsite.asgi:application", environment=demo
    ).start()
    yield server
    server.stop()
    redis.stop()


class _DemoSite(Site):
    @property
    def environment(self) -> dict[str, str]:
        """The demo's: its provider stands open, and no second factor is asked for."""
        return {**super().environment, "POOLSITE_DEMO": "1"}


@pytest.fixture
async def chrome() -> AsyncIterator[Browser]:
    async with chromium() as started:
        yield started


@pytest.fixture
async def customer(chrome: Browser, paying_site: WebServer) -> AsyncIterator[Window]:
    async with window(chrome, f"http://127.0.0.1:{paying_site.port}") as shown:
        await shown.log_in("chen.er")
        yield shown


@pytest.fixture
async def operator(chrome: Browser, paying_site: WebServer) -> AsyncIterator[Window]:
    async with window(chrome, f"http://127.0.0.1:{paying_site.port}") as shown:
        await shown.log_in("lin.mei")
        yield shown


async def balance(shown: Window) -> float:
    """What the hot lane says of the account, in currency units."""
    answer = await shown.page.evaluate(
        "fetch('/api/v1/accounts/evergreen/balance', {credentials: 'same-origin'})"
        ".then((answer) => answer.text())"
    )
    return float(json.loads(answer)["spendable"])


async def test_a_top_up_by_the_demo_s_provider_moves_the_balance_on_every_open_page(
    chrome: Browser, customer: Window, paying_site: WebServer
) -> None:
    before = await balance(customer)
    async with window(chrome, f"http://127.0.0.1:{paying_site.port}") as watching:
        await watching.log_in("chen.er")
        await watching.go("/accounts/evergreen/")
        await customer.go("/accounts/evergreen/top-up/?amount=300")
        assert await customer.page.input_value("[name=amount]") == "300"
        await customer.page.click("text=Go on to pay")
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
    await customer.go("/accounts/evergreen/top-up/?amount=25.5")
    await customer.page.click("text=Go on to pay")
    await customer.page.click("button[value=failed]")
    assert await customer.text("h1") == "Top-up"
    assert await balance(customer) == before


async def test_a_second_press_of_the_button_is_one_top_up(customer: Window) -> None:
    await customer.go("/accounts/evergreen/top-up/?amount=11")
    token = await customer.page.input_value("[name=token]")
    for _ in range(2):
        await customer.go("/accounts/evergreen/top-up/?amount=11")
        await customer.page.eval_on_selector(
            "[name=token]", "(field, token) => { field.value = token; }", token
        )
        await customer.page.click("text=Go on to pay")
        await customer.page.wait_for_url("**/pay/")
    await customer.go("/accounts/evergreen/top-ups/?show=waiting")
    assert await customer.page.locator("tbody tr").count() == 1


@pytest.mark.parametrize("amount", ["0", "-5", "0.001", "1e99", "NaN", "", "ten", "10000000"])
async def test_what_is_no_amount_is_said_beside_its_field(customer: Window, amount: str) -> None:
    before = await balance(customer)
    await customer.go("/accounts/evergreen/top-up/")
    await customer.page.fill("[name=amount]", amount)
    await customer.page.click("text=Go on to pay")
    await customer.page.wait_for_selector(".field__error, .notice--bad")
    assert await balance(customer) == before


async def test_a_credit_is_asked_for_in_one_window_and_approved_in_another(
    chrome: Browser, operator: Window, paying_site: WebServer
) -> None:
    before = await balance(operator)
    await operator.go("/billing/accounts/evergreen/adjust/")
    await operator.page.fill("[name=amount]", "75")
    await operator.page.fill("[name=reason]", "Goodwill after the outage")
    await operator.page.click("text=Ask for it")
    await operator.page.wait_for_url("**/billing/adjustments/*/")
    assert await operator.page.locator("button:has-text('Approve')").count() == 0
    page = operator.page.url.split(str(paying_site.port))[1]
    async with window(chrome, f"http://127.0.0.1:{paying_site.port}") as other:
        await other.log_in("zhou.yi")
        await other.go(page)
        await other.page.click("button:has-text('Approve')")
        await other.page.wait_for_selector(".notice--ok")
        assert await balance(other) == before + 75


@pytest.mark.parametrize("path", CUSTOMERS)
async def test_a_customer_s_page_fits_a_phone_and_has_nothing_for_axe(
    customer: Window, path: str
) -> None:
    await customer.go(path)
    assert await customer.serious_violations() == []
    await customer.page.set_viewport_size(PHONE)
    assert await customer.overflow() == []
    assert customer.complaints == []


@pytest.mark.parametrize("path", OPERATORS)
async def test_an_operator_s_page_fits_a_phone_and_has_nothing_for_axe(
    operator: Window, path: str
) -> None:
    await operator.go(path)
    assert await operator.serious_violations() == []
    await operator.page.set_viewport_size(PHONE)
    assert await operator.overflow() == []
    assert operator.complaints == []
