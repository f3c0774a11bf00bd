"""Sweeps: once per period for several beats, one holder per shard, and none blocks another."""

import threading
import time

import pytest
from kombu.exceptions import OperationalError

from poolsite import hotpath, jobs
from poolsite.jobs import lease, presence, registry, sweeping, tasks
from poolsite.jobs.beat import SweepScheduler
from poolsite.jobs.tasks import run_shard, send_shards
from tests.support.clock import ScriptClock
from tests.support.waiting import patient, until


def test_of_two_beats_in_one_period_one_wins(monkeypatch):
    jobs.sweep("test.sweep", lambda shard, shards: {}, every_seconds=3_600)
    jobs.sweep("test.other", lambda shard, shards: {}, every_seconds=3_600)
    won = sweeping.win_ticks(["test.sweep"])
    assert list(won) == ["test.sweep"]
    assert list(sweeping.win_ticks(["test.sweep", "test.other"])) == ["test.other"]
    sweeping.lose_ticks(won.values())
    assert sweeping.win_ticks(["test.sweep"]) == won
    later = time.time() + 3_600
    monkeypatch.setattr(time, "time", lambda: later)
    assert sweeping.win_ticks(["test.sweep"])["test.sweep"] not in won.values()


def test_each_shard_goes_to_the_queue_of_its_sweep_with_an_expiry(monkeypatch):
    sent = []
    monkeypatch.setattr(
        run_shard, "apply_async", lambda args, **options: sent.append((args, options))
    )
    jobs.sweep("test.sweep", lambda *_: {}, every_seconds=50, shards=2, queue=jobs.BOOKS)
    assert send_shards("test.sweep") == 2
    options = {"queue": "books", "expires": 50, "retry": False}
    assert sent == [(("test.sweep", 0), options), (("test.sweep", 1), options)]


def test_light_sweeps_of_a_queue_that_are_due_together_are_one_message(db, monkeypatch):
    runs, sent = [], []
    for name, queue, light in (
        *(("test.a", jobs.BOOKS, True), ("test.b", jobs.BOOKS, True)),
        *(("test.c", jobs.HISTORY, True), ("test.d", jobs.BOOKS, False)),
    ):

        def sweep(shard, shards, name=name):
            runs.append(name)
            if name == "test.a":
                raise ValueError("bad row")

        jobs.sweep(name, sweep, every_seconds=2, queue=queue, light=light)

    assert tasks.messages(["test.a", "test.b", "test.c", "test.d"]) == [
        *(["test.d"], ["test.a", "test.b"], ["test.c"])
    ]
    monkeypatch.setattr(
        tasks.run_light, "apply_async", lambda args, **options: sent.append((args, options))
    )
    tasks.send(["test.a", "test.b"])
    ((names,), options) = sent.pop()
    assert options == {"queue": "books", "expires": 30, "retry": False}
    tasks.run_light(names)
    assert runs == ["test.a", "test.b"]  # the error concerns only the first sweep
    assert "bad row" in sweeping.last_runs("test.a")[0].error


def test_a_small_site_has_fewer_shards_and_a_light_sweep_has_one(settings):
    settings.SWEEP_SHARDS = 1
    jobs.sweep("test.sweep", lambda *_: {}, every_seconds=5, shards=4)
    assert jobs.sweeps()["test.sweep"].shards == 1
    with pytest.raises(ValueError, match=r"'test.sweep' is light and has shards"):
        jobs.sweep("test.sweep", lambda *_: {}, every_seconds=5, shards=2, light=True)
    with pytest.raises(ValueError, match=r"'test.sweep' needs at least one shard, not 0"):
        jobs.sweep("test.sweep", lambda *_: {}, every_seconds=5, shards=0)


def test_a_sweep_for_a_queue_that_nobody_consumes_is_refused():
    with pytest.raises(ValueError, match="no queue 'celery'"):
        jobs.sweep("test.sweep", lambda *_: {}, every_seconds=50, queue="celery")


def test_a_sweep_that_this_release_does_not_know_is_left_out():
    assert sweeping.run_shard("test.gone", 0) is None


def test_a_shard_runs_under_its_lease_and_its_result_is_kept(db):
    fences = []

    def sweep(shard, shards):
        fences.append((shard, shards, lease.current().fence))
        return {"done": 7}

    jobs.sweep("test.sweep", sweep, every_seconds=5, shards=2)

    sweeping.run_shard("test.sweep", 1)
    sweeping.run_shard("test.sweep", 1)
    assert fences == [(1, 2, 1), (1, 2, 2)]
    run = sweeping.last_runs("test.sweep")[1]
    assert (run.result, run.error, run.fence) == ({"done": 7}, "", 2)
    assert time.time() - run.at < 60


def test_a_shard_that_no_longer_exists_is_not_late_for_ever(db):
    jobs.sweep("test.sweep", lambda *_: {}, every_seconds=5, shards=4)
    for shard in range(4):
        sweeping.run_shard("test.sweep", shard)
    jobs.sweep("test.sweep", lambda *_: {}, every_seconds=5, shards=2)
    assert set(sweeping.last_runs("test.sweep")) == {0, 1}


def test_a_shard_that_another_worker_holds_is_left_alone(db):
    runs = []
    jobs.sweep("test.sweep", lambda shard, shards: runs.append(shard), every_seconds=5)
    with lease.hold("{sweep.test.sweep.0}") as held:
        assert held is not None
        assert sweeping.run_shard("test.sweep", 0) is None
    sweeping.run_shard("test.sweep", 0)
    assert runs == [0]


def test_a_sweep_that_fails_is_recorded_and_gives_its_lease_back(db):
    def sweep(shard, shards):
        raise ValueError("bad row")

    jobs.sweep("test.sweep", sweep, every_seconds=5)

    for _ in range(2):
        assert "ValueError: bad row" in sweeping.run_shard("test.sweep", 0).error


def test_a_holder_that_dies_is_followed_with_a_larger_fence(test_clock: ScriptClock):
    dead = hotpath.run(lease.command("acquire", "{sweep.x.0}", "dead", 0.2))
    assert dead == ["1", "1"]
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "next", 5))[0] == "0"
    test_clock.advance(0.2)
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "next", 5)) == ["1", "2"]
    assert hotpath.run(lease.command("renew", "{sweep.x.0}", "dead", 5)) == ["0", "next"]
    assert hotpath.run(lease.command("release", "{sweep.x.0}", "dead", 5))[0] == "0"
    assert hotpath.run(lease.command("renew", "{sweep.x.0}", "next", 5)) == ["1", "2"]


def test_a_holder_that_dies_is_followed_in_time_after_the_clock_was_put_back(
    test_clock: ScriptClock,
):
    hotpath.run(lease.command("acquire", "{sweep.x.0}", "dead", 5))
    test_clock.advance(-3_600)
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "next", 5)) == ["0", "dead"]
    test_clock.advance(4.9)
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "next", 5)) == ["0", "dead"]
    test_clock.advance(0.2)
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "next", 5)) == ["1", "2"]


def test_a_lost_reply_to_acquire_does_not_lose_the_lease():
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "me", 5)) == ["1", "1"]
    assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "me", 5)) == ["1", "1"]


def test_a_long_run_keeps_its_lease_by_renewing_it(test_clock: ScriptClock):
    def ends_at_us():
        return int(hotpath.client().hget("{sweep.x.0}", "until"))

    with lease.hold("{sweep.x.0}", lease_seconds=0.3) as held:
        for _ in range(4):
            now_us = test_clock.advance(0.2)
            until(lambda now_us=now_us: ends_at_us() == now_us + 300_000)
        assert held.held
        assert hotpath.run(lease.command("acquire", "{sweep.x.0}", "other", 1))[0] == "0"


def test_a_holder_learns_that_it_was_overtaken():
    with lease.hold("{sweep.x.0}", lease_seconds=0.3) as held:
        hotpath.client().hset("{sweep.x.0}", "holder", "other")
        assert held.lost.wait(patient(5))
        assert not held.held


def test_of_many_threads_one_holds_the_lease():
    held = []
    start = threading.Barrier(8)

    def take(n):
        start.wait()
        if hotpath.run(lease.command("acquire", "{sweep.x.0}", f"h{n}", 30))[0] == "1":
            held.append(n)

    threads = [threading.Thread(target=take, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(held) == 1


def test_pausable_sweeps_stand_still_while_paused_and_the_others_run(db):
    runs = []
    for name, pausable in (("test.money", True), ("test.other", False)):
        jobs.sweep(
            *(name, lambda shard, shards, name=name: runs.append(name)),
            every_seconds=5,
            pausable=pausable,
        )
    sweeping.pause("clock step")
    for name in ("test.money", "test.other"):
        sweeping.run_shard(name, 0)
    assert runs == ["test.other"]
    assert sweeping.last_runs("test.money")[0].error == "paused: clock step"
    assert sweeping.resume() is True
    sweeping.run_shard("test.money", 0)
    assert runs == ["test.other", "test.money"]


@pytest.fixture
def scheduler(monkeypatch):
    from poolsite.celery import app

    monkeypatch.setattr(registry, "_SWEEPS", {})
    jobs.sweep("test.fast", lambda shard, shards: {}, every_seconds=1, shards=4)
    jobs.sweep("test.daily", lambda shard, shards: {}, every_seconds=86_400)
    beat = SweepScheduler(app)
    sent = []
    monkeypatch.setattr(tasks, "send_shards", sent.append)
    return beat, sent


def test_a_beat_that_could_not_send_gives_the_period_back(scheduler, monkeypatch):
    beat, sent = scheduler

    def broker_away(name):
        raise OperationalError("Connection refused")

    with monkeypatch.context() as away:
        away.setattr(tasks, "send_shards", broker_away)
        assert 0 <= beat.tick() <= 1
    assert sent == []
    SweepScheduler(beat.app).tick()
    assert sorted(sent) == ["test.daily", "test.fast"]


def test_a_clock_set_back_by_an_hour_does_not_silence_the_beat(scheduler, monkeypatch):
    beat, sent = scheduler
    beat.tick()
    assert sorted(sent) == ["test.daily", "test.fast"]
    an_hour_back, a_moment_later = time.time() - 3_600, time.monotonic() + 1.5  # waits: not at all
    monkeypatch.setattr(time, "time", lambda: an_hour_back)
    monkeypatch.setattr(time, "monotonic", lambda: a_moment_later)
    wait = beat.tick()
    assert sent[2:] == ["test.fast"]
    assert 0 <= wait <= 1


def test_a_beat_tells_that_it_is_alive(scheduler):
    assert not sweeping.beat_alive()
    scheduler[0].tick()
    assert sweeping.beat_alive()
    a_while_ago = hotpath.default().now() - sweeping.BEAT_SILENT_SECONDS - 1
    hotpath.client().set(sweeping.BEAT_KEY, str(a_while_ago))
    assert not sweeping.beat_alive()


def test_workers_that_fall_silent_stand_last_and_are_forgotten_after_an_hour():
    now = time.time()
    heard = {"w1@a": now - 30, "w2@a": now - 1, "w3@a": now - 4_000}
    hotpath.client().hset(presence.KEY, mapping={name: str(at) for name, at in heard.items()})
    assert [(worker.name, worker.alive) for worker in presence.workers()] == [
        ("w2@a", True),
        ("w1@a", False),
    ]
    assert hotpath.client().hlen(presence.KEY) == 2
