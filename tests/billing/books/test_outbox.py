"""Money orders: decided in SQL, applied in Redis, each once, whatever happens in between."""

import pytest
from django.db import transaction

from billing import wallet as commands
from billing.models import JournalEntry, MoneyOrder
from billing.money import MoneyError
from billing.persistence.running import persist_shard
from billing.services import outbox
from poolsite import hotpath
from tests.billing.books.book_support import figures, live_wallet, run
from tests.billing.books.test_running import green

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture(autouse=True)
def _no_youth(monkeypatch):
    monkeypatch.setattr(outbox, "YOUNG_SECONDS", -1)


def ordered(row, operation="recharge:1", amount=500, kind="recharge"):
    with transaction.atomic():
        return outbox.order(row, kind, amount, operation, "a reference")


def test_an_order_is_applied_right_after_the_commit():
    row = live_wallet(spendable=0)
    with transaction.atomic():
        made = outbox.order(row, "recharge", 500, "recharge:1")
        assert figures(row).bal == 0
    assert figures(row).bal == 500
    made.refresh_from_db()
    assert made.applied_at is not None
    assert made.answer == "applied"
    persist_shard(0, 1)
    green()


def test_a_rollback_orders_nothing():
    row = live_wallet(spendable=0)
    with transaction.atomic():
        outbox.order(row, "recharge", 500, "recharge:1")
        transaction.set_rollback(True)
    assert not MoneyOrder.objects.exists()
    assert figures(row).bal == 0


def test_the_same_operation_is_one_order_and_another_amount_is_a_conflict():
    row = live_wallet(spendable=0)
    assert ordered(row).pk == ordered(row).pk
    assert figures(row).bal == 500
    with pytest.raises(outbox.OutboxConflictError):
        ordered(row, amount=501)
    assert figures(row).bal == 500


@pytest.mark.parametrize(
    ("operation", "amount", "kind", "error"),
    [
        ("", 5, "recharge", ValueError),
        ("x" * 81, 5, "recharge", ValueError),
        ("a b", 5, "recharge", ValueError),
        ("r", 0, "recharge", MoneyError),
        ("r", -5, "debit", MoneyError),
        ("r", 2**53, "recharge", MoneyError),
        ("r", 1.5, "recharge", MoneyError),
        ("r", 5, "gift", ValueError),
    ],
)
def test_a_bad_order_is_refused_and_leaves_nothing(operation, amount, kind, error):
    row = live_wallet(spendable=0)
    with pytest.raises(error):
        ordered(row, operation, amount, kind)
    assert not MoneyOrder.objects.exists()


def test_an_order_waits_while_redis_has_no_memory_and_is_applied_once(clean_redis, monkeypatch):
    row = live_wallet(spendable=0)
    with clean_redis.client() as client, monkeypatch.context() as impatient:
        impatient.setattr(hotpath.default().planner, "limits", hotpath.Limits(attempts=2))
        client.config_set("maxmemory", "1")
        try:
            made = ordered(row)
            made.refresh_from_db()
            assert made.applied_at is None
            assert "OOM" in made.answer
            assert outbox.relay() == {"waiting": 1, "applied": 0}
        finally:
            client.config_set("maxmemory", "0")
    assert outbox.relay() == {"waiting": 1, "applied": 1}
    assert outbox.relay() == {"waiting": 0, "applied": 0}
    assert figures(row).bal == 500


def test_an_order_whose_answer_was_lost_is_applied_once(monkeypatch):
    row = live_wallet(spendable=0)
    monkeypatch.setattr(outbox, "_mark", lambda *_: 0)
    ordered(row)
    monkeypatch.undo()
    assert figures(row).bal == 500
    monkeypatch.setattr(outbox, "YOUNG_SECONDS", -1)
    assert outbox.relay()["applied"] == 1
    assert figures(row).bal == 500
    assert MoneyOrder.objects.get().answer == "repeat"


def test_an_order_whose_receipt_is_forgotten_is_found_in_the_journal(monkeypatch, clean_redis):
    row = live_wallet(spendable=0)
    monkeypatch.setattr(outbox, "_mark", lambda *_: 0)
    ordered(row)
    monkeypatch.undo()
    monkeypatch.setattr(outbox, "YOUNG_SECONDS", -1)
    persist_shard(0, 1)
    with clean_redis.client() as client:  # what the purge does after 7 days
        client.delete(commands.WalletKeys(row.slug).operations)
    assert outbox.relay()["applied"] == 1
    assert figures(row).bal == 500
    assert JournalEntry.objects.filter(kind="recharge").count() == 1


def test_an_order_waits_for_a_wallet_that_is_not_there():
    row = live_wallet(spendable=0)
    run(row, commands.destroy(row.slug, row.generation))
    made = ordered(row)
    made.refresh_from_db()
    assert (made.applied_at, made.answer) == (None, "no such wallet")


def test_an_answer_of_a_life_that_ended_meanwhile_is_not_noted(monkeypatch):
    row = live_wallet(spendable=0)
    real = hotpath.HotPath.run_batch

    def ends_meanwhile(self, to_run):
        answers = real(self, to_run)
        type(row).objects.filter(pk=row.pk).update(generation=row.generation + 1)
        return answers

    monkeypatch.setattr(hotpath.HotPath, "run_batch", ends_meanwhile)
    made = ordered(row)
    made.refresh_from_db()
    assert made.applied_at is None


def test_orders_that_can_not_be_applied_do_not_hold_up_the_others(monkeypatch):
    poor, rich = live_wallet(spendable=0), live_wallet(spendable=0)
    monkeypatch.setattr(outbox, "RELAY_AT_ONCE", 2)
    for number in range(2):
        ordered(poor, f"refund:{number}", kind="cash_refund")
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "apply_orders", lambda _keys: 0)  # the process died
        ordered(rich)
    assert outbox.relay()["applied"] == 1
    assert figures(rich).bal == 500
