"""Money in a real browser: what one side does is shown on the other, exactly and at once."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.billing_stage import SLUG
from tests.browser.console import Window
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

OWNER = f"{SLUG}-owner"
PORTAL = f"/accounts/{SLUG}/"
ACCOUNT = f"/billing/accounts/{SLUG}/"


class Sender:
    """A second client, which holds messages and reports on them through the hot lane."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def hold(self, *message_ids: str) -> None:
        """Hold messages at 0.50 each: their price if resolved by Yuexin; as text they cost 0.30."""
        for message_id in message_ids:
            body = {"message_id": message_id, "text": "Hello", "chatbot": "shop"}
            body |= {"fallback": "yuexin", "yuexin_text": "Hello https://example.org/a"}
            self._post("holds", body)

    def deliver(self, message_id: str, mode: str) -> None:
        """Send the final report."""
        report = {"message_id": message_id, "final": True, "delivered": True, "mode": mode}
        self._post("settlements", report)

    def balance(self) -> dict[str, Any]:
        """Return the hot lane's balance, with amounts as decimal text."""
        found: dict[str, Any] = self.client.get(f"/api/v1/accounts/{SLUG}/balance").json()
        return found

    def _post(self, part: str, body: dict[str, Any]) -> None:
        answer = self.client.post(f"/api/v1/accounts/{SLUG}/{part}", json=body)
        assert answer.status_code < 300, answer.text


@pytest.fixture(scope="module")
def money(console: Console) -> Console:
    """The console with what billing_stage.py makes."""
    console.stage("tests.browser.billing_stage")
    return console


@pytest.fixture
def sender(money: Console) -> Iterator[Sender]:
    """The second client, with the customer's token."""
    token = money.stage("tests.browser.billing_stage")["token"]
    with httpx.Client(**money.api(token)) as client:
        yield Sender(client)


@pytest_asyncio.fixture(loop_scope="session")
async def customer(money: Console) -> AsyncIterator[Window]:
    async with money.window(OWNER) as shown:
        yield shown


@pytest_asyncio.fixture(loop_scope="session")
async def boss(money: Console) -> AsyncIterator[Window]:
    async with money.window("lin.mei") as shown:
        yield shown


async def open_wallet(shown: Window, path: str) -> None:
    """Open a live page of one wallet with its movements."""
    await shown.go_live(path)
    await shown.until("document.querySelectorAll('[data-lines] tr:not(.empty-row)').length > 0")


def figure_is(name: str) -> str:
    """Return a JavaScript expression: the live figure is `wanted`, without currency and commas."""
    return (
        f"Number(document.querySelector('[data-money={name}]').textContent.replace(/[^0-9.]/g, ''))"
        " === Number(wanted)"
    )


async def test_a_customer_lands_on_the_balance_and_sees_it_to_the_unit(
    money: Console, sender: Sender
) -> None:
    async with money.window() as customer:
        await customer.log_in(OWNER)
        assert customer.page.url.endswith(PORTAL)
        await open_wallet(customer, PORTAL)
        told = sender.balance()
        await customer.until(figure_is("spendable"), told["spendable"])
        await customer.until(figure_is("held"), told["held"])
        await customer.contains("[data-money=spendable] .money__rest", ".")


async def test_messages_of_a_second_client_move_the_balance_and_the_movements(
    customer: Window, sender: Sender
) -> None:
    await open_wallet(customer, PORTAL)
    before = float(sender.balance()["spendable"])
    sender.hold("b-1", "b-2")
    await customer.until(figure_is("spendable"), f"{before - 1:.4f}")
    top = "document.querySelector('[data-lines] tr')"
    await customer.until(f"{top}.innerText.includes('held')")
    sender.deliver("b-1", "native_text")
    await customer.until(figure_is("spendable"), f"{before - 0.8:.4f}")
    await customer.until(f"{top}.innerText.includes('Return')")
    await customer.shows("[data-lines] tr [data-amount]", "+0.2000")
    sender.deliver("b-2", "yuexin_resolved")  # at the full quote: what can be spent does not change
    await customer.until(figure_is("held"), sender.balance()["held"])
    await customer.until(figure_is("spendable"), f"{before - 0.8:.4f}")
    await customer.until(f"{top}.innerText.includes('delivered')")
    balance = await customer.text("[data-lines] tr [data-balance]")
    assert float(balance.replace(",", "")) == pytest.approx(before - 0.8)


async def test_a_credit_by_an_operator_moves_the_customers_page_and_every_list(
    money: Console, customer: Window, boss: Window, sender: Sender
) -> None:
    async with money.window("zhou.yi") as listing:
        await listing.go_live("/billing/accounts/")
        await open_wallet(customer, PORTAL)
        before = float(sender.balance()["spendable"])
        await boss.go(f"{ACCOUNT}adjust/")
        await boss.page.fill("[name=amount]", "12.3456")
        await boss.page.fill("[name=reason]", "Goodwill for the delay")
        await boss.page.click("main form button.button--primary")
        await customer.until(figure_is("spendable"), f"{before + 12.3456:.4f}")
        await customer.until(
            "document.querySelector('[data-lines]').innerText.includes('Goodwill for the delay')"
        )
        row = f'document.querySelector(\'[data-wallet-row="{SLUG}"] [data-money="spendable"]\')'
        await listing.until(
            f"Number({row}.textContent.replace(/[^0-9.]/g, '')) === Number(wanted)",
            f"{before + 12.3456:.4f}",
        )


async def test_a_frozen_account_says_so_on_the_customers_open_page(
    customer: Window, boss: Window
) -> None:
    await open_wallet(customer, PORTAL)
    await open_wallet(boss, ACCOUNT)
    await boss.page.click("[data-menu=account-menu]")
    await boss.page.click("[data-freeze]")
    await boss.page.fill("[data-ask-reason]", "Unpaid invoice of May")
    await boss.page.click("[data-ask-go]")
    await customer.until(
        "document.querySelector('[data-wallet-state]')?.innerText.includes('Unpaid invoice of May')"
    )
    await boss.page.locator("[data-unfreeze]").wait_for(state="attached")  # redrawn automatically
    await boss.ready()
    await boss.page.click("[data-menu=account-menu]")
    await boss.page.click("[data-unfreeze]")
    await boss.page.fill("[data-ask-reason]", "Paid")
    await boss.page.click("[data-ask-go]")
    await customer.until("!document.querySelector('[data-wallet-state] .notice')")


async def test_the_rebuild_drill_says_how_long_it_took_and_that_nothing_differs(
    customer: Window, boss: Window, sender: Sender
) -> None:
    await open_wallet(customer, PORTAL)
    before = sender.balance()
    await open_wallet(boss, ACCOUNT)
    await boss.page.click("[data-menu=account-menu]")
    await boss.page.click("[data-rebuild]")
    await boss.page.fill("[data-ask-reason]", "Drill of the quarter")
    await boss.page.click("[data-ask-go]")
    toast = "[data-toasts] .toast--ok"
    await boss.page.locator(toast).wait_for()
    await boss.contains(f"{toast} .toast__title", "Rebuilt in")
    await boss.contains(f"{toast} .toast__detail", "¥0.00 available, ¥0.00 held")
    after = sender.balance()
    assert (after["spendable"], after["held"]) == (before["spendable"], before["held"])
    await customer.until("document.documentElement.dataset.connection === 'live'")
    await customer.until(figure_is("spendable"), before["spendable"])
    await customer.until("!document.querySelector('[data-wallet-state] .notice')")


async def test_a_loss_is_accepted_with_a_reason_and_the_report_is_closed(boss: Window) -> None:
    await boss.go_live("/billing/flagged/")
    rows = boss.page.locator("#flagged-rows tbody tr")
    open_ones = await rows.count()
    await boss.page.locator("[data-accept]").first.click()
    await boss.page.click("[data-ask-go]")
    await expect(boss.page.locator("[data-ask-error]")).to_be_visible()
    await boss.page.fill("[data-ask-reason]", "The gateway owned up")
    await boss.page.click("[data-ask-go]")
    await boss.until(
        "document.querySelectorAll('#flagged-rows tbody tr').length === wanted", open_ones - 1
    )
    await boss.go("/billing/flagged/?show=closed")
    await boss.contains("#flagged-rows", "The gateway owned up")


async def test_the_audit_runs_by_hand_and_is_green(boss: Window) -> None:
    await boss.go("/billing/accounts/")
    wallets = await boss.page.locator("[data-wallet-row]").count()
    await boss.go_live("/billing/audit/")
    await boss.contains("#audit-verdict", "The books agree")
    await boss.page.click("[data-audit-run]")
    await boss.page.locator("[data-toasts] .toast--ok").wait_for()
    await boss.contains("[data-toasts] .toast__detail", str(wallets))


async def test_usage_shows_every_mode_under_the_pointer_as_table_and_over_a_year(
    customer: Window,
) -> None:
    page = customer.page
    await customer.go(f"{PORTAL}usage/")
    await page.locator("[data-usage-body] canvas").wait_for()
    await page.focus("[data-usage-body] canvas")
    await page.keyboard.press("ArrowLeft")
    tip = await customer.text("[data-usage-body] .chart-tip")
    assert "Native text" in tip
    assert "Total" in tip
    await page.click("[data-usage-table]")
    await customer.contains("[data-usage-body] thead", "Native text")
    await expect(page.locator("[data-usage-body] tbody tr")).to_have_count(7)
    await page.route("**/*range=12m", lambda route: route.abort())
    await page.click("[data-range='12m']")
    await page.locator("[data-toasts] .toast--bad").wait_for()
    await expect(page.locator("[data-range][aria-pressed=true]")).to_have_attribute(
        "data-range", "7d"
    )
    await page.unroute("**/*range=12m")
    await page.click("[data-range='12m']")
    await customer.until("document.querySelectorAll('[data-usage-body] tbody tr').length === 12")
    await customer.contains("[data-share-chatbots]", "Shop bot")


async def test_a_message_and_an_account_are_found_by_the_search(boss: Window) -> None:
    await boss.go("/billing/accounts/")
    for text, url in (("m-late", "message/?id=m-late"), (SLUG, ACCOUNT)):
        await boss.page.keyboard.press("/")
        await boss.page.fill("[data-search-input]", text)
        await boss.page.locator("[data-search-results] .palette__item").first.wait_for()
        await boss.page.keyboard.press("Enter")
        await boss.page.wait_for_url(f"**{url}")


async def test_figures_keep_their_last_value_while_the_connection_is_lost(
    customer: Window, sender: Sender
) -> None:
    await open_wallet(customer, PORTAL)
    shown = await customer.text("[data-money=spendable]")
    await customer.page.context.set_offline(True)
    await customer.until("document.documentElement.dataset.connection === 'offline'")
    sender.hold("b-offline")
    await customer.shows("[data-money=spendable]", shown)
    await customer.page.context.set_offline(False)
    await customer.until("document.documentElement.dataset.connection === 'live'")
    await customer.until(figure_is("spendable"), sender.balance()["spendable"])
