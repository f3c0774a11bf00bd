"""Automatic top-ups and low-balance alerts: once, within their limits, and with a notification."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import servers
from billing import wallet as commands
from billing.models import PaymentMethod, Recharge, Wallet
from billing.money import UNITS
from billing.recharging import variants
from billing.recharging.demo_provider import DemoProvider
from billing.services import alerts, auto_top_up, outbox, payment_methods
from poolsite.access.models import AuditEntry
from poolsite.operations.models import Incident, Notice, NoticeTarget
from tests.billing.recharge.money_people import Payers, payers, spendable, started

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def with_card(below: int = 50, by: int = 100, count: int = 3, **more: Any) -> Payers:
    """Make an account with a rule and a stored demo card, which its first top-up stored."""
    people = payers(**more)
    recharge = started(people, 60, "demo", keep_method=True)
    provider = variants.provider_of("demo")
    assert isinstance(provider, DemoProvider)
    provider.end(recharge, "paid")
    Wallet.objects.filter(pk=people.wallet.pk).update(
        top_up_below=below * UNITS,
        top_up_amount=by * UNITS,
        top_up_daily_count=count,
        spendable=60 * UNITS,
    )
    people.wallet.refresh_from_db()
    return people


def spend(people: Payers, units: int) -> None:
    """Spend `units` in Redis and, as the persistence would, in SQL."""
    number = outbox.MoneyOrder.objects.count()
    outbox.order(people.wallet, "debit", units * UNITS, f"spent-{number}")
    Wallet.objects.filter(pk=people.wallet.pk).update(spendable=spendable(people.wallet))


def automatic(people: Payers) -> list[Recharge]:
    return list(Recharge.objects.filter(wallet=people.wallet, is_automatic=True).order_by("pk"))


def test_the_kept_card_is_charged_below_the_mark_and_not_above_it() -> None:
    people = with_card()
    assert auto_top_up.top_up_due() == {"begun": 0, "finished": 0}
    spend(people, 20)
    assert auto_top_up.top_up_due()["begun"] == 1
    assert spendable(people.wallet) == 140 * UNITS
    (made,) = automatic(people)
    assert (made.status, made.amount) == ("confirmed", 100 * UNITS)


def test_redis_decides_where_sql_lags_behind() -> None:
    people = with_card()
    spend(people, 20)
    auto_top_up.top_up_due()
    Wallet.objects.filter(pk=people.wallet.pk).update(spendable=40 * UNITS)  # not persisted yet
    assert auto_top_up.top_up_due()["begun"] == 0
    assert len(automatic(people)) == 1


def test_not_more_often_a_day_than_the_rule_says_failures_included(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = with_card(count=2)

    def refuse(*_: Any) -> None:
        raise variants.ProviderError("card declined", certain=True)

    monkeypatch.setattr(DemoProvider, "charge_kept", refuse)
    spend(people, 20)
    assert auto_top_up.top_up_due()["begun"] == 1
    assert Incident.objects.get(type="billing.auto_top_up").until is None
    monkeypatch.undo()
    variants.provider_of("demo")
    assert auto_top_up.top_up_due()["begun"] == 1
    assert Incident.objects.get(type="billing.auto_top_up").until is not None
    spend(people, 130)
    assert auto_top_up.top_up_due()["begun"] == 0
    yesterday = timezone.now() - timedelta(days=1)
    Recharge.objects.filter(is_automatic=True).update(created=yesterday)
    assert auto_top_up.top_up_due()["begun"] == 1


def test_the_day_is_the_account_s_own() -> None:
    people = with_card(count=1, zone="Pacific/Kiritimati")
    start = auto_top_up.day_start(people.wallet.account)
    assert start.hour == 0
    assert start.utcoffset() == timedelta(hours=14)


def test_in_doubt_it_waits_and_is_asked_again_with_the_same_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = with_card()
    spend(people, 20)
    asked: list[str] = []

    def silent(_: Any, recharge: Recharge, method: PaymentMethod) -> None:
        asked.append(recharge.token)
        raise variants.ProviderError("no answer", certain=False)

    monkeypatch.setattr(DemoProvider, "charge_kept", silent)
    auto_top_up.top_up_due()
    assert auto_top_up.top_up_due() == {"begun": 0, "finished": 0}  # one top-up is on its way
    Recharge.objects.filter(is_automatic=True).update(
        created=timezone.now() - timedelta(seconds=61)
    )
    assert auto_top_up.top_up_due() == {"begun": 0, "finished": 1}
    assert len(set(asked)) == 1
    assert len(asked) == 2
    monkeypatch.undo()
    assert auto_top_up.top_up_due()["finished"] == 1
    assert spendable(people.wallet) == 140 * UNITS


def test_without_a_card_a_rule_or_an_open_account_nothing_is_charged() -> None:
    people = with_card()
    spend(people, 20)
    Wallet.objects.filter(pk=people.wallet.pk).update(status="frozen")
    assert auto_top_up.top_up_due()["begun"] == 0
    Wallet.objects.filter(pk=people.wallet.pk).update(status="open", top_up_below=0)
    assert auto_top_up.top_up_due()["begun"] == 0
    Wallet.objects.filter(pk=people.wallet.pk).update(top_up_below=50 * UNITS)
    payment_methods.method_remove(PaymentMethod.objects.get(), actor=people.owner)
    assert auto_top_up.top_up_due()["begun"] == 0
    assert AuditEntry.objects.filter(action="billing.method_remove").count() == 1


def test_a_card_is_kept_only_when_its_payer_asked_for_it() -> None:
    people = payers()
    provider = variants.provider_of("demo")
    assert isinstance(provider, DemoProvider)
    provider.end(started(people, 60, "demo"), "paid")
    assert not PaymentMethod.objects.exists()


def test_each_shard_tops_up_its_own_wallets() -> None:
    people = with_card()
    spend(people, 20)
    mine = people.wallet.pk % 2
    assert auto_top_up.top_up_due(1 - mine, 2)["begun"] == 0
    assert auto_top_up.top_up_due(mine, 2)["begun"] == 1


# -- alerts ---------------------------------------------------------------------------------------


def test_a_low_balance_is_told_once_until_it_recovers() -> None:
    people = payers()
    NoticeTarget.objects.create(account=people.wallet.account, address="a@example.org")
    rows = Wallet.objects.filter(pk=people.wallet.pk)
    rows.update(alert_below=100 * UNITS, spendable=99 * UNITS)
    assert alerts.check_low_balances() == {"opened": 1, "closed": 0}
    assert alerts.check_low_balances() == {"opened": 0, "closed": 0}
    rows.update(spendable=105 * UNITS)  # a few refunds do not count as a recovery
    assert alerts.check_low_balances() == {"opened": 0, "closed": 0}
    rows.update(spendable=50 * UNITS)
    assert alerts.check_low_balances() == {"opened": 0, "closed": 0}
    rows.update(spendable=110 * UNITS)
    assert alerts.check_low_balances() == {"opened": 0, "closed": 1}
    rows.update(spendable=1)
    assert alerts.check_low_balances() == {"opened": 1, "closed": 0}
    told = Notice.objects.filter(target__account=people.wallet.account)
    assert sorted(told.values_list("event", flat=True)) == ["closed", "opened", "opened"]
    assert "99.0000 CNY" in Incident.objects.order_by("pk")[0].detail


def test_no_mark_or_no_open_account_no_alert() -> None:
    people = payers()
    rows = Wallet.objects.filter(pk=people.wallet.pk)
    assert alerts.check_low_balances()["opened"] == 0
    rows.update(alert_below=100 * UNITS, status="closed")
    assert alerts.check_low_balances()["opened"] == 0
    rows.update(status="open")
    alerts.check_low_balances()
    rows.update(alert_below=0)
    assert alerts.check_low_balances() == {"opened": 0, "closed": 1}


def test_the_balance_of_redis_is_what_the_top_up_compares() -> None:
    people = with_card()
    Wallet.objects.filter(pk=people.wallet.pk).update(spendable=0)
    found = servers.path(people.wallet).run(commands.balance(people.slug))
    assert found is not None
    assert found.bal == 60 * UNITS
    assert auto_top_up.top_up_due()["begun"] == 0


def test_a_payment_that_comes_while_a_top_up_waits_for_the_row_is_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = with_card()
    spend(people, 20)
    locked = auto_top_up.locked

    def paid_meanwhile(wallet: Wallet) -> Wallet:
        move = commands.move(wallet.slug, "paid", "recharge", 100 * UNITS)
        servers.path(wallet).run(move)
        return locked(wallet)

    monkeypatch.setattr(auto_top_up, "locked", paid_meanwhile)
    assert auto_top_up.top_up(people.wallet) is None
    assert automatic(people) == []
