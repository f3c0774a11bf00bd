"""Credit limits in SQL: the row's constraint, the audit, and what a rebuild restores."""

import pytest
from django.db import IntegrityError, transaction

from billing.models import JournalEntry, Wallet
from billing.persistence.proving import audit_all
from billing.persistence.running import persist_shard
from billing.persistence.writing import BatchOutcome, write_batches
from billing.services import safe_mode
from billing.services.books import apply_all_settings
from billing.services.wallets import credit_limit_write, wallet_close, wallet_send
from tests.billing.books.book_support import (
    batch,
    figures,
    held,
    hold,
    live_wallet,
    make_wallet,
    moved,
    reported,
)
from tests.billing.books.test_running import green

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def on_credit(limit: int = 2_000, **fields: int) -> Wallet:
    return live_wallet(credit_limit=limit, highest_credit_limit=limit, **fields)


def differences() -> list[str]:
    return [str(one) for _, chunk in audit_all() for one in chunk]


def lowered(row: Wallet, limit: int) -> None:
    credit_limit_write(row, limit, actor="test", reason="less")
    row.refresh_from_db()


def test_a_balance_below_zero_reaches_sql_and_the_books_agree() -> None:
    row = on_credit(spendable=500)
    assert [held(row, name).answer for name in ("a", "b", "c", "d")] == ["held"] * 3 + [
        "insufficient balance"
    ]
    reported(row, "a", "video")
    green()
    persist_shard(0, 1)
    row.refresh_from_db()
    assert (row.spendable, row.held) == (500 - 2_400, 1_600)
    assert row.can_spend == 100
    green()


@pytest.mark.parametrize(
    "wrong",
    [
        {"spendable": -2_001},
        {"credit_limit": 2_001},
        {"credit_limit": -1},
        {"highest_credit_limit": 1_999},
        {"held": -1},
        {"receivable": -1},
    ],
)
def test_the_row_itself_refuses_what_no_limit_allowed(wrong: dict[str, int]) -> None:
    row = make_wallet(credit_limit=2_000, highest_credit_limit=2_000)
    Wallet.objects.filter(pk=row.pk).update(spendable=-2_000)
    with pytest.raises(IntegrityError), transaction.atomic():
        Wallet.objects.filter(pk=row.pk).update(**wrong)


def test_a_wallet_without_a_limit_stays_above_zero() -> None:
    row = make_wallet(spendable=100)
    with pytest.raises(IntegrityError), transaction.atomic():
        Wallet.objects.filter(pk=row.pk).update(spendable=-1)
    written = write_batches([batch(row, 1, [hold(1, "m", 101)])], fence=1)
    assert written[row.pk].outcome is BatchOutcome.FAULT
    assert "below zero" in written[row.pk].reason


def test_what_was_spent_before_the_limit_was_lowered_is_no_fault() -> None:
    row = on_credit(spendable=0)
    held(row, "a")
    held(row, "b")
    lowered(row, 100)
    assert (row.credit_limit, row.highest_credit_limit) == (100, 2_000)
    assert figures(row).credit == 100
    assert held(row, "c").answer == "insufficient balance"
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.faults) == (1, 0)
    row.refresh_from_db()
    assert row.spendable == -1_600
    green()
    told = JournalEntry.objects.filter(wallet=row, kind="limit").values_list("mode", "operation_id")
    assert list(told) == [("100", "")]


def test_the_audit_finds_a_limit_and_a_balance_that_were_changed_by_hand(clean_redis) -> None:
    row = on_credit(spendable=0)
    green()
    with clean_redis.client() as client:
        client.hset(row.tag, "credit", 9_000)
    found = "SQL credit limit = credit limit in Redis: 9000 instead of 2000"
    assert any(found in one for one in differences())
    assert held(row, "a").answer == held(row, "b").answer == held(row, "c").answer == "held"
    law = "bal in Redis is not below -2000: -2400 instead of -2000"
    assert any(law in one for one in differences())
    turn = persist_shard(0, 1)
    assert turn.faults == 1  # and SQL refuses such a row


def test_the_books_may_be_audited_while_the_limit_waits_for_redis() -> None:
    row = on_credit()
    Wallet.objects.filter(pk=row.pk).update(
        credit_limit=3_000, highest_credit_limit=3_000, unsent_since=row.created_at
    )
    green()
    wallet_send(row)
    assert figures(row).credit == 3_000
    green()


def test_settings_of_the_day_do_not_bring_an_older_limit_back() -> None:
    row = on_credit()
    Wallet.objects.filter(pk=row.pk).update(credit_limit=50)  # lowered, not sent yet
    apply_all_settings()
    assert figures(row).credit == 2_000
    wallet_send(row)
    assert figures(row).credit == 50


def test_a_lost_wallet_comes_back_below_zero_with_its_limit(clean_redis) -> None:
    row = on_credit(spendable=0)
    held(row, "a")
    moved(row, "debit:1", "debit", 1_500)
    persist_shard(0, 1)
    before = figures(row)
    assert (before.bal, before.receivable) == (-2_000, 300)
    with clean_redis.client() as client:
        client.flushall()
    assert safe_mode.watch()["rebuilt"] == 1
    row.refresh_from_db()
    after = figures(row)
    assert (after.bal, after.held, after.receivable) == (before.bal, before.held, 300)
    assert (after.credit, after.status) == (2_000, "open")
    reported(row, "a", "")
    assert held(row, "b").answer == "held"
    assert held(row, "c").answer == "insufficient balance"
    persist_shard(0, 1)
    green()


def test_a_closed_account_has_no_credit() -> None:
    row = on_credit()
    wallet_close(row, actor="test", reason="the contract ended")
    row.refresh_from_db()
    assert (row.credit_limit, figures(row).credit) == (0, 0)
    assert moved(row, "debit:1", "debit", 20_000).receivable == 10_000
