"""The client without a server: retries, batches, and a permit's deadline by its own clock."""

import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from integrations.poolsite_client import (
    Device,
    Gate,
    PermitLost,
    Refused,
    RejectedError,
    Task,
    TaskFailed,
    UnreachableError,
    clock,
    holder,
    tasks,
)
from integrations.poolsite_client import lease as leases
from integrations.poolsite_client.calls import PoolState, call, live
from integrations.poolsite_client.retrying import LONGEST_SECONDS, TRIES
from integrations.poolsite_client.steps import (
    Ask,
    NoReply,
    Pause,
    Reply,
    Steps,
    Work,
    ask,
    ask_all,
)

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "poolsite_client"
TOKEN = 1_763_693_000_123_456
GRANTED = {"granted": True, "token": TOKEN, "deadline": 1, "remaining_ms": 10_000, "reason": ""}


class Time:
    """The client's clock, moved by the test: by each pause, and by each request's round trip."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.trip = 0.0

    def run(self, steps: Steps[Any], *replies: Any) -> tuple[Any, list[Any]]:
        """Run steps with these replies. Return the result (or the error), and the steps."""
        seen: list[Any] = []
        left, came = list(replies), None
        try:
            while True:
                step = steps.send(came)
                seen.append(step)
                came = None
                if isinstance(step, Pause):
                    self.now += step.seconds
                elif isinstance(step, Ask):
                    if not left:
                        steps.close()
                        return None, seen
                    self.now += self.trip
                    came = left.pop(0)
                    came = came() if callable(came) else came
                    came = Reply(200, came) if isinstance(came, dict) else came
        except StopIteration as end:
            return end.value, seen
        except Exception as error:
            return error, seen


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(clock, "now", lambda: made.now)
    return made


def asks(seen: list[Any]) -> list[Any]:
    return [step for step in seen if isinstance(step, Ask)]


# -- retries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [NoReply("x"), Reply(503, {}), Reply(504, {}), Reply(429, {})])
def test_a_question_without_an_answer_is_asked_again_in_growing_pauses_and_given_up(
    moment: Time, lost: Any
) -> None:
    error, seen = moment.run(ask("/p", {"a": 1}), *[lost] * TRIES)
    assert isinstance(error, UnreachableError)
    assert asks(seen) == [Ask("/p", {"a": 1})] * TRIES
    pauses = [step.seconds for step in seen if isinstance(step, Pause)]
    longest = [min(0.2 * 2**n, LONGEST_SECONDS) for n in range(TRIES - 1)]
    assert all(most / 2 <= pause <= most for pause, most in zip(pauses, longest, strict=True))


def test_a_pause_that_the_server_names_is_kept(moment: Time) -> None:
    answer, seen = moment.run(ask("/p", {}), Reply(429, {}, 7.0), {"ok": 1})
    assert answer.body == {"ok": 1}
    assert 7.0 <= seen[1].seconds <= 7.7


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_what_asking_again_does_not_help_is_not_asked_again(moment: Time, status: int) -> None:
    told = {"type": "unknown-gate", "detail": "There is no such gate"}
    error, seen = moment.run(ask("/p", {}), Reply(status, told))
    assert isinstance(error, RejectedError)
    assert (error.status, error.kind, len(seen)) == (status, "unknown-gate", 1)


# -- permits -------------------------------------------------------------------------------------


def test_who_waits_asks_when_the_gate_says_and_once_more_at_the_end(moment: Time) -> None:
    full = {"granted": False, "reason": "full", "retry_after": 20, "place": 3}
    error, seen = moment.run(holder.acquire("g", "h", 30.0), full, full, full)
    assert isinstance(error, Refused)
    assert (error.reason, error.place, error.retry_after) == ("full", 3, 20.0)
    assert len(asks(seen)) == 3
    assert moment.now == pytest.approx(1_030.0)
    error, seen = moment.run(holder.acquire("g", "h", 0.0), full)
    assert isinstance(error, Refused)
    assert len(seen) == 1


def permit_of(moment: Time, **answer: Any) -> holder.Permit:
    permit, _ = moment.run(holder.acquire("g", "h", 0.0), {**GRANTED, **answer})
    assert isinstance(permit, holder.Permit)
    return permit


def test_a_permit_lasts_from_the_question_and_the_wall_clock_does_not_count(
    moment: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment.trip = 3.0  # the gate may have answered at the trip's beginning or at its end
    for wall in (0.0, 4e9):
        monkeypatch.setattr(time, "time", lambda wall=wall: wall)
        permit = permit_of(moment)
        assert 6.99 < permit.remaining_seconds <= 7.0
    moment.now += 6.9
    permit.check()
    moment.now += 0.1
    with pytest.raises(PermitLost):
        permit.check()


def test_the_answer_of_the_attempt_that_was_heard_counts(moment: Time) -> None:
    steps = holder.acquire("g", "h", 0.0)
    permit, _ = moment.run(steps, NoReply("lost"), NoReply("lost"), GRANTED)
    assert 9.99 < permit.remaining_seconds <= 10.0


def test_an_answer_that_took_longer_than_the_permit_gives_none(moment: Time) -> None:
    moment.trip = 10.0
    error, _ = moment.run(holder.acquire("g", "h", 0.0), GRANTED)
    assert isinstance(error, PermitLost)


def test_the_clock_is_not_the_walls_and_counts_suspended_time() -> None:
    assert abs(clock.now() - time.clock_gettime(time.CLOCK_BOOTTIME)) < 60


def test_a_permit_is_renewed_after_a_third_until_it_is_lost(moment: Time) -> None:
    permit = permit_of(moment)
    keep = leases.keep(permit, lambda: holder.renew(permit))
    renewed = {**GRANTED, "deadline": 2, "permit": "v1.new"}
    error, seen = moment.run(keep, renewed, {"granted": False, "reason": "not held"})
    assert isinstance(error, PermitLost)
    assert [step.path for step in asks(seen)] == ["/api/v1/gates/g/renew"] * 2
    assert (permit.deadline, permit.signed, permit.remaining_seconds) == (2, "v1.new", 0.0)
    assert moment.now == pytest.approx(1_000 + 2 * 10 / 3, abs=0.01)


def test_without_an_answer_a_permit_is_kept_asked_for_until_its_deadline_and_no_longer(
    moment: Time,
) -> None:
    permit = permit_of(moment)
    error, seen = moment.run(
        leases.keep(permit, lambda: holder.renew(permit)), *[NoReply("lost")] * 100
    )
    assert isinstance(error, PermitLost)
    assert moment.now == pytest.approx(1_010, abs=0.01)
    assert 3 < len(asks(seen)) < 2 * TRIES


def test_near_the_longest_time_renewals_become_no_storm(moment: Time) -> None:
    permit = permit_of(moment)

    def renewed() -> dict[str, Any]:
        return {**GRANTED, "remaining_ms": max(0, int((1_015 - moment.now) * 1_000))}

    keep = leases.keep(permit, lambda: holder.renew(permit))
    error, seen = moment.run(keep, *[renewed] * 100)
    assert isinstance(error, PermitLost)
    assert moment.now == pytest.approx(1_015, abs=0.1)
    assert len(asks(seen)) < 15


def test_a_release_after_the_deadline_asks_nothing_and_one_before_stops_at_it(moment: Time) -> None:
    permit = permit_of(moment)
    release = holder.release(permit, ok=None, took_ms=None)
    error, _ = moment.run(release, *[NoReply("lost")] * TRIES)
    assert isinstance(error, UnreachableError)
    assert moment.now <= 1_010.1
    moment.now = 1_011.0
    assert moment.run(holder.release(permit, ok=True, took_ms=1)) == (False, [])


# -- devices -------------------------------------------------------------------------------------


def told(task: int | None, *outcomes: tuple[int, str], **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"task": None, "token": None, "deadline": None, "retry_after": 60}
    if task is not None:
        body |= {"task": f"g.{task}", "token": TOKEN + task, "deadline": 1, "remaining_ms": 9_000}
    body["results"] = [{"task": f"g.{number}", "outcome": word} for number, word in outcomes]
    return {**body, **more}


def play(moment: Time, state: tasks.DeviceState, handler: Any, *replies: Any) -> list[Any]:
    """Run a device over these replies. Return the reports' bodies and the pauses, in order."""
    steps, came, seen, left = tasks.run(state), None, [], list(replies)
    while True:
        step = steps.send(came)
        came = None
        if isinstance(step, Pause):
            moment.now += step.seconds
            seen.append(step.seconds)
        elif isinstance(step, Work):
            with state.carrying_out(step.task) as outcome:
                outcome.data = handler(step.task)
        else:
            seen.append(step.body)
            if not left:
                steps.close()
                return seen
            came = left.pop(0)
            came = Reply(200, came) if isinstance(came, dict) else came


def test_a_result_is_told_until_the_gate_has_named_it(moment: Time) -> None:
    state = tasks.DeviceState("d")
    seen = play(
        moment, state, lambda task: {"n": 1}, told(1), NoReply("lost"), told(None, (1, "repeat"))
    )
    reports = [body for body in seen if isinstance(body, dict)]
    result = {"task": "g.1", "token": TOKEN + 1, "ok": True, "data": {"n": 1}, "took_ms": 0}
    assert reports == [{"results": []}, *[{"results": [result]}] * 2, {"results": []}]
    assert 60 <= seen[-2] <= 66
    assert state.results == []


def test_the_same_token_is_carried_out_once(moment: Time) -> None:
    state, done = tasks.DeviceState("d"), []
    play(moment, state, lambda task: done.append(task.token), told(1), told(1), told(2), told(1))
    assert done == [TOKEN + 1, TOKEN + 2]


@pytest.mark.parametrize(
    ("error", "data"),
    [
        (TaskFailed({"why": "no signal"}), {"why": "no signal"}),
        (RuntimeError("a secret"), {"error": "RuntimeError"}),
    ],
)
def test_a_handler_that_fails_is_told_as_failed(moment: Time, error: Exception, data: Any) -> None:
    def handler(task: Task) -> None:
        raise error

    state = tasks.DeviceState("d")
    play(moment, state, handler, told(1))
    assert [(item["ok"], item["data"]) for item in state.results] == [(False, data)]


@pytest.mark.parametrize("data", ["x" * 9_000, {1, 2}])
def test_data_that_no_report_could_carry_does_not_jam_the_device(moment: Time, data: Any) -> None:
    state = tasks.DeviceState("d")
    play(moment, state, lambda task: data, told(1))
    assert state.results[0]["ok"] is False


def test_a_handler_past_its_deadline_tells_nothing(moment: Time) -> None:
    def handler(task: Task) -> None:
        moment.now += 10
        task.check()

    state = tasks.DeviceState("d")
    play(moment, state, handler, told(1))
    assert (state.results, state.done_token) == ([], TOKEN + 1)


def test_a_task_is_renewed_with_its_token_and_lost_when_the_gate_names_another(
    moment: Time,
) -> None:
    state = tasks.DeviceState("d")
    first, _ = moment.run(tasks.report(state), told(1))
    keep = leases.keep(first.task, lambda: tasks.renew(state, first.task))
    error, seen = moment.run(keep, told(1), told(2, reason="other token"))
    assert isinstance(error, PermitLost)
    assert [step.body["renew"] for step in asks(seen)] == [TOKEN + 1] * 2
    assert first.task.lost == "other token"


# -- the README ------------------------------------------------------------------------------------


def test_the_readmes_device_and_holder_run(moment: Time) -> None:
    asked: list[str] = []
    program = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        first = len(asked) == 1
        if request.url.path.endswith("report"):
            return httpx.Response(200, json=told(1) if first else told(None, (1, "accepted")))
        return httpx.Response(200, json={**GRANTED, "released": True})

    def with_transport(kind: Any) -> Any:
        return lambda *words: kind(*words, transport=httpx.MockTransport(answer))

    holding, by_hand, device = (
        next(block for block in program if words in block)
        for words in ("with gate.permit(", "gate.acquire(", "device.run(")
    )
    carried: list[int] = []

    def measure(payload: str, signed: str) -> int:
        scope["device"].stop()
        return 93

    scope: dict[str, Any] = {
        "token": "t",
        "work": [1, 2],
        "carry_out": lambda piece, signed: carried.append(piece),
        "measure": measure,
        "Gate": with_transport(Gate),
        "Device": with_transport(Device),
        "Task": Task,
        "TaskFailed": TaskFailed,
    }
    _run(holding, scope)
    assert carried == [1, 2]
    scope["gate"] = with_transport(Gate)("http://t", "t", "speed-025")
    _run(by_hand, scope)
    assert asked[-1] == "/api/v1/gates/speed-025/release"
    asked.clear()
    _run(device, scope)
    assert asked == ["/api/v1/devices/tower-7/report"] * 2


def _run(block: str, scope: dict[str, Any]) -> None:
    """Run a block of the README. What it imports from the package is in the scope."""
    lines = [line for line in block.splitlines() if not line.startswith("from poolsite_client")]
    exec("\n".join(lines), scope)


# -- calls and batches -----------------------------------------------------------------------------


def test_a_batch_sends_again_what_is_undecided_and_all_that_follow(moment: Time) -> None:
    items = [{"message_id": str(n)} for n in range(3)]
    busy = {"status": 503, "type": "backlog-full"}
    first = Reply(200, [{"status": 200, "n": 0}, busy, {"status": 200, "n": 2}])
    then = Reply(200, [{"status": 402, "type": "insufficient-balance"}, {"status": 200, "n": 2}])
    told, seen = moment.run(ask_all("/p", items), first, then)
    assert [step.body for step in asks(seen)] == [items, items[1:]]
    assert (told[0]["n"], told[1].kind, told[2]["n"]) == (0, "insufficient-balance", 2)


def test_a_batch_that_stays_busy_says_so_at_the_end(moment: Time) -> None:
    busy = Reply(200, [{"status": 429, "type": "too-many-requests"}])
    told, seen = moment.run(ask_all("/p", [{}]), *[busy] * TRIES)
    assert [each.status for each in told] == [429]
    assert len(asks(seen)) == TRIES


def test_a_long_batch_is_several_requests(moment: Time) -> None:
    replies = [Reply(200, [{"status": 200}] * size) for size in (1_000, 1_000, 1)]
    told, seen = moment.run(ask_all("/p", [{}] * 2_001), *replies)
    assert len(told) == 2_001
    assert [len(step.body) for step in asks(seen)] == [1_000, 1_000, 1]


def test_each_attempt_of_a_call_waits_for_what_is_left(moment: Time) -> None:
    moment.trip = 2.0
    steps = call(PoolState("east"), "c-1", {"wait_ms": 5_000})
    _, seen = moment.run(steps, NoReply("lost"), NoReply("lost"), NoReply("lost"), {"number": "1"})
    waits = [step.body["wait_ms"] for step in asks(seen)]
    assert waits[0] == 5_000
    assert 2_500 < waits[1] <= 3_000
    assert waits[-1] == 0
    assert [step.wait_seconds for step in asks(seen)] == [ms / 1_000 for ms in waits]


def test_the_newest_time_counts_until_the_servers_clock_is_set_back() -> None:
    state = PoolState("east", as_of=100_000_000)
    for answer, kept in (({"as_of": 99_000_000}, 100), ({}, 100), ({"as_of": 20_000_000}, 20)):
        assert state.note(answer) == answer
        assert state.as_of == kept * 1_000_000


def test_a_refusal_tells_the_time_that_a_live_list_names(moment: Time) -> None:
    state = PoolState("east")
    refused = Reply(409, {"type": "exhausted", "detail": "", "as_of": 7, "reason": "exhausted"})
    error, _ = moment.run(call(state, "c-1", {}), refused)
    assert isinstance(error, RejectedError)
    assert (error.kind, error.body["reason"], state.as_of) == ("exhausted", "exhausted", 7)
    _, seen = moment.run(live(state, "fs1", "b1", [("c-1", "")]))
    assert asks(seen)[0].body["as_of"] == 7
    assert asks(seen)[0].body["calls"] == [{"call_id": "c-1"}]
