"""Batches uploaded, loaded, controlled and ended; SQL agrees with the history."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from queueing.admission import gate as commands
from queueing.admission import selectors, services
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, GateEvent, Task, TaskBatch
from queueing.admission.services import bring_to_redis
from queueing.admission.services.batches import apply_batch
from queueing.admission.services.uploads import read_upload
from tests.admission.people import (
    SLUG,
    done,
    drain,
    load_due,
    make_batch,
    make_gate,
    report,
    show,
)
from tests.numbers.people import tenant
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

State = Task.State


def upload(gate: Gate, csv: bytes, **given: object) -> services.Uploaded:
    now = timezone.now()
    words: dict[str, object] = {
        "actor": "test",
        "gate": gate,
        "name": "b",
        "csv": csv,
        "opens_at": now,
        "closes_at": now + timedelta(hours=1),
    } | given
    return services.batch_create(**words)


def counts(batch: TaskBatch) -> dict[str, int]:
    """Return the batch's counts, which must equal those of its tasks."""
    batch.refresh_from_db()
    names = ("pending", "issued", "done", "failed", "expired")
    told = {name: getattr(batch, name) for name in names}
    assert told == {name: batch.tasks.filter(state=name).count() for name in names}
    return {name: count for name, count in told.items() if count}


# -- the file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("csv", "row", "what"),
    [
        (b"a,x\nb,y\na,z\n", 3, "already listed in row 1"),
        (b"device,payload\na b,x\n", 2, "invalid device ID"),
        (b"a,x,y\n", 1, "two columns"),
        (b",x\n", 1, "invalid device ID"),
        (b"a," + b"x" * 8_193, 1, "longer than"),
        (b'a,"x\ny"\n', 2, "control characters"),
        (b"a,x\x00\n", 1, "control characters"),
        ("１,x".encode(), 1, "invalid device ID"),
        (b"=cmd,x", 1, "invalid device ID"),
        (b"a,\xff", 0, "not UTF-8"),
        (b"", 0, "no rows"),
        (b"device,payload\n", 0, "no rows"),
        (b'a,"x', 1, "quotation mark not closed"),
        (b'\na,"x"y\n', 0, "Line 2 is not valid CSV"),
        (b"x" * 200_000, 0, "Line 1 is longer than"),
        (b"a,x\nb,\xff", 0, "Line 2 is not UTF-8"),
        ("a,号".encode("gb18030"), 0, "not UTF-8"),
        ("a,x".encode("utf-16"), 0, "not UTF-8"),
        (b"a;x\nb;y\n", 1, "invalid device ID"),
        (b"a\tx\n", 1, "invalid device ID"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_made(csv: bytes, row: int, what: str) -> None:
    gate = make_gate()
    problem = read_upload(csv).problems[0]
    assert problem.row == row
    assert what in problem.what
    with pytest.raises(AdmissionError) as caught:
        upload(gate, csv)
    assert caught.value.kind == "bad-rows"
    assert not TaskBatch.objects.exists()
    assert not Task.objects.exists()


def test_good_rows_are_taken_when_the_caller_says_so() -> None:
    made = upload(make_gate(), b"a,x\na,y\nb,z\n", skip_bad=True)
    assert (made.bad, made.batch.total) == (1, 2)
    assert list(made.batch.tasks.values_list("device", "payload")) == [("a", "x"), ("b", "z")]


def test_every_line_that_an_open_quote_runs_over_is_named() -> None:
    found = read_upload(b'a,x\nb,"y\nc,z\nd\n')
    assert found.rows == [("a", "x")]
    assert [(problem.row, problem.device, problem.what) for problem in found.problems] == [
        (2, "b", "quotation mark not closed"),
        (3, "c", "inside a quotation that starts in row 2"),
        (4, "d", "inside a quotation that starts in row 2"),
    ]


def test_rows_are_named_by_their_line_after_one_that_has_several() -> None:
    found = read_upload(b'a,"x\r\ny\nz"\n\nb b,\n')
    assert [problem.row for problem in found.problems] == [3, 5]


@pytest.mark.parametrize(
    "payload",
    [
        *("", " x ", "007", "1e5", "=1+1", "+86", "'x", "TRUE", "2026-03-01", "号码", "\xa0"),
        *("a;b;c;d", '{"a": 1}', 'x"y"z', "\u2028\x85", "\ufeff", "x" * 8_192),
    ],
)
def test_a_payload_arrives_as_it_was_written(payload: str) -> None:
    for rows in (f"d,{payload}", f"d,{payload}\r\n", f"\ufeffdevice,payload\nd,{payload}\n"):
        assert read_upload(rows.encode()).rows == [("d", payload)]


def test_a_quoted_payload_may_have_commas_and_quotes() -> None:
    found = read_upload(b'a,"x,y,;,;,;;;; "\nb,"{""k"": [1,2]}"\n"c",""\n')
    assert found.rows == [("a", "x,y,;,;,;;;; "), ("b", '{"k": [1,2]}'), ("c", "")]


def test_a_file_that_breaks_off_makes_nothing_even_if_bad_rows_are_left_out() -> None:
    with pytest.raises(AdmissionError) as caught:
        upload(make_gate(), b'a,x\nb,"y"z\n', skip_bad=True)
    assert "Line 2 is not valid CSV" in caught.value.more["problems"][0]
    assert not TaskBatch.objects.exists()


def test_a_file_is_refused_as_soon_as_it_is_too_large() -> None:
    chunks = iter([b"x" * 16_000_000] * 4)
    assert "larger than 32 MB" in read_upload(chunks).problems[0].what
    assert len(list(chunks)) == 1


def test_a_window_must_lie_ahead_and_be_one() -> None:
    gate = make_gate()
    now = timezone.now()
    for opens, closes in ((0, 0), (60, 30), (-120, -60), (0, 91 * 86_400)):
        with pytest.raises(AdmissionError) as caught:
            upload(
                gate,
                b"a",
                opens_at=now + timedelta(seconds=opens),
                closes_at=now + timedelta(seconds=closes),
            )
        assert caught.value.kind == "malformed"
    assert not TaskBatch.objects.exists()


def test_a_window_at_the_end_of_time_is_refused() -> None:
    """That moment does not exist in UTC, in which SQL stores it."""
    closes = datetime(9999, 12, 31, 23, tzinfo=timezone.get_fixed_timezone(-14 * 60))
    with pytest.raises(AdmissionError) as caught:
        upload(make_gate(), b"a", opens_at=closes - timedelta(days=2), closes_at=closes)
    assert caught.value.kind == "malformed"


def test_a_foreign_tenants_gate_takes_no_batch() -> None:
    mine, other = tenant("mine"), tenant("other")
    gate = make_gate(account=mine.account)
    with pytest.raises(access.Hidden):
        upload(gate, b"a", actor=other.principal)
    assert upload(gate, b"a", actor=mine.principal).batch.created_by == "mine-owner"


# -- the window ----------------------------------------------------------------------------------


def test_tasks_are_given_out_when_the_window_opens_and_not_before() -> None:
    gate = make_gate()
    later = timezone.now() + timedelta(hours=1)
    batch = upload(gate, b"a\nb", opens_at=later, closes_at=later + timedelta(hours=1)).batch
    load_due()
    assert report("a").word == "none"
    TaskBatch.objects.filter(pk=batch.pk).update(opens_at=timezone.now())
    _opens(batch, timezone.now())
    load_due()
    batch.refresh_from_db()
    assert batch.state == "open"
    assert report("a").payload == ""
    load_due()  # a second tick does nothing
    assert show().batches[0].pending == 1


def test_history_is_what_sql_says() -> None:
    gate = make_gate(cap=2)
    batch = make_batch(gate, ["a", "b", "c"])
    a, b = report("a"), report("b")
    assert report("c").word == "wait"
    drain(gate)
    assert counts(batch) == {"pending": 1, "issued": 2}
    row = Task.objects.get(device="a")
    assert (row.token, row.attempt, row.state) == (a.token, 1, State.ISSUED)
    report("a", done(a))
    report("b", done(b, ok=False))
    drain(gate)
    assert counts(batch) == {"pending": 1, "done": 1, "failed": 1}
    assert Task.objects.get(device="b").reason == "device"
    assert GateEvent.objects.filter(event="issued").count() == 2


def test_at_the_end_of_the_window_the_rest_expires() -> None:
    gate = make_gate(cap=1)
    batch = make_batch(gate, ["a", "b", "c"])
    a = report("a")
    services.batch_extend(
        actor="test", batch=batch, closes_at=timezone.now() + timedelta(milliseconds=200)
    )
    while show().batches[0].pending:
        let_time_pass("admission.gate")
    drain(gate)
    assert counts(batch) == {"issued": 1, "expired": 2}
    assert batch.state == "closing"
    report("a", done(a))
    let_time_pass("admission.gate")
    drain(gate)
    assert counts(batch) == {"done": 1, "expired": 2}
    assert (batch.state, batch.finished_at is not None) == ("ended", True)
    assert {task.device for task in selectors.failed_rows(batch)} == {"b", "c"}


def test_a_window_that_nobody_opened_expires_in_sql() -> None:
    batch = make_batch(make_gate(), ["a", "b"], load=False)
    TaskBatch.objects.filter(pk=batch.pk).update(closes_at=timezone.now() - timedelta(seconds=1))
    load_due()
    assert counts(batch) == {"expired": 2}
    assert batch.state == "ended"


def test_a_batch_is_paused_goes_on_and_is_cancelled_for_good() -> None:
    gate = make_gate(cap=1)
    batch = make_batch(gate, ["a", "b"])
    a = report("a")
    services.batch_pause(actor="test", batch=batch, reason="noon")
    services.batch_pause(actor="test", batch=batch, reason="twice")
    report("a", done(a))
    assert (report("b").word, report("b").reason) == ("none", "paused")
    services.batch_resume(actor="test", batch=batch)
    b = report("b")
    assert b.word == "task"
    services.batch_cancel(actor="test", batch=batch, reason="mistake")
    with pytest.raises(AdmissionError):
        services.batch_resume(actor="test", batch=batch)
    report("b", done(b))
    let_time_pass("admission.gate")
    drain(gate)
    assert counts(batch) == {"done": 2}
    assert batch.state == "cancelled"
    assert AuditEntry.objects.filter(action="admission.batch_pause").count() == 1


def test_a_batch_cancelled_before_its_window_gives_out_nothing() -> None:
    gate = make_gate()
    later = timezone.now() + timedelta(hours=1)
    batch = upload(gate, b"a", opens_at=later, closes_at=later + timedelta(hours=1)).batch
    assert [its.status for its in show().batches] == ["open"]
    services.batch_cancel(actor="test", batch=batch, reason="mistake")
    assert counts(batch) == {"expired": 1}
    assert batch.state == "cancelled"
    load_due()
    assert [(its.status, its.pending) for its in show().batches] == [("cancelled", 0)]
    let_time_pass("admission.gate")
    drain(gate)
    assert counts(batch) == {"expired": 1}
    assert selectors.batch_out(batch)["state"] == "cancelled"


def test_a_cancel_that_redis_missed_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = make_gate()
    later = timezone.now() + timedelta(hours=1)
    batch = upload(gate, b"a", opens_at=later, closes_at=later + timedelta(hours=1)).batch
    with monkeypatch.context() as away:
        away.setattr("queueing.admission.services.batches.apply_batch", _redis_is_away)
        services.batch_cancel(actor="test", batch=batch, reason="mistake")
    assert [its.status for its in show().batches] == ["open"]
    bring_to_redis(gate)
    assert [its.status for its in show().batches] == ["cancelled"]


def test_a_slow_sender_does_not_undo_a_newer_pause() -> None:
    batch = make_batch(make_gate(), ["a"])
    seen = TaskBatch.objects.get(pk=batch.pk)
    services.batch_pause(actor="test", batch=batch, reason="works")
    apply_batch(seen)
    assert [its.status for its in show().batches] == ["paused"]


def _redis_is_away(batch: TaskBatch) -> None:
    raise hotpath.Unavailable("away")


@pytest.mark.parametrize("paused", [False, True])
def test_a_cancelled_batch_says_so_at_once(*, paused: bool) -> None:
    batch = make_batch(make_gate(), ["a", "b"])
    report("a")
    if paused:
        services.batch_pause(actor="test", batch=batch, reason="wait")
        batch.refresh_from_db()
        assert selectors.batch_out(batch)["state"] == "paused"
    services.batch_cancel(actor="test", batch=batch, reason="mistake")
    batch.refresh_from_db()
    assert selectors.batch_out(batch)["state"] == "cancelled"


# -- loaded ahead of the window, and what devices get without a worker ----------------------------


def test_a_device_is_told_that_its_task_is_loading_until_a_worker_comes() -> None:
    gate = make_gate()
    batch = make_batch(gate, ["a", "b"], load=False)
    assert (report("a").word, report("a").reason) == ("none", "loading")
    assert report("stranger").reason == "loading"
    load_due()
    assert report("a").word == "task"
    assert (report("stranger").word, report("stranger").reason) == ("none", "")
    drain(gate)
    assert counts(batch) == {"issued": 1, "pending": 1}


def test_while_it_loads_whoever_has_a_task_gets_it_and_the_others_are_told() -> None:
    batch = make_batch(make_gate(), ["a", "b"], load=False)
    first = batch.tasks.get(device="a")
    hotpath.run(commands.load(SLUG, batch.pk, [commands.StoredTask(first.pk, "a", "do a")]))
    assert report("a").word == "task"
    assert report("b").reason == "loading"


def test_a_batch_is_loaded_before_its_window_and_given_out_when_it_opens() -> None:
    gate = make_gate()
    now = timezone.now()
    batch = upload(
        gate, b"a,do a", opens_at=now + timedelta(seconds=50), closes_at=now + timedelta(hours=1)
    ).batch
    assert report("a").reason == ""
    load_due()
    batch.refresh_from_db()
    assert batch.loaded_at is not None
    assert selectors.batch_out(batch)["state"] == "scheduled"
    assert show().batches[0].pending == 1
    assert (report("a").word, report("a").reason) == ("none", "not open")
    _opens(batch, now - timedelta(seconds=1))
    assert report("a").word == "task"


def test_a_batch_whose_window_is_far_is_not_loaded_yet() -> None:
    now = timezone.now()
    later = now + timedelta(seconds=90)
    batch = upload(make_gate(), b"a", opens_at=later, closes_at=now + timedelta(hours=1)).batch
    load_due()
    batch.refresh_from_db()
    assert batch.state == "scheduled"
    TaskBatch.objects.filter(pk=batch.pk).update(total=50_000)  # so large that it takes longer
    assert services.open_windows()["opened"] == 1


def test_when_the_window_ends_with_nobody_to_load_it_devices_are_told_nothing() -> None:
    gate = make_gate()
    batch = make_batch(gate, ["a", "b"], load=False)
    assert report("a").reason == "loading"
    end = int((timezone.now() - timedelta(seconds=1)).timestamp() * 1e6)
    hotpath.run(commands.batch_extend(SLUG, batch.pk, end))
    assert (report("a").word, report("a").reason) == ("none", "")
    let_time_pass("admission.gate")
    drain(gate)  # a worker comes back
    assert counts(batch) == {"expired": 2}
    assert batch.state == "ended"
    load_due()
    assert report("a").word == "none"


def test_a_paused_batch_is_not_loading_to_its_devices() -> None:
    gate = make_gate()
    batch = make_batch(gate, ["a"], load=False)
    services.batch_pause(actor="test", batch=batch, reason="wait")
    assert report("a").reason == ""
    services.batch_resume(actor="test", batch=batch)
    assert report("a").reason == "loading"


def test_the_page_says_that_it_waits_for_a_worker() -> None:
    batch = make_batch(make_gate(), ["a"], load=False)
    assert selectors.progress(batch)["waits_for_worker"]
    load_due()
    batch.refresh_from_db()
    assert not selectors.progress(batch)["waits_for_worker"]


def _opens(batch: TaskBatch, at: datetime) -> None:
    """Let its window open at another time, in Redis as well."""
    text = f"{int(at.timestamp() * 1e6):016d}"
    key = f"{commands.GateKeys(SLUG).tag}:batches"
    record = hotpath.client().hget(key, str(batch.pk))
    hotpath.client().hset(key, str(batch.pk), record[:17] + text + record[33:])


def test_a_load_whose_worker_died_is_taken_up_and_loads_nothing_twice() -> None:
    gate = make_gate()
    batch = make_batch(gate, [f"d{n}" for n in range(10)], load=False)
    services.open_windows()  # the job's message is lost with its broker
    from poolsite.jobs.models import Job

    Job.objects.update(state=Job.State.FAILED)
    rows = [
        commands.StoredTask(task.pk, task.device, task.payload) for task in batch.tasks.all()[:4]
    ]
    end = int((timezone.now() + timedelta(hours=1)).timestamp() * 1e6)
    hotpath.run(commands.batch_open(SLUG, batch.pk, end))
    hotpath.run(commands.load(SLUG, batch.pk, rows))
    told = report("d0")
    services.watch_gates(0, 1)
    load_due()
    assert show().batches[0].pending == 9
    assert report("d0").token == told.token
    drain(gate)
    assert counts(batch) == {"issued": 1, "pending": 9}
