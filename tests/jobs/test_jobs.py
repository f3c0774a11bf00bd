"""Long work: progress, cancelling, resuming, and the refusal of a worker that was superseded."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import OperationalError, transaction
from django.utils import timezone

from poolsite import jobs
from poolsite.access.models import Account, AuditEntry
from poolsite.jobs import runner, services, starting
from poolsite.jobs.handle import JobHandle, JobTakenError
from poolsite.jobs.models import Job


@pytest.fixture(autouse=True)
def sent(monkeypatch, db):
    """The IDs of the jobs that were sent to the broker, in order."""
    from poolsite.jobs.run_task import run_job

    messages = []
    monkeypatch.setattr(run_job, "delay", messages.append)
    return messages


@pytest.fixture
def counting():
    """A job kind that writes one account per chunk, ten in all, and stores its position."""

    @jobs.kind("test.count", prefix="cnt")
    def count(job):
        total = job.data.get("total", 10)
        for n in range(job.cursor.get("next", 0), total):
            with job.chunk(done=n + 1, total=total, cursor={"next": n + 1}):
                Account.objects.create(slug=f"a{n}", name=f"Account {n}")
            yield jobs.Progress(n + 1, total, f"Account {n}")
        job.result["made"] = total

    return count


def start(**data) -> Job:
    return jobs.start("test.count", actor=None, data=data)


def made() -> int:
    return Account.objects.count()


def fall_silent(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))


def test_a_job_runs_to_its_end_with_its_result(counting):
    job = start()
    runner.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.result) == ("done", 10, 10, {"made": 10})
    assert job.public_id == f"cnt-{job.pk:04d}"
    assert job.finished_at is not None
    assert made() == 10


def test_an_unknown_kind_is_refused_and_makes_no_row():
    with pytest.raises(starting.UnknownKindError, match=r"test\.nothing"):
        jobs.start("test.nothing", actor=None)
    assert not Job.objects.exists()


def test_a_second_click_gets_the_job_that_is_under_way(counting):
    first = jobs.start("test.count", actor=None, once="upload 7")
    assert jobs.start("test.count", actor=None, once="upload 7").pk == first.pk
    assert jobs.start("test.count", actor=None, once="upload 8").pk != first.pk
    jobs.cancel(first, actor=None)
    assert jobs.start("test.count", actor=None, once="upload 7").pk != first.pk
    assert jobs.start("test.count", actor=None).pk != jobs.start("test.count", actor=None).pk


def start_and_change_my_mind() -> None:
    with transaction.atomic():
        start()
        raise RuntimeError("changed my mind")


def test_a_job_is_sent_after_the_commit_only_and_not_after_a_rollback(
    transactional_db, counting, sent
):
    with transaction.atomic():
        start()
        assert sent == []
    assert len(sent) == 1
    with pytest.raises(RuntimeError, match="changed my mind"):
        start_and_change_my_mind()
    assert len(sent) == 1
    assert Job.objects.count() == 1


def test_a_broker_that_is_down_does_not_lose_the_job(transactional_db, counting, monkeypatch, sent):
    from kombu.exceptions import OperationalError as BrokerDownError

    from poolsite.jobs.run_task import run_job

    with monkeypatch.context() as patch:

        def refuse(_):
            raise BrokerDownError("no broker")

        patch.setattr(run_job, "delay", refuse)
        job = start()
    assert job.state == Job.State.QUEUED
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert starting.resume_stale() == {"sent": 1, "failed": 0}
    assert sent == [job.pk]
    assert starting.resume_stale() == {"sent": 0, "failed": 0}


def test_a_second_worker_does_not_take_a_running_job(counting):
    job = start()
    assert services.take(job.pk) is not None
    assert services.take(job.pk) is None


def test_a_killed_workers_job_goes_on_from_its_cursor(counting):
    job = start()
    first = JobHandle(services.take(job.pk))
    work = counting(first)
    for _ in range(4):
        next(work)
    work.close()  # kill -9 leaves no more than this behind
    fall_silent(job)
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert starting.resume_stale() == {"sent": 1, "failed": 0}
    runner.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.fence) == ("done", 10, 2)
    assert made() == 10


def test_a_worker_that_was_paused_and_overtaken_writes_nothing_more(counting):
    job = start()
    paused = JobHandle(services.take(job.pk))
    work = counting(paused)
    next(work)
    fall_silent(job)
    newer = services.take(job.pk)
    with pytest.raises(JobTakenError):
        next(work)
    assert made() == 1
    assert services.end(paused._job, Job.State.DONE, result={}) is False
    with pytest.raises(JobTakenError):
        paused.save_cursor({"next": 99})
    newer.refresh_from_db()
    assert newer.cursor == {"next": 1}
    assert newer.state == Job.State.RUNNING


def write_half_a_chunk(handle: JobHandle) -> None:
    with handle.chunk(done=5, cursor={"next": 5}):
        Account.objects.create(slug="half", name="half")
        raise RuntimeError("in the middle")


def test_a_chunk_that_fails_takes_its_progress_and_cursor_back(counting):
    job = start()
    handle = JobHandle(services.take(job.pk))
    with pytest.raises(RuntimeError, match="in the middle"):
        write_half_a_chunk(handle)
    job.refresh_from_db()
    assert (job.done, job.cursor, made()) == (0, {}, 0)


def test_cancelling_a_queued_job_ends_it_at_once(counting):
    job = jobs.cancel(start(), actor=None)
    assert job.state == Job.State.CANCELLED
    runner.run(job.pk)
    assert made() == 0


def test_cancelling_a_running_job_stops_it_at_its_next_chunk_and_is_audited(counting, monkeypatch):
    monkeypatch.setattr(runner, "SAVE_EVERY_SECONDS", 0)
    user = get_user_model().objects.create_user("olga", password="a long password")
    job = start()
    chunk = JobHandle.chunk

    def cancel_in_the_third(handle, **options):
        if options["done"] == 3:
            jobs.cancel(Job.objects.get(pk=job.pk), actor=user, reason="wrong file")
        return chunk(handle, **options)

    monkeypatch.setattr(JobHandle, "chunk", cancel_in_the_third)
    runner.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done) == ("cancelled", 3)
    entry = AuditEntry.objects.get(action="jobs.cancel")
    assert (entry.actor_name, entry.reason) == ("olga", "wrong file")


def test_a_second_click_on_cancel_changes_nothing(counting):
    job = start()
    jobs.cancel(job, actor=None)
    jobs.cancel(job, actor=None)
    assert AuditEntry.objects.filter(action="jobs.cancel").count() == 1
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_a_job_whose_worker_died_while_stopping_ends_cancelled(counting):
    job = start()
    services.take(job.pk)
    jobs.cancel(Job.objects.get(pk=job.pk), actor=None)
    fall_silent(job)
    runner.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_an_expected_failure_says_its_own_sentence(registries):
    @jobs.kind("test.fails")
    def fail(job):
        yield jobs.Progress(0, 1)
        raise jobs.JobError("The file has no rows.")

    job = jobs.start("test.fails", actor=None)
    runner.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "The file has no rows.")


def test_a_job_ends_in_the_language_of_who_asked_for_it(registries):
    @jobs.kind("test.breaks")
    def fail(job):
        yield jobs.Progress(0, 1)
        raise KeyError

    chinese = get_user_model().objects.create_user("li", locale="zh-hans")
    said = []
    for actor in (chinese, None):
        job = jobs.start("test.breaks", actor=actor)
        runner.run(job.pk)
        job.refresh_from_db()
        said.append(job.message)
    assert said[0].startswith("因错误停止（KeyError）")
    assert said[1].startswith("Stopped by an error (KeyError)")


def test_an_unexpected_failure_is_named_without_its_inner_text(registries):
    @jobs.kind("test.breaks")
    def fail(job):
        yield jobs.Progress(0, 1)
        raise KeyError("+8613812345678")

    job = jobs.start("test.breaks", actor=None)
    runner.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "KeyError" in job.message
    assert "138" not in job.message


def test_a_database_that_goes_away_leaves_the_job_to_be_resumed(registries):
    @jobs.kind("test.interrupted")
    def interrupted(job):
        yield jobs.Progress(1, 3)
        raise OperationalError("server closed the connection")

    job = jobs.start("test.interrupted", actor=None)
    runner.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING


def test_a_job_that_kills_five_workers_without_progress_is_given_up(counting):
    job = start()
    for _ in range(starting.MOST_ATTEMPTS):
        services.take(job.pk)
        fall_silent(job)
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert starting.resume_stale() == {"sent": 0, "failed": 1}
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "5 workers" in job.message


def test_the_estimate_goes_by_the_pace_since_the_job_was_taken():
    job = Job(
        kind="x",
        prefix="x",
        state=Job.State.RUNNING,
        done=300,
        total=500,
        taken_done=200,
        taken_at=timezone.now() - timedelta(seconds=50),
    )
    assert job.seconds_left == 100
    job.taken_done = 300
    assert job.seconds_left is None
