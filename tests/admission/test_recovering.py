"""Redis lost a gate: its whole cap counts as used, holders return, tasks end once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from poolsite import hotpath
from poolsite.operations.models import Incident
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.models import Gate, Task
from tests.admission.gate_support import GateUnderTest, gate_on
from tests.admission.people import SLUG, done, drain, make_batch, make_gate, report, show
from tests.support.clock import ScriptClock

CAP = 3
OLD = 1_600_000_000_000_000  # the previous generation


@pytest.fixture
def lost(form: str, test_clock: ScriptClock, redis_server: RedisServer) -> object:
    """A gate of three that has just lost everything, open again in 300 s."""
    with gate_on(redis_server.url, test_clock, form) as bench:
        bench.settings = commands.GateSettings(cap=CAP)
        bench.run(commands.recover(SLUG, test_clock.now_us, bench.settings, open_after_seconds=300))
        bench.run(commands.loaded(SLUG))
        yield bench


def test_nobody_is_let_in_before_the_permits_of_the_life_before_have_ended(
    lost: GateUnderTest,
) -> None:
    assert lost.clock is not None
    refused = lost.acquire("new")
    assert (refused.granted, refused.reason) == (False, "recovering")
    assert lost.incr() == (False, CAP)
    lost.wait(299.9)
    assert not lost.sweep().opened
    assert not lost.acquire("new").granted
    lost.wait(0.1)
    assert lost.sweep().opened
    assert lost.acquire("new").granted
    assert lost.show().ghosts == 0


def test_a_holder_that_reports_keeps_its_slot_and_frees_it_when_it_goes(
    lost: GateUnderTest,
) -> None:
    token = OLD + 5
    back = lost.renew("old", token)
    assert (back.granted, back.reason, back.token) == (True, "adopted", token)
    assert (lost.show().used, lost.show().ghosts) == (CAP, CAP - 1)
    assert not lost.acquire("new").granted
    assert lost.release("old", token).done
    assert lost.acquire("new").granted
    assert not lost.acquire("other").granted


def test_no_more_come_back_than_the_cap(lost: GateUnderTest) -> None:
    answers = [lost.renew(f"h{n}", OLD + n).granted for n in range(CAP + 2)]
    assert answers == [True] * CAP + [False] * 2
    assert lost.show().used == CAP


def test_a_token_of_this_life_that_was_never_given_is_no_proof(lost: GateUnderTest) -> None:
    assert lost.clock is not None
    assert lost.renew("liar", lost.clock.now_us + 77).reason == "not held"


def test_a_running_task_that_sql_knew_keeps_its_token(lost: GateUnderTest) -> None:
    assert lost.clock is not None
    end = lost.clock.now_us + 10**10
    lost.run(commands.batch_open(SLUG, 1, end))
    rows = [
        commands.StoredTask(1, "a", "do a", attempt=2, token=OLD + 9, running=True),
        commands.StoredTask(2, "b", "do b"),
    ]
    lost.run(commands.load(SLUG, 1, rows))
    assert (lost.show().used, lost.show().ghosts) == (CAP, CAP - 1)
    again = lost.report("a")
    assert (again.word, again.token, again.attempt) == ("task", OLD + 9, 2)
    assert lost.report("b").reason == "recovering"
    assert lost.report("a", commands.Result(1, OLD + 9, True)).results == ((1, "accepted"),)
    assert lost.report("b").word == "task"  # a had shown that it had its own slot
    lost.check_structure()


def test_a_result_alone_proves_no_slot_since_it_may_be_a_repeat(lost: GateUnderTest) -> None:
    assert lost.clock is not None
    lost.run(commands.batch_open(SLUG, 1, lost.clock.now_us + 10**10))
    lost.run(commands.load(SLUG, 1, [commands.StoredTask(1, "a", "", token=OLD + 9, running=True)]))
    assert lost.report("a", commands.Result(1, OLD + 9, True)).results == ((1, "accepted"),)
    assert lost.show().used == CAP
    assert not lost.acquire("new").granted


def test_an_attempt_that_sql_had_not_heard_of_comes_back_by_its_token(lost: GateUnderTest) -> None:
    assert lost.clock is not None
    lost.run(commands.batch_open(SLUG, 1, lost.clock.now_us + 10**10))
    lost.run(
        commands.load(SLUG, 1, [commands.StoredTask(1, "a", ""), commands.StoredTask(2, "b", "")])
    )
    renewed = lost.report("a", renew=OLD + 3)
    assert (renewed.word, renewed.token) == ("task", OLD + 3)
    assert lost.report("b", commands.Result(2, OLD + 4, True)).results == ((2, "accepted"),)
    assert lost.show().used == CAP
    lost.check_structure()


def test_an_operator_opens_early_with_a_reason(lost: GateUnderTest) -> None:
    assert lost.run(commands.open_now(SLUG, "nobody is on it")) == ""
    assert lost.acquire("new").granted
    assert lost.changes()[-2].reason == "nobody is on it"


# -- by the watch ----------------------------------------------------------------------------------


def aged(gate: Gate) -> Gate:
    """Make the gate look an hour old: what Redis lacks then was lost."""
    Gate.objects.filter(pk=gate.pk).update(created_at=timezone.now() - timedelta(hours=1))
    gate.refresh_from_db()
    return gate


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_a_flushed_gate_is_rebuilt_with_its_tasks_and_every_task_ends_once() -> None:
    gate = aged(make_gate(cap=2))
    batch = make_batch(gate, ["a", "b", "c", "d"])
    a, b = report("a"), report("b")
    report("b", done(b))
    drain(gate)
    hotpath.client().flushall()
    assert services.watch_gates(0, 1)["rebuilt"] == 1
    figures = show()
    assert (figures.status, figures.used) == ("recovering", 2)
    assert Incident.objects.filter(type="admission.recovering", until=None).exists()
    assert report("a").token == a.token
    assert report("b").word == "none"  # a finished task is not issued again
    assert report("c").reason == "recovering"
    gate.refresh_from_db()
    services.gate_open_early(actor="test", gate=gate, reason="checked by hand")
    report("a", done(a))
    for device in "cd":
        told = report(device)
        report(device, done(told))
    drain(gate)
    batch.refresh_from_db()
    assert (batch.done, batch.pending, batch.issued) == (4, 0, 0)
    assert not Incident.objects.filter(type="admission.recovering", until=None).exists()
    assert Task.objects.filter(state=Task.State.DONE).count() == 4


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_two_workers_rebuild_once_and_a_promoted_server_is_not_believed() -> None:
    gate = aged(make_gate())
    stale = Gate.objects.get(pk=gate.pk)
    hotpath.client().flushall()
    assert services.gate_check(gate, None)
    assert not services.gate_check(stale, show())
    gate.refresh_from_db()
    services.gate_open_early(actor="test", gate=gate, reason="test")
    before = show().generation
    conf = hotpath.client().hget(gate.tag, "conf") or ""
    hotpath.client().hset(gate.tag, "conf", "r" + conf[1:])  # what hotpath/promoted does
    assert not hotpath.run(commands.acquire(SLUG, "x")).granted
    assert services.watch_gates(0, 1)["rebuilt"] == 1
    assert show().generation > before


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_permits_of_a_longer_duration_set_before_still_count_after_a_loss() -> None:
    gate = aged(make_gate(permit_seconds=3_600))
    hotpath.run(commands.acquire(SLUG, "a"))
    services.gate_configure(actor="test", gate=gate, permit_seconds=60)
    gate.refresh_from_db()
    hotpath.client().flushall()
    assert services.gate_check(gate, None)
    found = show()
    assert found.open_at_us is not None
    assert found.open_at_us - found.as_of_us > 3_590 * 1_000_000
