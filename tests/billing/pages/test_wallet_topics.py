"""The wallets' topics: after each action the old snapshot plus the changes is the new one."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from billing import wallet as commands
from billing.money import UNITS
from billing.services import moving
from billing.services.wallets import wallet_freeze, wallet_unfreeze
from billing.topics import scope
from billing.topics.lines import LINES
from billing.topics.wallets import WalletFiguresTopic, WalletTopic
from poolsite import access, hotpath, live
from poolsite.access import Decision
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, customer, lived, operator
from tests.live.helpers import assert_all_follow, assert_snapshot_plus_changes
from tests.support.clock import ScriptClock
from tests.support.parts import starts_processes

pytestmark = pytest.mark.django_db(transaction=True)

SLUG = "evergreen"
Step = Callable[[Customer], Any]


def sweep(made: Customer) -> Any:
    return made.run(commands.sweep(SLUG, 100))


ACTIONS: dict[str, tuple[Step, ...]] = {
    "nothing": (),
    "hold": (lambda made: made.hold("n-1"),),
    "holds of a campaign": (lambda made: made.hold(*(f"c7-{row}" for row in range(60))),),
    "sent": (lambda made: made.run(commands.sent(SLUG, ["m-open"])),),
    "settled": (lambda made: made.report("m-open", "native_text"),),
    "settled at the full price": (lambda made: made.report("m-open", "yuexin_resolved"),),
    "an unexpected mode": (lambda made: made.report("m-open", "video"),),
    "failed": (lambda made: made.report("m-open", "native_text", delivered=False),),
    "cancelled": (lambda made: made.run(commands.cancel(SLUG, "m-open")),),
    "a contradiction": (lambda made: made.report("m-text", "video"),),
    "parked, then held": (
        lambda made: made.report("n-1", "native_text"),
        lambda made: made.hold_any("n-1"),
    ),
    "session": (lambda made: made.session("s-1"),),
    "recharge": (lambda made: made.top_up("recharge:2", 7 * UNITS),),
    "credit": (lambda made: made.run(commands.move(SLUG, "adjust:1", "credit", 5)),),
    "debit above what is there": (
        lambda made: made.run(commands.move(SLUG, "adjust:2", "debit", 900 * UNITS)),
    ),
    "owed, then paid": (
        lambda made: made.run(commands.move(SLUG, "adjust:2", "debit", 900 * UNITS)),
        lambda made: made.top_up("recharge:2", 1_000 * UNITS),
    ),
    "charge-back": (lambda made: made.run(commands.move(SLUG, "cb", "chargeback", 9)),),
    "cash refund": (lambda made: made.run(commands.move(SLUG, "cr", "cash_refund", 9)),),
    "by hand": (lambda made: made.run(commands.move(SLUG, "bh", "by_hand", 9)),),
    "frozen": (lambda made: wallet_freeze(made.wallet, actor="test", reason="unpaid"),),
    "frozen and open again": (
        lambda made: wallet_freeze(made.wallet, actor="test", reason="unpaid"),
        lambda made: wallet_unfreeze(made.wallet, actor="test", reason="paid"),
    ),
    "persisted": (lambda made: made.persist(),),
    "swept": (sweep,),
}


@pytest.fixture
async def made(clean_redis: RedisServer) -> Customer:
    """A wallet with data for every page."""
    return await sync_to_async(lived)()


@pytest.mark.parametrize("action", ACTIONS)
async def test_the_old_snapshot_and_the_changes_of_an_action_make_the_new_snapshot(
    made: Customer, action: str
) -> None:
    async def act() -> None:
        for step in ACTIONS[action]:
            await sync_to_async(step)(made)

    await assert_all_follow([WalletFiguresTopic(SLUG), WalletTopic(SLUG)], act)


async def test_figures_are_those_of_the_wallet_to_the_unit(made: Customer) -> None:
    data = (await WalletTopic(SLUG).snapshot()).data
    now = await hotpath.arun(commands.balance(SLUG))
    assert now is not None
    assert (data["spendable"], data["held"], data["seq"]) == (now.bal, now.held, now.seq)
    # 100 opening + 50 paid in; text costs 0.30, Yuexin text 0.10; two are held at 0.50
    assert data["spendable"] == 150 * UNITS - 3_000 - 1_000 - 2 * 5_000
    assert data["held"] == 2 * 5_000


async def test_each_line_tells_the_balance_after_it_and_they_lead_to_what_can_be_spent(
    made: Customer,
) -> None:
    data = (await WalletTopic(SLUG).snapshot()).data
    lines = data["lines"]
    assert lines[0]["balance"] == data["spendable"]
    assert [line["seq"] for line in lines] == sorted((line["seq"] for line in lines), reverse=True)
    assert sum(line["amount"] for line in lines) == data["spendable"] - 100 * UNITS
    assert {line["kind"] for line in lines} >= {"hold", "settle", "fail", "cancel", "recharge"}
    assert not {"sent", "flag"} & {line["kind"] for line in lines}


async def test_entries_of_one_second_kind_and_campaign_are_one_line(
    test_clock: ScriptClock, made: Customer
) -> None:
    topic = WalletTopic(SLUG)
    await topic.snapshot()
    await sync_to_async(made.hold)(*(f"c7-{row}" for row in range(30)))
    lines = [line for line in (await topic.snapshot()).data["lines"] if line["cause"] == "c7"]
    assert sum(line["count"] for line in lines) == 30
    assert sum(line["amount"] for line in lines) == -30 * 5_000
    assert len(lines) == 1
    test_clock.advance(1)
    await sync_to_async(made.hold)("c7-30")
    lines = [line for line in (await topic.snapshot()).data["lines"] if line["cause"] == "c7"]
    assert [line["count"] for line in lines] == [1, 30]


async def test_lines_older_than_the_stream_come_from_the_books(made: Customer) -> None:
    before = (await WalletTopic(SLUG).snapshot()).data["lines"]
    await sync_to_async(made.persist)()
    await hotpath.aclient().xtrim(commands.WalletKeys(SLUG).log, maxlen=0, approximate=False)
    after = (await WalletTopic(SLUG).snapshot()).data["lines"]
    assert [line["amount"] for line in after] == [line["amount"] for line in before]
    assert [line["balance"] for line in after] == [line["balance"] for line in before]


async def test_a_snapshot_holds_the_newest_lines_alone(made: Customer) -> None:
    for number in range(LINES + 5):
        await sync_to_async(made.top_up)(f"recharge:{number + 10}", UNITS)
    lines = (await WalletTopic(SLUG).snapshot()).data["lines"]
    assert len(lines) == LINES
    assert lines[0]["id"] == f"recharge:{LINES + 14}"


@pytest.fixture
@starts_processes
def heavy(tmp_path_factory: pytest.TempPathFactory, settings: Any) -> Iterator[RedisServer]:
    """A second Redis, named `heavy`."""
    server = RedisServer(tmp_path_factory.mktemp("heavy"), append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    yield server
    server.stop()


async def test_a_wallet_is_watched_where_it_lives_before_and_after_it_moves(
    made: Customer, heavy: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope, "REF_SECONDS", 0.0)
    topic = WalletTopic(SLUG)
    before = await topic.snapshot()
    assert topic.due_seconds() is None
    await sync_to_async(moving.wallet_move)(made.wallet, "heavy", actor="test")
    assert await topic.changes(before.version) is None  # another generation of the data
    there = await topic.snapshot()
    assert there.data["spendable"] == before.data["spendable"]
    assert topic.due_seconds() == scope.ELSEWHERE_SECONDS
    await sync_to_async(made.wallet.refresh_from_db)()

    async def hold() -> None:
        await sync_to_async(made.hold)("n-1")

    await assert_snapshot_plus_changes(WalletTopic(SLUG), hold)


async def test_a_wallet_that_redis_lost_is_missing_and_tells_what_the_books_know(
    made: Customer,
) -> None:
    await sync_to_async(made.persist)()
    await hotpath.aclient().flushall()
    topic = WalletTopic(SLUG)
    data = (await topic.snapshot()).data
    assert data["status"] == "missing"
    assert data["lines"][0]["balance"] == 150 * UNITS - 3_000 - 1_000 - 2 * 5_000
    changes = await topic.changes(0)
    assert changes is not None
    assert changes.data is None


@pytest.mark.parametrize("key", ["EVERGREEN", "ever:green", "", "a" * 41, "ever green"])
@pytest.mark.parametrize("name", ["billing.wallet", "billing.figures"])
async def test_a_nonsense_key_is_no_topic(name: str, key: str) -> None:
    assert live.resolve(f"{name}:{key}") is None


async def test_only_the_own_people_and_operators_may_watch(made: Customer) -> None:
    def principal(user: Any) -> access.Principal:
        return access.principal_of_user(user)

    other = await sync_to_async(customer)("northbank")
    boss = await sync_to_async(operator)()
    for topic in (WalletTopic(SLUG), WalletFiguresTopic(SLUG)):
        for user, answer in (
            (made.people["owner"], Decision.ALLOW),
            (made.people["payer"], Decision.ALLOW),
            (made.people["agent"], Decision.FORBIDDEN),
            (other.people["owner"], Decision.HIDDEN),
            (boss, Decision.ALLOW),
        ):
            assert await topic.allowed(await sync_to_async(principal)(user)) is answer
        assert await topic.allowed(access.ANONYMOUS) is Decision.LOGIN
    missing = WalletTopic("nobody")
    assert await missing.allowed(await sync_to_async(principal)(boss)) is Decision.HIDDEN
    for address in ("billing.flagged:all", "billing.books:all"):
        work = live.resolve(address)
        assert work is not None
        assert await work.allowed(await sync_to_async(principal)(boss)) is Decision.ALLOW
        owner = await sync_to_async(principal)(made.people["owner"])
        assert await work.allowed(owner) is Decision.FORBIDDEN
