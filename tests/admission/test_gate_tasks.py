"""Tasks of devices: issued once, decided once, given again, closed at the window's end."""

import pytest

from poolsite import hotpath
from queueing.admission import gate
from tests.admission.gate_support import SLUG, GateUnderTest
from tests.support.clock import ScriptClock


def clock_of(bench: GateUnderTest) -> ScriptClock:
    assert bench.clock is not None
    return bench.clock


def ok(told: gate.ReportReply, *, good: bool = True, data: str = "") -> gate.Result:
    """Return the result of the task that was just issued."""
    assert told.task is not None
    assert told.token is not None
    return gate.Result(told.task, told.token, good, data=data)


def events(bench: GateUnderTest) -> list[str]:
    return [change.event for change in bench.changes()]


def test_a_device_without_a_task_touches_nothing(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"])
    before = bench.client.hgetall("{gate.tower}")
    told = bench.report("stranger")
    assert (told.word, told.task, told.retry_seconds) == ("none", None, 60)
    assert bench.client.hgetall("{gate.tower}") == before


def test_a_report_fetches_and_the_next_one_returns_the_result_and_frees_the_slot(
    bench: GateUnderTest,
) -> None:
    bench.batch(1, ["a"])
    told = bench.report("a")
    assert (told.word, told.task, told.payload, told.attempt) == ("task", 1, "do a", 1)
    assert told.until_us == clock_of(bench).now_us + 290_000_000  # 300 s less the margin
    bench.wait(60)
    after = bench.report("a", ok(told, data='{"speed":93}'))
    assert (after.word, after.results) == ("none", ((1, "accepted"),))
    figures = bench.show()
    assert (figures.used, figures.done, figures.batches[0].done) == (0, 1, 1)
    done = bench.changes()[-1]
    assert (done.event, done.device, done.task, done.data) == ("done", "a", 1, '{"speed":93}')


def test_a_lost_answer_gives_the_same_task_token_and_deadline(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"])
    told = bench.report("a")
    bench.wait(60)
    again = bench.report("a")
    assert (again.task, again.token, again.until_us) == (told.task, told.token, told.until_us)
    assert bench.show().used == 1
    assert events(bench).count("issued") == 1


def test_only_renewing_moves_the_deadline(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"], seconds=10_000)
    told = bench.report("a")
    assert told.token is not None
    assert told.until_us is not None
    bench.wait(60)
    assert bench.report("a", renew=told.token + 1).reason == "other token"
    renewed = bench.report("a", renew=told.token)
    assert (renewed.task, renewed.token) == (told.task, told.token)
    assert renewed.until_us == told.until_us + 60_000_000
    for _ in range(30):
        bench.wait(200)
        renewed = bench.report("a", renew=told.token)
        if renewed.token != told.token:
            break
    assert renewed.attempt == 2  # the longest time has passed, the attempt ended
    assert clock_of(bench).now_us - (told.until_us - 290_000_000) >= 3_600_000_000


def test_a_second_result_changes_nothing(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"])
    told = bench.report("a")
    bench.report("a", ok(told))
    length = len(bench.changes())
    again = bench.report("a", ok(told, good=False))
    assert again.results == ((1, "repeat"),)
    assert len(bench.changes()) == length
    assert bench.show().used == 0


def test_a_result_for_a_task_it_never_had_is_refused(bench: GateUnderTest) -> None:
    bench.batch(1, ["a", "b"])
    told = bench.report("a")
    assert told.token is not None
    length = len(bench.changes())
    stolen = bench.report("stranger", gate.Result(1, told.token, True))
    assert stolen.results == ((1, "unknown task"),)
    guessed = bench.report("a", gate.Result(1, told.token + 1, True), gate.Result(99, 10**15, True))
    assert guessed.results == ((1, "unknown token"), (99, "unknown task"))
    assert guessed.token == told.token
    assert len(bench.changes()) == length


def test_an_attempt_without_a_result_is_followed_by_another_up_to_three(
    bench: GateUnderTest,
) -> None:
    bench.batch(1, ["a"])
    tokens = []
    for attempt in (1, 2, 3):
        told = bench.report("a")
        assert told.attempt == attempt
        tokens.append(told.token)
        bench.wait(300)
        bench.sweep()
    assert len(set(tokens)) == 3
    assert bench.report("a").word == "none"
    failed = [change for change in bench.changes() if change.event == "failed"]
    assert [(change.task, change.reason) for change in failed] == [(1, "no result")]
    assert bench.show().used == 0


def test_a_late_result_is_stored_once_and_changes_neither_task_nor_permit(
    bench: GateUnderTest,
) -> None:
    bench.batch(1, ["a"])
    first = bench.report("a")
    bench.wait(300)  # no sweep has run: the clock decides, not the sweep
    late = bench.report("a", ok(first))
    assert late.results == ((1, "late"),)
    assert (late.word, late.attempt) == ("task", 2)
    again = bench.report("a", ok(first))
    assert again.results == ((1, "repeat"),)
    assert again.token == late.token
    assert bench.report("a", ok(late)).results == ((1, "accepted"),)
    assert bench.report("a", ok(first)).results == ((1, "repeat"),)
    assert events(bench).count("late") == 1
    assert bench.show().overrun == 1


def test_a_late_result_after_the_last_attempt_leaves_the_task_failed(bench: GateUnderTest) -> None:
    bench.run(gate.configure(SLUG, gate.GateSettings(attempts=1)))
    bench.batch(1, ["a"])
    told = bench.report("a")
    bench.wait(301)
    bench.sweep()
    assert bench.report("a", ok(told)).results == ((1, "late"),)
    assert bench.show().batches[0].failed == 1


def test_the_devices_own_no_is_final(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"])
    told = bench.report("a")
    assert bench.report("a", ok(told, good=False)).results == ((1, "accepted"),)
    failed = bench.changes()[-1]
    assert (failed.event, failed.reason) == ("failed", "device")


def test_no_more_than_the_cap_run_and_the_others_see_their_place(bench: GateUnderTest) -> None:
    bench.run(gate.resize(SLUG, 2))
    bench.batch(1, [f"d{n}" for n in range(10)])
    told = {}
    for n in range(10):
        bench.wait(0.001)
        told[n] = bench.report(f"d{n}")
    assert [told[n].word for n in range(10)] == ["task"] * 2 + ["wait"] * 8
    assert [told[n].place for n in range(2, 10)] == list(range(1, 9))
    estimates = [told[n].estimate_seconds or 0 for n in range(2, 10)]
    assert estimates == sorted(estimates)
    assert told[2].retry_seconds <= 60


def test_a_device_that_just_finished_queues_behind_those_waiting(bench: GateUnderTest) -> None:
    bench.run(gate.resize(SLUG, 1))
    bench.batch(1, ["a", "b", "c", "d"])
    bench.batch(2, ["a"], first=100)
    told = bench.report("a")
    for device in "bcd":
        bench.wait(1)
        assert bench.report(device).word == "wait"
    after = bench.report("a", ok(told))
    assert (after.word, after.reason, after.place) == ("wait", "turn", 4)
    assert bench.report("b").word == "task"


def test_at_the_windows_end_pending_ones_expire_and_running_ones_finish(
    bench: GateUnderTest,
) -> None:
    bench.run(gate.resize(SLUG, 2))
    bench.batch(1, ["a", "b", "c", "d"], seconds=100)
    a, b = bench.report("a"), bench.report("b")
    assert bench.report("c").word == "wait"
    bench.wait(100)
    assert bench.report("d").word == "none"  # before any sweep
    bench.sweep()
    figures = bench.show()
    assert (figures.batches[0].expired, figures.batches[0].running) == (2, 2)
    assert figures.waiting == 0
    assert bench.report("a", ok(a)).results == ((1, "accepted"),)
    bench.wait(201)
    bench.sweep()
    bench.sweep()
    figures = bench.show()
    assert (figures.batches[0].failed, figures.batches[0].done) == (1, 1)  # no more attempts
    assert figures.batches[0].closed_us is not None
    assert bench.report("b", ok(b)).results == ((2, "late"),)
    bench.wait(3_601)
    bench.sweep()
    assert bench.show().tasks == 0
    assert bench.show().batches == ()


def test_a_paused_batch_issues_nothing_and_a_cancelled_one_never_again(
    bench: GateUnderTest,
) -> None:
    bench.batch(1, ["a", "b"])
    running = bench.report("a")
    assert bench.run(gate.batch_pause(SLUG, 1, "wait")) == ""
    assert bench.report("b").word == "none"
    assert bench.report("a").token == running.token
    bench.run(gate.batch_resume(SLUG, 1))
    bench.run(gate.batch_cancel(SLUG, 1, "not needed"))
    bench.sweep()
    assert bench.report("b").word == "none"
    assert bench.report("a", ok(running)).results == ((1, "accepted"),)
    bench.sweep()
    batch = bench.show().batches[0]
    assert (batch.status, batch.done, batch.expired) == ("cancelled", 1, 1)
    with pytest.raises(gate.GateRefusedError, match="over"):
        bench.run(gate.batch_resume(SLUG, 1))
    with pytest.raises(gate.GateRefusedError, match="no such batch"):
        bench.run(gate.load(SLUG, 7, [gate.StoredTask(9, "z", "")]))


def test_loading_twice_changes_nothing(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"])
    told = bench.report("a")
    rows = [gate.StoredTask(1, "a", "do a")]
    assert bench.run(gate.load(SLUG, 1, rows)) == (0, 0)
    assert bench.report("a").token == told.token
    bench.report("a", ok(told))
    assert bench.run(gate.load(SLUG, 1, rows)) == (0, 0)
    assert bench.report("a").word == "none"


def test_freeing_a_devices_permit_gives_its_task_back(bench: GateUnderTest) -> None:
    bench.batch(1, ["a"])
    told = bench.report("a")
    assert told.token is not None
    assert bench.run(gate.free(SLUG, "@a", told.token, "hangs")).task == 1
    again = bench.report("a")
    assert (again.attempt, again.word) == (2, "task")
    assert again.token != told.token
    assert bench.report("a", ok(told)).results == ((1, "late"),)


def test_many_reports_in_one_command_are_answered_one_by_one(bench: GateUnderTest) -> None:
    bench.run(gate.resize(SLUG, 5))
    bench.batch(1, [f"d{n}" for n in range(32)])
    told = bench.run(gate.reports(SLUG, [gate.DeviceReport(f"d{n}") for n in range(32)]))
    assert [item.word for item in told] == ["task"] * 5 + ["wait"] * 27
    results = [gate.DeviceReport(f"d{n}", (ok(told[n]),)) for n in range(5)]
    again = bench.run(gate.reports(SLUG, [*results, gate.DeviceReport("d5")]))
    assert [item.results[0][1] for item in again[:5]] == ["accepted"] * 5
    assert again[5].word == "task"


@pytest.mark.parametrize(
    "report",
    [
        gate.DeviceReport(""),
        gate.DeviceReport("a b"),
        gate.DeviceReport("@a"),
        gate.DeviceReport("a", renew=7 * 10**16),
        gate.DeviceReport("a", (gate.Result(-1, 10**15, True),)),
        gate.DeviceReport("a", (gate.Result(1, 10**17, True),)),
        gate.DeviceReport("a", (gate.Result(1, 10**15, True, took_ms=-5),)),
        gate.DeviceReport("a", (gate.Result(1, 10**15, True, data="a\tb"),)),
        gate.DeviceReport("a", (gate.Result(1, 10**15, True, data="x" * 8_193),)),
    ],
)
def test_a_malformed_report_changes_nothing_for_the_others_either(
    bench: GateUnderTest, report: gate.DeviceReport
) -> None:
    bench.batch(1, ["a", "b"])
    before = bench.changes()
    with pytest.raises(hotpath.HotPathError, match="malformed"):
        bench.run(gate.reports(SLUG, [gate.DeviceReport("b"), report]))
    assert bench.changes() == before


def test_an_adaptive_cap_goes_up_by_steps_and_down_by_factors(bench: GateUnderTest) -> None:
    settings = gate.GateSettings(cap=10, adaptive=True, adaptive_min=4, adaptive_max=12)
    bench.run(gate.configure(SLUG, settings))
    clock = clock_of(bench)

    def interval(*, good: int, bad: int) -> int:
        permits = {f"h{n}": bench.acquire(f"h{n}") for n in range(bench.show().cap)}
        bench.run(gate.observe(SLUG, 1, good=good, bad=bad))
        clock.advance(10)
        swept = bench.sweep()
        for holder, permit in permits.items():
            bench.release(holder, permit.token)
        return swept.cap or bench.show().cap

    assert [interval(good=100, bad=0) for _ in range(3)] == [11, 12, 12]
    assert [interval(good=80, bad=20) for _ in range(4)] == [8, 5, 4, 4]
    bench.run(gate.resize(SLUG, 7, adaptive=False, reason="pinned"))
    assert interval(good=100, bad=0) == 7
    bench.run(gate.resize(SLUG, 7, adaptive=True))
    assert interval(good=100, bad=0) == 8
