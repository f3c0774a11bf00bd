"""From Redis to SQL: closed, written, trimmed; the next worker continues."""

import gc

import pytest
from django.db import OperationalError

from billing import wallet as commands
from billing.models import JournalEntry, Message, WriterRun
from billing.persistence import proving, rounds, running
from billing.persistence.reading import Known, lives
from billing.persistence.running import persist_one, persist_shard
from billing.persistence.writing import write_batches
from poolsite.operations.models import Incident
from tests.billing.books.book_support import (
    figures,
    held,
    live_wallet,
    moved,
    reported,
    run,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def green(*wallets):
    found = [difference for _, chunk in proving.audit_all() for difference in chunk]
    assert not found, [str(difference) for difference in found]


def used(slug=""):
    """Return a wallet in which every kind of change has happened."""
    row = live_wallet(slug)
    for number in range(6):
        held(row, f"m{number}", sent=number > 0)
    reported(row, "m1", "native_text")
    reported(row, "m2", "yuexin_resolved")
    reported(row, "m3", "")
    reported(row, "early", "video")
    moved(row, "recharge:1", "recharge", 5_000)
    moved(row, "debit:1", "debit", 700)
    return row


def test_a_turn_brings_every_change_to_sql_and_the_books_agree():
    row = used()
    green()
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.faults, turn.refused, turn.failed) == (1, 0, 0, 0)
    now = figures(row)
    assert (now.pend, now.backlog) == (0, 0)
    row.refresh_from_db()
    assert (row.spendable, row.held, row.seq) == (now.bal, now.held, now.seq)
    assert JournalEntry.objects.filter(wallet=row).count() == now.seq
    assert row.fence == WriterRun.objects.get().pk
    green()
    states = dict(Message.objects.values_list("message_id", "state"))
    assert states == {
        "m0": "held",
        "m1": "settled",
        "m2": "settled",
        "m3": "failed",
        "m4": "sent",
        "m5": "sent",
        "early": "parked",
    }


def test_only_accounts_with_changes_are_touched():
    still, busy = live_wallet(), used()
    turn = persist_shard(0, 1)
    assert (turn.looked_at, turn.accounts) == (2, 1)
    still.refresh_from_db()
    assert still.persisted_at is None
    busy.refresh_from_db()
    assert busy.persisted_at is not None
    assert persist_shard(0, 1).accounts == 0
    assert WriterRun.objects.count() == 1


def test_each_account_belongs_to_one_shard():
    for _ in range(7):
        held(live_wallet(), "m")
    assert sum(persist_shard(shard, 3).accounts for shard in range(3)) == 7
    assert all(turn.accounts == 0 for turn in (persist_shard(0, 1), persist_shard(1, 4)))


def test_a_batch_that_was_written_and_not_trimmed_is_found_again(monkeypatch):
    row = used()
    monkeypatch.setattr(rounds, "_trim", lambda *_: [])
    persist_shard(0, 1)
    assert figures(row).backlog > 0
    green()
    monkeypatch.undo()
    held(row, "after", sent=True)
    turn = persist_shard(0, 1)
    assert (turn.repeats, turn.accounts) == (1, 1)
    assert figures(row).backlog == 0
    green()


def test_a_closed_batch_is_the_same_batch_when_more_has_come():
    row = used()
    first = run(row, commands.close_batch(row.slug))
    held(row, "later")
    again = run(row, commands.close_batch(row.slug))
    assert (again.number, again.first_seq, again.last_seq) == (1, 1, first.last_seq)
    persist_shard(0, 1)
    row.refresh_from_db()
    assert row.batch_number == 2
    green()


def test_a_backlog_larger_than_a_batch_is_taken_in_one_turn(monkeypatch):
    monkeypatch.setattr(rounds, "BATCH_ENTRIES", 10)
    row = live_wallet(spendable=1_000_000)
    for number in range(95):
        held(row, f"m{number}")
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.entries, turn.left) == (10, 95, 0)
    assert figures(row).backlog == 0
    green()


def test_rounds_side_by_side_keep_each_accounts_order(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_ACCOUNTS", 2)
    monkeypatch.setattr(rounds, "BATCH_ENTRIES", 4)
    rows = [live_wallet(spendable=1_000_000) for _ in range(5)]
    for number, row in enumerate(rows):
        for message in range(3 + 4 * number):
            held(row, f"m{message}")
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.entries) == (1 + 2 + 3 + 4 + 5, 3 + 7 + 11 + 15 + 19)
    assert (turn.repeats, turn.faults, turn.refused, turn.failed, turn.left) == (0, 0, 0, 0, 0)
    assert [figures(row).backlog for row in rows] == [0] * 5
    green()


def test_a_round_is_cut_by_the_entries_that_wait(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_ENTRIES", 10)
    monkeypatch.setattr(rounds, "BATCH_ENTRIES", 6)
    waiting = [
        (Known(key, f"w{key}", 1, 0, "", recovering=False, opened=True), entries)
        for key, entries in enumerate([3, 7, 2, 50])
    ]
    cut = [[its.wallet_id for its in chunk] for chunk in rounds.chunks(waiting)]
    assert cut == [[0, 1], [2, 3]]


@pytest.mark.parametrize(("bad", "written"), [((2,), 3), ((2, 3), 1)])
def test_a_round_that_sql_refuses_costs_itself_and_two_in_a_row_the_turn(monkeypatch, bad, written):
    monkeypatch.setattr(rounds, "MOST_ACCOUNTS", 1)
    rows = [used() for _ in range(4)]
    write, calls = rounds.write_sheets, []

    def goes_away(sheets, fence):
        calls.append(sheets)
        if len(calls) in bad:
            raise OperationalError("the server closed the connection")
        return write(sheets, fence)

    monkeypatch.setattr(rounds, "write_sheets", goes_away)
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.failed) == (written, len(bad))
    assert sum(figures(row).backlog == 0 for row in rows) == written
    green()
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.failed, turn.faults) == (4 - written, 0, 0)
    green()


def test_what_redis_or_sql_raise_is_told_to_whoever_persists_one_account(monkeypatch):
    row = used()
    for name in ("looks_on", "write_sheets"):
        with monkeypatch.context() as patch:
            patch.setattr(rounds, name, _away)
            with pytest.raises(OperationalError if name == "write_sheets" else OSError):
                persist_one(row)
    assert persist_one(row).accounts == 1
    green()


def _away(first, second):
    raise OperationalError("away") if isinstance(first, list) else OSError("away")


def test_a_backlog_ends_the_turn_once_it_has_lasted_and_had_its_rounds(monkeypatch, settings):
    monkeypatch.setattr(rounds, "BATCH_ENTRIES", 2)
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 3)
    settings.BILLING_PERSIST_SECONDS = 0
    rows = [live_wallet(spendable=1_000_000) for _ in range(2)]
    for row in rows:
        for number in range(7):
            held(row, f"m{number}")
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.entries, turn.left) == (6, 12, 2)
    settings.BILLING_PERSIST_SECONDS = 60
    monkeypatch.setattr(rounds, "BATCH_ENTRIES", 1)
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 1)
    for number in range(5):
        held(rows[0], f"more{number}")
    turn = persist_shard(0, 1)
    assert (turn.entries, turn.left) == (7, 0)
    green()


def test_garbage_is_collected_again_after_a_turn():
    used()
    persist_shard(0, 1)
    assert gc.isenabled()


def test_a_paused_worker_that_wakes_up_is_refused_by_the_row():
    row = used()
    old = WriterRun.objects.create(shard=0, shards=1)
    closed = run(row, commands.close_batch(row.slug))
    batch = rounds.account_batch(running.known_of(type(row).objects.all())[0], closed)
    persist_shard(0, 1)
    held(row, "later")
    later = run(row, commands.close_batch(row.slug))
    late = rounds.account_batch(running.known_of(type(row).objects.all())[0], later)
    assert write_batches([batch], old.pk)[row.pk].outcome.value == "repeat"
    assert write_batches([late], old.pk)[row.pk].outcome.value == "refused"
    green()
    persist_shard(0, 1)
    green()


def test_entries_of_a_strange_hand_stop_that_account_alone_and_are_shown(clean_redis):
    broken, sound = used(), used()
    with clean_redis.client() as client:
        client.xdel("{acct." + broken.slug + "}:log", "3-0")
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.faults) == (1, 1)
    incident = Incident.objects.get(type="billing.fault", until=None)
    assert incident.object == broken.slug
    sound.refresh_from_db()
    assert sound.seq > 0
    broken.refresh_from_db()
    assert broken.seq == 0


def test_a_backlog_near_its_limit_is_an_incident_until_it_is_gone():
    row = live_wallet(spendable=10_000_000, log_limit=1_000)
    for start in range(0, 832, 32):
        run(
            row,
            commands.hold_many(
                row.slug,
                [
                    commands.HoldRequest(f"m{start + n}", "h", commands.Quote({"video": 10}))
                    for n in range(32)
                ],
            ),
        )
    persist_shard(0, 1)
    assert Incident.objects.filter(type="billing.backlog", until=None).exists()
    held(row, "last")
    persist_shard(0, 1)
    assert not Incident.objects.filter(type="billing.backlog", until=None).exists()


def test_the_figures_of_many_wallets_are_read_at_once():
    row, unknown = used(), live_wallet()
    run(unknown, commands.destroy(unknown.slug, unknown.generation))
    found = lives([row, unknown])
    assert found[unknown.pk].generation == 0
    now = figures(row)
    live = found[row.pk]
    assert (live.bal, live.pend, live.held, live.seq) == (now.bal, now.pend, now.held, now.seq)
    assert (live.status, live.log_limit) == ("o", row.log_limit)


def test_one_account_alone_is_persisted_on_demand():
    row, other = used(), used()
    persist_one(row)
    assert figures(row).backlog == 0
    assert figures(other).backlog > 0
