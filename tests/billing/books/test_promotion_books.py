"""Promotional credit in the books: rows, the journal's leg, the audit, a rebuild, the outbox."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.models import JournalEntry, MoneyOrder, Promotion, PromotionMove, Wallet
from billing.persistence.proving import audit_all
from billing.persistence.running import persist_shard
from billing.selectors.promotions import (
    grants_of,
    own_balance,
    paid_by_promotions,
    state_of,
    used_between,
    with_granted,
)
from billing.selectors.statements import statement_of
from billing.services import outbox, safe_mode
from billing.services.days import month_at
from billing.services.promotions import promotion_revoke
from billing.wallet import Grant
from poolsite.moments import us_of
from tests.billing.books.book_support import figures, granted, held, live_wallet, moved, reported
from tests.billing.books.test_running import green
from tests.billing.recharge.money_people import operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture(autouse=True)
def no_second_factor(settings: Any) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = False


def persisted(*promotions: Promotion) -> None:
    turn = persist_shard(0, 1)
    assert (turn.faults, turn.failed, turn.refused) == (0, 0, 0)
    for each in promotions:
        each.refresh_from_db()


def flushed(clean_redis: Any, row: Wallet) -> None:
    with clean_redis.client() as client:
        client.flushall()
    assert safe_mode.watch()["rebuilt"] == 1
    row.refresh_from_db()


def test_a_grant_reaches_redis_the_journal_and_its_row_once() -> None:
    row = live_wallet(spendable=1_000)
    found = granted(row, 500)
    assert (figures(row).bal, figures(row).promotional) == (1_500, 500)
    green()
    persisted(found)
    assert (found.remaining, state_of(found)) == (500, "active")
    entry = JournalEntry.objects.get(wallet=row, kind="grant")
    assert (entry.spendable, entry.promotion, entry.revenue, entry.cash) == (500, -500, 0, 0)
    green()
    outbox.relay()
    assert figures(row).bal == 1_500


def test_messages_tell_which_promotions_paid_them() -> None:
    row = live_wallet(spendable=1_000)
    found = granted(row, 500)
    held(row, "a")  # 800 at most: 500 of the promotion, 300 own
    persisted(found)
    assert (found.remaining, paid_by_promotions(row, "a")) == (0, 500)
    reported(row, "a", "native_text")  # 300
    persisted(found)
    assert (found.remaining, paid_by_promotions(row, "a")) == (200, 300)
    assert figures(row).bal == 1_200
    now = timezone.now()
    assert used_between(row, now - timedelta(hours=1), now + timedelta(hours=1)) == 300
    row.refresh_from_db()
    assert own_balance(row) == 1_000
    green()


def test_a_statement_tells_what_was_granted_used_and_expired() -> None:
    row = live_wallet(spendable=1_000)
    found = granted(row, 500)
    held(row, "a", sent=True)
    reported(row, "a", "native_text")
    promotion_revoke(found, actor=operator("olga", "finance"), reason="mistake")
    persisted(found)
    opened = statement_of(row, month_at(row.account), 10)
    lines = {line.name: line.units for line in opened.statement.adjustments}
    assert lines == {"grant": 500, "revoke": -200}
    assert (opened.promotional, opened.statement.difference) == (300, 0)
    assert opened.statement.closing == 1_000 + 500 - 300 - 200


def test_what_expires_leaves_the_balance_and_the_row(clean_redis: Any) -> None:
    row = live_wallet(spendable=1_000)
    found = granted(row, 500)
    persisted(found)
    Promotion.objects.filter(pk=found.pk).update(expires_at=timezone.now() - timedelta(days=1))
    flushed(clean_redis, row)  # its expiry comes from SQL again
    held(row, "a")
    assert (figures(row).bal, figures(row).grants) == (200, ())
    persisted(found)
    assert (found.remaining, state_of(found)) == (0, "expired")
    entry = JournalEntry.objects.get(wallet=row, kind="expired")
    assert (entry.spendable, entry.promotion, entry.operation_id) == (
        *(-500, 500),
        f"promotion:{found.pk}",
    )
    green()


def test_a_lost_wallet_comes_back_with_its_promotions(clean_redis: Any) -> None:
    row = live_wallet(spendable=1_000)
    first, second = granted(row, 500, 2, "one"), granted(row, 400, 9, "two")
    held(row, "a", sent=True)
    held(row, "b")
    reported(row, "a", "native_text")
    persisted(first, second)
    before = figures(row)
    assert set(grants_of(row)) == set(before.grants)
    flushed(clean_redis, row)
    after = figures(row)
    assert (after.bal, after.held, after.grants) == (before.bal, before.held, before.grants)
    green()
    reported(row, "b", "")
    persisted(first, second)
    assert (first.remaining, second.remaining) == (200, 400)
    assert paid_by_promotions(row, "b") == 0
    green()


def test_a_grant_that_redis_lost_is_granted_anew_once(clean_redis: Any) -> None:
    row = live_wallet(spendable=1_000)
    persisted()
    found = granted(row, 500)
    assert grants_of(row) == []
    flushed(clean_redis, row)
    assert figures(row).grants == (Grant(found.pk, us_of(found.expires_at), 500),)
    persisted(found)
    assert (found.remaining, figures(row).bal) == (500, 1_500)
    flushed(clean_redis, row)
    outbox.relay()
    assert (figures(row).bal, PromotionMove.objects.count()) == (1_500, 1)
    green()


def test_revoking_is_done_once_and_holds_what_returns_later(clean_redis: Any) -> None:
    row = live_wallet(spendable=1_000)
    found = granted(row, 500)
    held(row, "a", sent=True)
    olga = operator("olga", "finance")
    promotion_revoke(found, actor=olga, reason="mistake")
    promotion_revoke(found, actor=olga, reason="again")
    assert MoneyOrder.objects.filter(kind="revoke").count() == 1
    persisted(found)
    flushed(clean_redis, row)
    reported(row, "a", "")
    persisted(found)
    assert (figures(row).bal, figures(row).grants, found.remaining) == (1_000, (), 0)
    assert state_of(with_granted(Promotion.objects.all()).get()) == "revoked"
    green()


def test_the_audit_finds_promotions_that_were_changed_by_hand(clean_redis: Any) -> None:
    row = live_wallet(spendable=1_000)
    found = granted(row, 500)
    persisted(found)
    Promotion.objects.filter(pk=found.pk).update(remaining=400)
    said = [str(one) for _, chunk in audit_all() for one in chunk]
    assert any("moves of promotions = what is left of them: 400" in one for one in said)
    Promotion.objects.filter(pk=found.pk).update(remaining=500)
    with clean_redis.client() as client:
        client.hset(row.tag, "grants", f"{found.pk},{us_of(found.expires_at)},499;")
    said = [str(one) for _, chunk in audit_all() for one in chunk]
    assert any("promotions: 499 instead of 500" in one for one in said)


def test_a_debit_is_no_way_to_lose_promotions_unseen() -> None:
    row = live_wallet(spendable=100)
    found = granted(row, 500)
    assert moved(row, "debit:1", "debit", 300).spendable == -300
    persisted(found)
    assert found.remaining == 300
    green()
    assert figures(row).bal == 300


def test_a_grant_that_was_revoked_while_it_waited_is_never_granted(monkeypatch: Any) -> None:
    row, olga = live_wallet(spendable=1_000), operator("olga", "finance")
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "apply_orders", lambda _keys: 0)  # Redis has no memory for a grant
        found = granted(row, 500)
    promotion_revoke(found, actor=olga, reason="a mistake")
    monkeypatch.setattr(outbox, "YOUNG_SECONDS", -1)
    outbox.relay()
    assert (figures(row).bal, figures(row).promotional) == (1_000, 0)
    assert MoneyOrder.objects.get().cancelled_at is not None
    persisted(found)
    assert (found.remaining, state_of(found)) == (0, "revoked")
    green()
