"""The audit finds every kind of difference, and names the first entry."""

import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from billing.models import AuditRun, JournalEntry, Message, Wallet
from billing.persistence import proving
from billing.persistence.proving import audit_all
from billing.persistence.running import persist_shard
from billing.selectors.lag import audit_state
from billing.services.auditing import audit_some
from poolsite.operations.models import Incident
from tests.billing.books.book_support import held, live_wallet, moved, reported
from tests.billing.books.test_running import green, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def audit(*arguments):
    out = io.StringIO()
    try:
        call_command("audit", *arguments, stdout=out)
    except SystemExit as ended:
        return ended.code, out.getvalue()
    return 0, out.getvalue()


def differences():
    return [str(one) for _, chunk in audit_all() for one in chunk]


def test_books_in_order_exit_0_before_and_after_they_are_persisted():
    used()
    used()
    assert audit() == (0, "2 accounts, 0 differences\n")
    persist_shard(0, 1)
    assert audit("--deep") == (0, "2 accounts, 0 differences\n")


def test_it_is_exact_while_a_batch_is_in_sql_and_not_trimmed(monkeypatch):
    from billing.persistence import rounds

    row = used()
    monkeypatch.setattr(rounds, "_trim", lambda *_: [])
    persist_shard(0, 1)
    held(row, "more")
    green()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda row: JournalEntry.objects.filter(seq=3).delete(), "1:3 is missing"),
        (lambda row: JournalEntry.objects.filter(seq=3).update(revenue=5, cash=-5), ""),
        (
            lambda row: JournalEntry.objects.filter(seq=3).update(spendable=-799, held=799),
            "1:3 (hold m2) was changed",
        ),
        (lambda row: Wallet.objects.filter(pk=row.pk).update(spendable=1), "no entry differs"),
        (lambda row: Message.objects.filter(message_id="m0").update(quoted=1), "open holds"),
    ],
)
def test_a_row_changed_by_hand_is_found_and_named(change, named):
    row = used()
    persist_shard(0, 1)
    change(row)
    code, said = audit("--deep")
    assert code == 1
    assert named in said
    assert row.slug in said


@pytest.mark.parametrize("field", ["bal", "pend", "held", "receivable"])
def test_a_figure_changed_in_redis_is_found(clean_redis, field):
    row = used()
    with clean_redis.client() as client:
        client.hincrby(row.tag, field, 1)
    assert any(row.slug in one for one in differences())
    persist_shard(0, 1)
    assert any(row.slug in one for one in differences())


@pytest.mark.parametrize("field", ["bal", "held"])
def test_a_figure_below_zero_in_redis_is_called_that(clean_redis, field):
    row = used()
    with clean_redis.client() as client:
        client.hset(row.tag, field, -1)
    law = f"{row.slug}: {field} in Redis is not below zero: -1 instead of 0"
    assert any(one.startswith(law) for one in differences())


def test_a_wallet_that_redis_lost_is_no_zero_balance(clean_redis):
    row = used()
    persist_shard(0, 1)
    with clean_redis.client() as client:
        client.flushall()
    assert "generation" in differences()[0]
    row.refresh_from_db()
    assert row.spendable > 0


def test_an_unknown_account_is_a_clear_error():
    with pytest.raises(CommandError):
        call_command("audit", "nobody")


def test_in_the_background_red_is_an_incident_until_it_is_green_again():
    row = used()
    persist_shard(0, 1)
    assert audit_some(5.0, 0.0)["different"] == 0
    assert audit_state().is_green
    Wallet.objects.filter(pk=row.pk).update(spendable=1)
    assert audit_some(5.0, 0.0)["different"] == 1
    state = audit_state()
    assert not state.is_green
    assert row.slug in state.first
    assert Incident.objects.get(type="billing.audit", until=None).object == row.slug
    Wallet.objects.filter(pk=row.pk).update(spendable=row.spendable)
    row.refresh_from_db()
    Wallet.objects.filter(pk=row.pk).update(
        spendable=row.opening + sum(JournalEntry.objects.values_list("spendable", flat=True))
    )
    assert audit_some(5.0, 0.0)["different"] == 0
    assert audit_state().is_green
    assert not Incident.objects.filter(type="billing.audit", until=None).exists()


def test_accounts_whose_own_redis_is_away_do_not_keep_the_others_from_the_audit(settings):
    settings.BILLING_REDIS_URLS = {"heavy": "redis://127.0.0.1:1"}
    away, row = used(), used()
    Wallet.objects.filter(pk=away.pk).update(redis="heavy")
    assert audit_some(5.0, 0.0) == {"wallets": 1, "different": 0}
    Wallet.objects.filter(pk=row.pk).update(spendable=1)
    assert audit_some(5.0, 0.0) == {"wallets": 1, "different": 1}


def test_a_background_audit_that_is_young_is_not_begun_anew():
    used()
    audit_some(5.0, 300.0)
    audit_some(5.0, 300.0)
    assert AuditRun.objects.count() == 1
    assert AuditRun.objects.get().wallets == 1


def test_a_debit_beyond_the_balance_and_its_payment_stay_in_balance():
    row = live_wallet(spendable=100)
    moved(row, "d1", "debit", 500)
    persist_shard(0, 1)
    moved(row, "r1", "recharge", 450)
    green()
    persist_shard(0, 1)
    green()
    row.refresh_from_db()
    assert (row.spendable, row.receivable) == (50, 0)
    assert reported(row, "x", "video").answer == "parked"


def test_a_wallet_that_is_busy_on_every_try_is_no_difference(monkeypatch, clean_redis):
    row = used()
    real = proving.lives

    def written_meanwhile(rows):
        found = real(rows)
        held(row, f"busy-{len(rows)}-{found[row.pk].seq}")
        persist_shard(0, 1)
        return found

    monkeypatch.setattr(proving, "lives", written_meanwhile)
    assert differences() == []
    monkeypatch.undo()
    with clean_redis.client() as client:
        client.hset(row.tag, "seq", 1)
    assert any("sequence in Redis" in one for one in differences())
