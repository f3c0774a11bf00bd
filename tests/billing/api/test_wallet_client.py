"""The wallet's client against the application: a lost answer holds, sends and charges once."""

from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from integrations.poolsite_client import (
    AsyncWallet,
    MessageResult,
    RejectedError,
    Wallet,
    retrying,
)
from tests.billing.api.shop import Shop, make_shop
from tests.numbers.people import in_thread
from tests.support.lossy import URL, Blocked, Line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PRICE = Decimal("0.0800")
ZERO = Decimal(0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_SECONDS", 0.001)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def client(shop: Shop, line: Line) -> AsyncIterator[AsyncWallet]:
    async with AsyncWallet(URL, shop.token, shop.slug, transport=line) as client:
        yield client


async def test_a_message_is_held_sent_and_charged_once_though_answers_are_lost(
    client: AsyncWallet, shop: Shop, line: Line
) -> None:
    first = await client.balance()
    before = first.spendable
    assert (first.balance, first.credit_limit) == (before, ZERO)
    line.lose = 2
    held = await client.hold("m-1", text="Hello")
    assert (held.state, held.held, held.charged) == ("held", PRICE, ZERO)
    line.lose = 2
    assert (await client.sent("m-1")).state == "sent"
    async with AsyncWallet(URL, shop.gateway, shop.slug, transport=line) as gateway:
        line.lose = 2
        done = await gateway.settle("m-1", delivered=True, mode="native_text")
    assert (done.state, done.held, done.charged) == ("settled", ZERO, PRICE)
    now = await client.balance()
    assert (now.spendable, now.held, now.open_holds) == (before - PRICE, ZERO, 0)
    found = await client.message("m-1")
    assert (found.state, found.mode, found.charged) == ("settled", "native_text", PRICE)
    await in_thread(shop.check)()


async def test_what_cannot_be_done_says_why_and_charges_nothing(
    client: AsyncWallet, line: Line
) -> None:
    await client.hold("m-1", text="Hello")
    with pytest.raises(RejectedError) as other:
        await client.hold("m-1", text="Goodbye")
    assert (other.value.status, other.value.kind) == (422, "other-body")
    assert (await client.cancel("m-1")).state == "cancelled"
    with pytest.raises(RejectedError) as gone:
        await client.sent("m-1")
    assert (gone.value.status, gone.value.body["state"]) == (409, "cancelled")
    with pytest.raises(RejectedError, match="unknown-message"):
        await client.message("m-9")
    with pytest.raises(RejectedError, match="forbidden"):
        await client.settle("m-1", delivered=True)
    assert (await client.balance()).held == 0


async def test_a_batch_pays_for_as_many_as_there_is_money(line: Line) -> None:
    shop = await in_thread(make_shop)("poor", money=1_600)
    async with AsyncWallet(URL, shop.token, shop.slug, transport=line) as client:
        line.lose = 1
        items = [{"message_id": f"m-{n}", "text": "Hello"} for n in range(3)]
        told = await client.send("holds", items)
        assert [isinstance(each, MessageResult) for each in told] == [True, True, False]
        assert isinstance(told[2], RejectedError)
        assert told[2].kind == "insufficient-balance"
        assert (await client.balance()).spendable == 0


async def test_blocking_calls_do_the_same(shop: Shop, line: Line) -> None:
    blocked = Blocked(line)

    def talk() -> MessageResult:
        with Wallet(URL, shop.token, shop.slug, transport=blocked) as wallet:
            wallet.hold("m-1", text="Hello", sent=True)
            wallet.session("s-1", text="Hi")
            return wallet.hold("m-1", text="Hello", sent=True)

    line.lose = 1
    again = await in_thread(talk)()
    assert (again.outcome, again.state) == ("repeat", "sent")
