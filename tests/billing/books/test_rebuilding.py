"""Redis lost wallets, or went back in time: safe mode, rebuilt from SQL, nothing counted twice."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from billing import wallet as commands
from billing.models import HoldIntent, Message, MoneyOrder, Tariff, Wallet
from billing.persistence.running import persist_one, persist_shard
from billing.services import outbox, rebuilding, safe_mode
from poolsite.operations.models import Incident
from tests.billing.books.book_support import (
    OTHERS,
    PRICES,
    figures,
    held,
    live_wallet,
    moved,
    reported,
    run,
)
from tests.billing.books.test_running import green, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def states(row):
    ids = ["m0", "m1", "m2", "m3", "m4", "m5", "early"]
    return run(row, commands.messages(row.slug, ids))


def intent(row, message_id, *, handed_over=True):
    now = timezone.now()
    tariff, _ = Tariff.objects.get_or_create(
        account=row.account, name="t", valid_from=now.replace(year=2020), prices={}
    )
    return HoldIntent.objects.create(
        wallet=row,
        message_id=message_id,
        body_hash="hash",
        prices=PRICES,
        others=OTHERS,
        quoted=800,
        tariff=tariff,
        handed_over_at=now if handed_over else None,
    )


def test_an_emptied_redis_is_rebuilt_to_the_same_figures_and_messages(clean_redis):
    row = used()
    persist_shard(0, 1)
    before, was = figures(row), states(row)
    with clean_redis.client() as client:
        client.flushall()
    done = safe_mode.watch()
    assert (done["rebuilt"], done["failed"]) == (1, 0)
    row.refresh_from_db()
    after = figures(row)
    assert (after.bal, after.held, after.receivable) == (before.bal, before.held, before.receivable)
    assert after.spent == before.spent
    assert after.status == "open"
    assert after.generation == row.generation > 1
    assert row.recovering_since is None
    now = states(row)
    assert now.keys() == was.keys()
    for message_id, state in was.items():
        again = now[message_id]
        for name in ("state", "quoted", "charged", "mode", "body_hash", "prices", "parked", "kind"):
            assert getattr(again, name) == getattr(state, name), (message_id, name)
        assert again.since_us == state.since_us, message_id
    green()
    persist_shard(0, 1)
    green()
    assert not Incident.objects.filter(type="billing.safe_mode", until=None).exists()
    assert safe_mode.watch()["rebuilt"] == 0


def test_the_daily_limit_goes_on_after_a_rebuild(clean_redis):
    row = used()
    held(row, "yesterday")
    persist_shard(0, 1)
    before = figures(row).spent
    assert before > 0
    Message.objects.filter(message_id="yesterday").update(
        held_at=timezone.now() - timedelta(days=1)
    )
    intent(row, "only-its-intent")
    with clean_redis.client() as client:
        client.flushall()
    safe_mode.watch()
    row.refresh_from_db()
    # Yesterday's hold no longer counts, but the one that only its intent knew does: 800 each.
    assert figures(row).spent == before
    reported(row, "m4", "")
    assert figures(row).spent == before - 800
    reported(row, "yesterday", "")
    assert figures(row).spent == before - 800


def test_after_a_rebuild_reports_cost_what_was_quoted(clean_redis):
    row = used()
    persist_shard(0, 1)
    with clean_redis.client() as client:
        client.flushall()
    safe_mode.watch()
    bal = figures(row).bal
    assert reported(row, "m4", "native_text").charged == 300
    assert figures(row).bal == bal + 500
    assert reported(row, "m1", "native_text").answer == "repeat"
    assert held(row, "m1").answer == "repeat"
    assert held(row, "early").answer == "settled"
    persist_one(Wallet.objects.get())
    green()


def test_a_movement_that_never_reached_the_journal_is_applied_again_and_others_are_not(clean_redis):
    row = live_wallet(spendable=0)
    with transaction.atomic():
        outbox.order(row, "recharge", 500, "recharge:1")
    persist_shard(0, 1)
    with transaction.atomic():
        outbox.order(row, "recharge", 70, "recharge:2")
    assert figures(row).bal == 570
    with clean_redis.client() as client:
        client.flushall()
    safe_mode.watch()
    assert figures(row).bal == 570
    assert not MoneyOrder.objects.filter(applied_at=None).exists()
    persist_shard(0, 1)
    green()
    row.refresh_from_db()
    assert row.spendable == 570
    assert moved(row, "recharge:1", "recharge", 500).answer == "repeat"


def test_holds_that_only_an_intent_knows_are_charged_and_others_are_not_invented(clean_redis):
    row = live_wallet(spendable=2_000)
    persist_shard(0, 1)
    for message_id in ("sent", "made", "api"):
        held(row, message_id, sent=message_id == "sent")
    intent(row, "sent")
    intent(row, "made", handed_over=False)
    with clean_redis.client() as client:
        client.flushall()
    safe_mode.watch()
    after = figures(row)
    assert (after.bal, after.held) == (400, 1_600)
    found = run(row, commands.messages(row.slug, ["sent", "made", "api"]))
    assert {key: state.state for key, state in found.items()} == {"sent": "sent", "made": "held"}
    persist_shard(0, 1)
    green()


def test_what_the_balance_does_not_reach_is_named_and_never_below_zero(clean_redis):
    row = live_wallet(spendable=1_000)
    intent(row, "a")
    intent(row, "b")
    with clean_redis.client() as client:
        client.flushall()
    safe_mode.watch()
    row.refresh_from_db()
    assert figures(row).bal == 200
    assert row.unexplained == -800


def test_safe_mode_takes_refunds_and_refuses_holds_and_ends_by_itself():
    row = used()
    run(row, commands.status(row.slug, "recovering", "promoted", "x"))
    assert held(row, "new").answer == "safe mode"
    assert reported(row, "m4", "").answer == "failed"
    assert moved(row, "r9", "recharge", 9).applied
    before = figures(row)
    persist_shard(0, 1)
    safe_mode.watch()
    row.refresh_from_db()
    after = figures(row)
    assert (after.status, after.bal, after.held) == ("open", before.bal, before.held)
    assert row.generation > 1
    green()
    assert held(row, "new").answer == "held"


def test_a_refund_between_persisting_and_the_end_of_the_old_life_is_not_lost(monkeypatch):
    row = used()
    came = []

    def point(name):
        if name == "billing.rebuild_persisted" and not came:
            came.append(reported(row, "m4", ""))

    monkeypatch.setattr(rebuilding, "crash_point", point)
    before = figures(row)
    rebuilding.rebuild(row, "a drill")
    assert came[0].answer == "failed"
    after = figures(row)
    assert (after.bal, after.held) == (before.bal + 800, before.held - 800)
    persist_shard(0, 1)
    green()


def test_a_redis_that_went_back_in_time_is_rebuilt_and_doubles_nothing(clean_redis):
    row = live_wallet(spendable=10_000)
    held(row, "m1", sent=True)
    with clean_redis.client() as client:
        old = {key: client.dump(key) for key in client.keys("{acct.*")}
        persist_shard(0, 1)
        reported(row, "m1", "")
        held(row, "m2", sent=True)
        persist_shard(0, 1)
        client.flushall()
        for key, dumped in old.items():
            client.restore(key, 0, dumped)
    assert figures(row).seq < Wallet.objects.get().seq
    safe_mode.watch()
    after = figures(row)
    assert (after.bal, after.held) == (9_200, 800)
    green()


def test_a_redis_that_went_back_and_on_is_found_by_its_batches(clean_redis):
    row = live_wallet(spendable=10_000)
    held(row, "m1", sent=True)
    with clean_redis.client() as client:
        old = {key: client.dump(key) for key in client.keys("{acct.*")}
        for number in range(2, 5):
            held(row, f"m{number}", sent=True)
        persist_shard(0, 1)
        client.delete(*old)
        for key, dumped in old.items():
            client.restore(key, 0, dumped)
    for number in range(10, 20):
        held(row, f"n{number}", sent=True)
    turn = persist_shard(0, 1)
    assert turn.lost
    assert safe_mode.heal(turn.lost)["rebuilt"] == 1
    after = figures(row)
    assert (after.bal, after.held) == (6_800, 3_200)
    row.refresh_from_db()
    assert row.unexplained < 0
    green()


def test_a_diverged_wallet_that_keeps_moving_is_rebuilt_all_the_same(clean_redis, monkeypatch):
    row = live_wallet(spendable=10_000)
    with clean_redis.client() as client:
        old = {key: client.dump(key) for key in client.keys("{acct.*")}
        for number in range(4):
            held(row, f"m{number}", sent=True)
        persist_shard(0, 1)
        client.delete(*old, *client.keys("{acct.*"))
        for key, dumped in old.items():
            client.restore(key, 0, dumped)
    for number in range(10):
        held(row, f"n{number}", sent=True)
    real = rebuilding.lives

    def reports_come(rows):
        found = real(rows)
        if found[row.pk].generation == 1:
            reported(row, f"n{len(calls)}", "")
        calls.append(1)
        return found

    calls = []
    monkeypatch.setattr(rebuilding, "lives", reports_come)
    assert safe_mode.heal({row.pk: "diverged"})["rebuilt"] == 1
    after = figures(row)
    assert (after.bal, after.held, after.status) == (6_800, 3_200, "open")
    green()


def test_a_report_that_comes_before_its_message_is_loaded_is_sent_again(clean_redis, monkeypatch):
    row = used()
    persist_shard(0, 1)
    with clean_redis.client() as client:
        client.flushall()
    real, answers = rebuilding.load_books, []

    def comes_first(its):
        answers.append(reported(its, "m4", "video").answer)
        return real(its)

    monkeypatch.setattr(rebuilding, "load_books", comes_first)
    safe_mode.watch()
    assert answers == ["parked full"]
    assert reported(row, "m4", "video").answer == "settled"
    persist_shard(0, 1)
    green()


def test_a_frozen_account_comes_back_frozen(clean_redis):
    row = used()
    persist_shard(0, 1)
    Wallet.objects.filter(pk=row.pk).update(status="frozen")
    with clean_redis.client() as client:
        client.flushall()
    safe_mode.watch()
    assert figures(row).status == "frozen"


def test_two_workers_do_not_rebuild_one_wallet_at_once(clean_redis):
    row = used()
    persist_shard(0, 1)
    stale = Wallet.objects.select_related("account").get()
    with clean_redis.client() as client:
        client.flushall()
    rebuilding.rebuild(row, "emptied", lost=True)
    stale.recovering_since = timezone.now()
    with pytest.raises(rebuilding.NotRebuiltError):
        rebuilding._begin_new_life(stale, "emptied", "test")
    assert figures(row).status == "open"
    green()


@pytest.mark.parametrize(
    "point",
    ["load_books", "load_intents", "_open", "_begin_new_life"],
)
def test_a_rebuild_that_ended_anywhere_is_gone_on_with(clean_redis, monkeypatch, point):
    row = used()
    intent(row, "later")
    persist_shard(0, 1)
    before = figures(row)
    with clean_redis.client() as client:
        client.flushall()

    def dies(*_arguments):
        raise rebuilding.NotRebuiltError("the worker died")

    monkeypatch.setattr(rebuilding, point, dies)
    assert safe_mode.watch()["failed"] == 1
    row.refresh_from_db()
    assert row.recovering_since is not None
    monkeypatch.undo()
    assert safe_mode.watch()["rebuilt"] == 1
    after = figures(row)
    assert (after.bal, after.held) == (before.bal - 800, before.held + 800)
    persist_shard(0, 1)
    green()


def test_a_wallet_that_was_never_opened_is_not_lost():
    row = live_wallet()
    run(row, commands.destroy(row.slug, row.generation))
    Wallet.objects.filter(pk=row.pk).update(opened_at=None)
    assert persist_shard(0, 1).lost == {}
    assert safe_mode.watch()["rebuilt"] == 0
