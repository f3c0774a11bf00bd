"""Closed batches into SQL: deltas, each once; a row that refuses fails alone."""

import pytest
from django.db import IntegrityError, transaction

from billing.models import Batch, FlaggedReport, JournalEntry, Message, Receivable
from billing.persistence.writing import BatchOutcome, write_batches
from tests.billing.books.book_support import (
    batch,
    change,
    hold,
    make_wallet,
    recharge,
    settle,
)

pytestmark = pytest.mark.django_db


def one(wallet, number, changes, fence=1, **fields):
    done = write_batches([batch(wallet, number, changes, **fields)], fence)
    wallet.refresh_from_db()
    return done[wallet.pk]


def test_a_batch_moves_the_wallet_by_deltas_and_is_in_the_journal_with_every_leg():
    wallet = make_wallet(spendable=1_000)
    done = one(
        wallet,
        1,
        [
            recharge(1, "recharge:1", 500),
            hold(2, "m1", 300),
            hold(3, "m2", 200),
            settle(4, "m1", 300, 120, mode="native.text"),
        ],
    )
    assert done.outcome is BatchOutcome.WRITTEN
    assert (wallet.spendable, wallet.held, wallet.receivable) == (1_180, 200, 0)
    assert (wallet.seq, wallet.batch_number, wallet.fence) == (4, 1, 1)
    rows = list(JournalEntry.objects.order_by("seq"))
    legs = [(r.spendable, r.held, r.receivable, r.revenue, r.cash) for r in rows]
    assert legs == [
        (500, 0, 0, 0, -500),
        (-300, 300, 0, 0, 0),
        (-200, 200, 0, 0, 0),
        (180, -300, 0, 120, 0),
    ]
    assert all(sum(leg) == 0 for leg in legs)
    assert Batch.objects.get().amount == 180
    assert rows[-1].digest == wallet.digest != rows[-2].digest


def test_a_batch_that_sql_has_is_a_repeat_and_changes_nothing():
    wallet = make_wallet(spendable=1_000)
    changes = [hold(1, "m1", 300)]
    assert one(wallet, 1, changes).outcome is BatchOutcome.WRITTEN
    assert one(wallet, 1, changes, fence=2).outcome is BatchOutcome.REPEAT
    assert wallet.spendable == 700
    assert JournalEntry.objects.count() == 1


def test_a_known_batch_number_with_other_content_is_a_fault():
    wallet = make_wallet(spendable=1_000)
    one(wallet, 1, [hold(1, "m1", 300)])
    done = one(wallet, 1, [hold(1, "m1", 400)])
    assert done.outcome is BatchOutcome.DIVERGED
    assert "other content" in done.reason
    assert wallet.spendable == 700


def test_the_row_refuses_a_writer_with_an_older_fence_and_only_that_row():
    taken, free = make_wallet(spendable=1_000), make_wallet(spendable=1_000)
    one(taken, 1, [hold(1, "m1", 300)], fence=7)
    done = write_batches(
        [batch(taken, 2, [hold(2, "m2", 100)]), batch(free, 1, [hold(1, "m3", 100)])], fence=6
    )
    assert done[taken.pk].outcome is BatchOutcome.REFUSED
    assert done[free.pk].outcome is BatchOutcome.WRITTEN
    for wallet in (taken, free):
        wallet.refresh_from_db()
    assert (taken.spendable, taken.seq, taken.fence) == (700, 1, 7)
    assert (free.spendable, free.fence) == (900, 6)
    assert not Message.objects.filter(message_id="m2").exists()
    assert Message.objects.filter(message_id="m3").exists()


def test_sql_takes_no_second_row_of_an_entry_or_a_batch():
    wallet = make_wallet(spendable=1_000)
    one(wallet, 1, [hold(1, "m1", 300)])
    for model in (JournalEntry, Batch):
        row = model.objects.get()
        row.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)


def test_a_row_that_is_there_with_other_content_is_a_fault_of_that_account_alone():
    broken, sound = make_wallet(spendable=1_000), make_wallet(spendable=1_000)
    JournalEntry.objects.create(
        wallet=broken, generation=1, seq=1, at_us=1, kind="hold", operation_id="by a strange hand"
    )
    done = write_batches(
        [batch(broken, 1, [hold(1, "m1", 300)]), batch(sound, 1, [hold(1, "m2", 300)])], fence=1
    )
    assert done[broken.pk].outcome is BatchOutcome.FAULT
    assert done[sound.pk].outcome is BatchOutcome.WRITTEN
    broken.refresh_from_db()
    assert (broken.spendable, broken.seq) == (1_000, 0)
    assert Batch.objects.get().wallet_id == sound.pk


@pytest.mark.parametrize(
    ("changes", "fields", "reason"),
    [
        ([hold(2, "m1", 10)], {}, "SQL stands at 0"),
        ([hold(1, "m1", 10), hold(3, "m2", 10)], {}, "2 of 3 entries"),
        ([hold(1, "m1", 10), hold(3, "m2", 10)], {"last_seq": 2}, "entry 2 is missing"),
        ([hold(1, "m1", 10)], {"amount": -11}, "sums up to -10"),
        ([hold(1, "m1", 5_000)], {}, "below zero"),
        ([hold(1, "m" * 200, 10)], {}, ""),
    ],
)
def test_what_cannot_be_is_a_fault_and_writes_nothing(changes, fields, reason):
    wallet = make_wallet(spendable=1_000)
    done = one(wallet, 1, changes, **fields)
    assert done.outcome is BatchOutcome.FAULT
    assert reason in done.reason
    assert (wallet.spendable, wallet.seq) == (1_000, 0)
    assert not JournalEntry.objects.exists()
    assert not Batch.objects.exists()


def test_another_life_of_the_wallet_is_stale():
    wallet = make_wallet(spendable=1_000, generation=5)
    stale = batch(wallet, 1, [hold(1, "m1", 10)], generation=4)
    assert write_batches([stale], 1)[wallet.pk].outcome is BatchOutcome.STALE


def test_messages_follow_their_entries_over_several_batches():
    wallet = make_wallet(spendable=1_000)
    first = hold(1, "m1", 300, chatbot="shop", tariff_id=7, body_hash="abc", prices=",video=300")
    one(wallet, 1, [first, change(2, "sent", id="m1", state="sent")])
    message = Message.objects.get()
    assert (message.state, message.quoted, message.charged) == ("sent", 300, 0)
    assert (message.chatbot, message.tariff_id, message.body_hash) == ("shop", 7, "abc")
    assert message.prices == ",video=300"
    assert message.held_at
    assert message.sent_at
    assert message.held_at < message.sent_at
    assert message.ended_at is None
    one(
        wallet,
        2,
        [settle(3, "m1", 300, 120, mode="video", flag="unexpected mode", reported="video")],
    )
    message.refresh_from_db()
    assert (message.state, message.quoted, message.charged) == ("settled", 300, 120)
    assert (message.mode, message.flag, message.chatbot) == ("video", "unexpected mode", "shop")
    assert message.prices == ",video=300"
    assert message.ended_at
    assert message.sent_at
    assert message.ended_at > message.sent_at
    assert FlaggedReport.objects.get().flag == "unexpected mode"


def test_a_parked_report_becomes_a_row_and_an_orphan_none():
    wallet = make_wallet(spendable=1_000)
    one(wallet, 1, [change(1, "parked", id="m1", state="parked", reported="video")])
    assert Message.objects.get().mode == "video"
    one(wallet, 2, [change(2, "flag", id="m1", flag="orphan", reported="video", difference=90)])
    assert not Message.objects.exists()
    flagged = FlaggedReport.objects.get()
    assert (flagged.flag, flagged.difference, flagged.state) == ("orphan", 90, "")


def test_a_debit_above_what_is_there_leaves_a_receivable_that_a_recharge_pays():
    wallet = make_wallet(spendable=100)
    one(wallet, 1, [change(1, "debit", id="d1", spendable=-100, receivable=50)])
    assert (wallet.spendable, wallet.receivable) == (0, 50)
    row = JournalEntry.objects.get()
    assert (row.spendable, row.receivable, row.revenue) == (-100, -50, 150)
    one(wallet, 2, [recharge(2, "r1", 20, receivable=-50)])
    assert (wallet.spendable, wallet.receivable) == (20, 0)
    assert JournalEntry.objects.get(seq=2).cash == -70
    assert list(Receivable.objects.order_by("seq").values_list("amount", flat=True)) == [50, -50]


def test_texts_with_signs_of_the_copy_format_arrive_as_they_are():
    wallet = make_wallet(spendable=1_000)
    odd = 'a\\b\tc\nd\\N "e",{f} NULL'
    one(wallet, 1, [hold(1, odd, 10)])
    assert JournalEntry.objects.get().operation_id == odd
    assert Message.objects.get().message_id == odd
