"""A wallet's lifetime: opened once, configured, frozen, closed; sent to Redis when available."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from billing import servers
from billing import wallet as commands
from billing.models import MoneyOrder, Wallet
from billing.money import UNITS
from billing.services import recharges, wallets
from poolsite import access, hotpath
from poolsite.access.models import Account, AuditEntry
from tests.billing.recharge.money_people import (
    answer,
    browser,
    completed,
    figures,
    operator,
    payers,
    spendable,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PRICES = commands.Quote({"native_text": 10 * UNITS})


def hold(wallet: Wallet, message_id: str) -> commands.Charge:
    request = commands.HoldRequest(message_id, "hash", PRICES, sent=True)
    return servers.path(wallet).run(commands.hold(wallet.slug, request))


def nowhere() -> hotpath.HotPath:
    """Return a path to a Redis that does not answer, with a short timeout."""
    return hotpath.HotPath("redis://127.0.0.1:1", hotpath.Limits(attempts=2))


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A Redis that does not answer while `away.set(True)`."""
    real = servers.path

    class Switch:
        def set(self, value: bool) -> None:
            path = nowhere() if value else None
            monkeypatch.setattr(servers, "path", (lambda _: path) if path else real)

    return Switch()


def test_a_wallet_is_opened_once_however_often_it_is_asked_for() -> None:
    account = Account.objects.create(slug="newcomer", name="New")
    olga = operator("olga", "finance")
    first = wallets.wallet_open(account, olga, opening=5 * UNITS)
    assert wallets.wallet_open(account, olga, opening=9 * UNITS).pk == first.pk
    wallet = Wallet.objects.get(pk=first.pk)
    assert (spendable(wallet), wallet.opening, wallet.spendable) == (5 * UNITS,) * 3
    assert wallet.opened_at is not None
    assert wallet.unsent_since is None
    assert AuditEntry.objects.filter(action="billing.wallet_open").count() == 1


def test_only_finance_opens_a_wallet() -> None:
    people = payers()
    for actor in (people.owner, operator("oz", "operate")):
        with pytest.raises(access.AccessRefused):
            wallets.wallet_open(people.wallet.account, actor)


def test_a_frozen_wallet_refuses_holds_and_takes_money_and_settles() -> None:
    people, olga = payers(), operator("olga", "finance")
    answer(completed(started(people, 100)))
    assert hold(people.wallet, "m1").answer == "held"
    wallets.wallet_freeze(people.wallet, actor=olga, reason="bill disputed")
    assert hold(people.wallet, "m2").answer == "frozen"
    assert answer(completed(started(people, 50))) == (200, "credited")
    report = commands.DeliveryReport("m1", final=True, delivered=False, mode="native_text")
    servers.path(people.wallet).run(commands.report(people.slug, report))
    assert spendable(people.wallet) == 150 * UNITS
    wallets.wallet_freeze(people.wallet, actor=olga, reason="again")
    wallets.wallet_unfreeze(people.wallet, actor=olga, reason="settled")
    assert hold(people.wallet, "m2").answer == "held"


def test_a_closed_wallet_stays_closed_and_its_open_holds_settle() -> None:
    people, olga = payers(), operator("olga", "finance")
    answer(completed(started(people, 100)))
    hold(people.wallet, "m1")
    wallets.wallet_close(people.wallet, actor=olga, reason="contract ended")
    assert hold(people.wallet, "m2").answer == "closed"
    report = commands.DeliveryReport("m1", final=True, delivered=True, mode="native_text")
    servers.path(people.wallet).run(commands.report(people.slug, report))
    assert (spendable(people.wallet), figures(people.wallet).held) == (90 * UNITS, 0)
    with pytest.raises(ValidationError):
        wallets.wallet_unfreeze(people.wallet, actor=olga, reason="no")
    with pytest.raises(ValidationError, match="closed"):
        recharges.recharge_start(
            people.wallet, actor="test", amount=UNITS, variant="stripe", token=uuid4()
        )


def test_what_was_paid_before_an_account_closed_is_credited_all_the_same() -> None:
    people, olga = payers(), operator("olga", "finance")
    recharge = started(people, 100)
    wallets.wallet_close(people.wallet, actor=olga, reason="contract ended")
    assert answer(completed(recharge)) == (200, "credited")
    assert spendable(people.wallet) == 100 * UNITS


def test_a_daily_limit_is_in_force_for_the_next_hold() -> None:
    people = payers()
    answer(completed(started(people, 100)))
    wallets.wallet_configure(people.wallet, actor=people.owner, daily_limit=15 * UNITS)
    assert hold(people.wallet, "m1").answer == "held"
    assert hold(people.wallet, "m2").answer == "daily limit"
    wallets.wallet_configure(people.wallet, actor=people.owner, daily_limit=0)
    assert hold(people.wallet, "m2").answer == "held"


@pytest.mark.parametrize(
    "values",
    [
        {"daily_limit": -1},
        {"alert_below": 2**53},
        {"top_up_below": 10, "top_up_amount": 5},
        {"top_up_daily_count": 25},
    ],
)
def test_rules_that_cannot_be_change_nothing(values: dict[str, int]) -> None:
    people = payers()
    with pytest.raises(ValidationError):
        wallets.wallet_configure(people.wallet, actor=people.owner, **values)
    people.wallet.refresh_from_db()
    assert people.wallet.daily_limit == people.wallet.alert_below == 0


def test_settings_are_changed_by_payers_of_the_account_alone() -> None:
    people = payers()
    for actor in (payers("other").owner, operator("looker")):
        with pytest.raises(access.AccessRefused):
            wallets.wallet_configure(people.wallet, actor=actor, daily_limit=1)
    with pytest.raises(access.AccessRefused):
        wallets.wallet_configure(people.wallet, actor=people.owner, log_limit=2_000)


def test_what_redis_did_not_hear_is_sent_when_it_is_back(away: Any) -> None:
    people, olga = payers(), operator("olga", "finance")
    answer(completed(started(people, 100)))
    away.set(True)
    wallets.wallet_freeze(people.wallet, actor=olga, reason="bill disputed")
    people.wallet.refresh_from_db()
    assert (people.wallet.status, people.wallet.unsent_since is None) == ("frozen", False)
    assert wallets.send_waiting() == {"waiting": 1, "sent": 0}
    away.set(False)
    assert hold(people.wallet, "m1").answer == "held"
    assert wallets.send_waiting() == {"waiting": 1, "sent": 1}
    assert hold(people.wallet, "m2").answer == "frozen"
    assert wallets.send_waiting() == {"waiting": 0, "sent": 0}


def test_a_wallet_opened_without_redis_is_made_when_it_is_back(away: Any) -> None:
    away.set(True)
    account = Account.objects.create(slug="late", name="Late")
    wallet = wallets.wallet_open(account, "test", opening=7 * UNITS)
    away.set(False)
    assert wallets.send_waiting()["sent"] == 1
    assert spendable(wallet) == 7 * UNITS


def test_lost_data_is_never_begun_again_at_zero(clean_redis: Any) -> None:
    people = payers()
    answer(completed(started(people, 100)))
    with clean_redis.client() as client:
        client.flushall()
    Wallet.objects.filter(pk=people.wallet.pk).update(unsent_since="2026-01-01T00:00:00Z")
    assert wallets.send_waiting() == {"waiting": 1, "sent": 0}
    assert servers.path(people.wallet).run(commands.balance(people.slug)) is None


def test_a_wallet_in_safe_mode_is_not_opened_by_its_settings() -> None:
    people, olga = payers(), operator("olga", "finance")
    servers.path(people.wallet).run(commands.status(people.slug, "recovering", "lost", "safe:1"))
    wallets.wallet_freeze(people.wallet, actor=olga, reason="bill disputed")
    assert figures(people.wallet).status == "recovering"
    people.wallet.refresh_from_db()
    assert people.wallet.unsent_since is not None


def test_a_recharge_without_redis_waits_in_the_outbox_and_comes_once(away: Any) -> None:
    from billing.services import outbox

    people = payers()
    real = servers.named
    try:
        servers.named = lambda name: nowhere()
        assert answer(completed(started(people, 100))) == (200, "credited")
    finally:
        servers.named = real
    order = MoneyOrder.objects.get()
    assert order.applied_at is None
    assert spendable(people.wallet) == 0
    assert outbox.apply_orders([order.pk]) == 1
    assert outbox.apply_orders([order.pk]) == 0
    assert spendable(people.wallet) == 100 * UNITS


@pytest.mark.parametrize(
    ("currency", "amount"),
    [("CNY", 5_050), ("CNY", 105_001), ("JPY", 105_000), ("CNY", 10_000_000 * UNITS)],
)
def test_an_amount_that_no_provider_takes_is_no_rule(currency: str, amount: int) -> None:
    people = payers(currency=currency)
    with pytest.raises(ValidationError) as refused:
        wallets.wallet_configure(
            people.wallet, actor=people.owner, top_up_below=1, top_up_amount=amount
        )
    assert "top_up_amount" in refused.value.message_dict
    people.wallet.refresh_from_db()
    assert people.wallet.top_up_below == 0


def test_only_finance_is_led_to_the_opening_of_a_balance() -> None:
    looker, olga = operator("looker"), operator("olga", "finance")
    pages = [browser(user).get("/billing/accounts/").content.decode() for user in (looker, olga)]
    payers()
    pages += [browser(user).get("/billing/accounts/").content.decode() for user in (looker, olga)]
    assert ["/billing/open/" in page for page in pages] == [False, True, False, True]
