"""What sweeps and timers do with many wallets: end, purge, send settings, forget."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from billing import wallet as commands
from billing.models import FlaggedReport, JournalEntry, Message, WriterRun
from billing.persistence import running
from billing.persistence.running import persist_shard
from billing.selectors import lag
from billing.services import books
from billing.services.wallet_settings import settings_of
from poolsite import hotpath, jobs
from poolsite.jobs import sweeping
from tests.billing.books.book_support import figures, held, live_wallet, moved, reported, run
from tests.billing.books.test_running import green, used
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

SWEEPS = (
    *("billing.persist", "billing.watch", "billing.outbox", "billing.purge"),
    *("billing.audit", "billing.settings", "billing.retention"),
    "billing.checkpoints",
)


def short(row, **seconds):
    """Shorten a wallet's periods."""
    own = settings_of(row)
    values = {name: getattr(own, name) for name in ("daily_limit", "log_limit", "zone")}
    run(row, commands.configure(row.slug, commands.WalletSettings(**values, **seconds)))


def test_every_sweep_of_the_books_runs_and_tells_numbers():
    used()
    for name in SWEEPS:
        ran = sweeping.run_shard(name, 0)
        assert ran is not None, name
        assert ran.error == "", (name, ran.error)
    assert {*SWEEPS} <= set(jobs.sweeps())


def test_money_sweeps_that_look_at_time_stand_still_while_the_clock_is_in_doubt():
    assert jobs.sweeps()["billing.purge"].pausable
    assert not jobs.sweeps()["billing.persist"].pausable


def test_what_is_past_its_time_ends_in_every_wallet():
    rows = [live_wallet() for _ in range(3)]
    for row in rows:
        short(row, unsent_message_seconds=0, report_seconds=0)
    for row in rows[:2]:
        held(row, "unsent")
        held(row, "sent", sent=True)
        reported(row, "early", "video")
    done = let_time_pass("billing.wallet")
    assert [done[kind] for kind in ("cancelled", "expired", "orphans")] == [2, 2, 2]
    assert all(figures(row).held == 0 for row in rows)
    persist_shard(0, 1)
    green()
    assert set(Message.objects.values_list("state", flat=True)) == {
        "cancelled",
        "expired",
    }
    assert set(FlaggedReport.objects.values_list("flag", flat=True)) == {"orphan"}


def test_what_is_final_for_long_is_forgotten_in_redis_and_stays_in_sql():
    row = used()
    persist_shard(0, 1)
    before = figures(row)
    short(row, keep_seconds=0)
    done = [books.purge(shard, 2) for shard in range(2)]
    assert sum(each["purged"] for each in done) > 0
    after = figures(row)
    assert (after.bal, after.held) == (before.bal, before.held)
    assert after.messages < before.messages
    assert Message.objects.filter(state="settled").exists()
    green()


def test_settings_reach_every_wallet():
    row, lost = live_wallet(daily_limit=900), live_wallet()
    short(row, keep_seconds=5)
    run(lost, commands.destroy(lost.slug, lost.generation))
    done = books.apply_all_settings()
    assert done == {"wallets": 2, "failed": 1}
    assert figures(row).settings.daily_limit == 900
    assert figures(row).settings.keep_seconds == commands.WalletSettings().keep_seconds


def test_ended_messages_are_deleted_when_they_are_old_and_the_journal_never(settings):
    row = used()
    persist_shard(0, 1)
    entries = JournalEntry.objects.count()
    old = timezone.now() - timedelta(days=settings.BILLING_KEEP_DAYS + 1)
    Message.objects.filter(message_id__in=["m1", "m4"]).update(ended_at=old, held_at=old)
    Message.objects.filter(message_id="m4").update(ended_at=None)
    assert books.delete_expired()["messages"] == 1
    left = set(Message.objects.values_list("message_id", flat=True))
    assert "m1" not in left
    assert "m4" in left
    assert JournalEntry.objects.count() == entries
    assert row.slug
    green()


def test_old_turns_are_forgotten_and_their_numbers_are_not_used_again(monkeypatch):
    monkeypatch.setattr(running, "RUNS_KEPT", 2)
    rows = [WriterRun.objects.create(shard=0, shards=1) for _ in range(5)]
    assert running.forget_old_runs() == 3
    assert WriterRun.objects.create(shard=0, shards=1).pk > rows[-1].pk


def test_the_pages_read_the_lag_of_every_shard():
    used()
    before = lag.shard_lags()
    assert {shard.age_seconds for shard in before} == {None}
    assert before[0].is_late
    for shard in range(jobs.sweeps()["billing.persist"].shards):
        sweeping.run_shard("billing.persist", shard)
    after = lag.shard_lags()
    assert sum(shard.entries for shard in after) > 0
    assert not any(shard.is_late or shard.error for shard in after)
    assert lag.recent_runs()
    assert lag.last_persisted() is not None
    assert lag.recovering() == []
    names = {metric.name for metric in lag.collect()}
    assert "poolsite_billing_audit_green" in names


def test_the_metric_of_the_lag_grows_while_no_worker_takes_a_turn(monkeypatch):
    used()
    for shard in range(jobs.sweeps()["billing.persist"].shards):
        sweeping.run_shard("billing.persist", shard)
    ended = sweeping.last_runs("billing.persist")
    assert max(_lags()) < 60
    hour_ago = {shard: replace(run, at=run.at - 3_600) for shard, run in ended.items()}
    monkeypatch.setattr(sweeping, "last_runs", lambda _name: hour_ago)
    assert min(_lags()) >= 3_600


def _lags() -> list[float]:
    metrics = {metric.name: metric for metric in lag.collect()}
    return [each.value for each in metrics["poolsite_billing_persist_lag_seconds"].samples]


def test_the_outbox_tells_what_waits():
    row = live_wallet(spendable=0)
    assert lag.outbox_state().waiting == 0
    run(row, commands.destroy(row.slug, row.generation))
    from billing.services import outbox

    outbox.order(row, "recharge", 5, "recharge:1")
    assert lag.outbox_state().waiting == 1
    assert lag.outbox_state().oldest_seconds >= 0


def test_the_books_are_the_same_on_every_server(each_redis):
    with hotpath.connect(each_redis.url):
        row = used()
        moved(row, "d", "debit", 99_999_999)
        assert persist_shard(0, 1).accounts == 1
        green()
        assert figures(row).backlog == 0


def test_the_books_are_the_same_on_a_cluster(redis_cluster):
    with hotpath.connect(redis_cluster.url):
        rows = [used() for _ in range(5)]
        assert persist_shard(0, 1).accounts == 5
        green()
        reported(rows[0], "m4", "video")
        held(rows[1], "more")
        assert persist_shard(0, 1).accounts == 2
        green()
        run(rows[2], commands.destroy(rows[2].slug, rows[2].generation))
        done = books.persist(0, 1)
        assert done["rebuilt"] == 1
        green()
