"""Turns a gate's replies into responses: fields, status and problem type."""

from typing import Any, Final

from queueing.admission.gate import (
    Counted,
    Ended,
    GateRefusedError,
    Observed,
    Permit,
    ReportReply,
    reasons,
)

Answered = tuple[int, dict[str, Any]]  # status, body

KINDS: Final = {
    reasons.OTHER_WEIGHT: "weight-conflict",
    reasons.WEIGHT_OVER_CAP: "weight-over-limit",
}
OUTCOMES: Final = {
    reasons.UNKNOWN_TASK: "unknown-task",
    reasons.UNKNOWN_TOKEN: "unknown-token",
}


def report_answer(slug: str, told: ReportReply, sent: list[str]) -> dict[str, Any]:
    """Return the response to a device's report. `sent`: the tasks in the report, in order."""
    body: dict[str, Any] = {
        "task": None if told.task is None else f"{slug}.{told.task}",
        "token": told.token,
        "deadline": told.until_us,
        "retry_after": told.retry_seconds,
    }
    if told.task is not None:
        body["payload"] = told.payload
        body["attempt"] = told.attempt
        body["remaining_ms"] = remaining_ms(told.until_us or 0, told.now_us)
    if told.place is not None:
        body["place"] = told.place
    if told.estimate_seconds is not None:
        body["estimate_seconds"] = told.estimate_seconds
    if told.reason:
        body["reason"] = told.reason
    if sent:
        body["results"] = [
            {"task": name, "outcome": OUTCOMES.get(outcome, outcome)}
            for name, (_, outcome) in zip(sent, told.results, strict=True)
        ]
    return body


def remaining_ms(deadline_us: int, now_us: int) -> int:
    """Return the time until a deadline, by the gate's clock: callers need not trust their own."""
    return max(0, (deadline_us - now_us) // 1_000)


def permit_answer(permit: Permit) -> dict[str, Any]:
    """Return the response to acquire and renew."""
    body: dict[str, Any] = {"granted": permit.granted, "reason": permit.reason}
    if permit.granted:
        body |= {"token": permit.token, "deadline": permit.deadline_us}
        body["remaining_ms"] = remaining_ms(permit.deadline_us, permit.now_us)
        if permit.waited_ms:
            body["waited_ms"] = permit.waited_ms
    for name, value in (
        ("place", permit.place),
        ("estimate_seconds", permit.estimate_seconds),
        ("retry_after", permit.retry_seconds),
    ):
        if value is not None:
            body[name] = value
    return body


def ended_answer(ended: Ended) -> dict[str, Any]:
    """Return the response to release."""
    return {"released": ended.done, "reason": ended.reason}


def counted_answer(counted: Counted) -> dict[str, Any]:
    """Return the response to incr and decr."""
    return {"done": int(counted.changed), "count": counted.count}


def observed_answer(observed: Observed) -> dict[str, Any]:
    """Return the response to the external system."""
    return {"cap": observed.cap, "used": observed.used, "over": observed.over}


def kind_of(error: GateRefusedError) -> str:
    """Return the problem type of a gate's refusal."""
    if error.reason.startswith(reasons.MALFORMED):
        return "malformed"
    if error.reason == reasons.NO_SUCH_GATE or error.reason.startswith(reasons.SCRIPT_OUTDATED):
        return "unavailable"  # it is in SQL: its data in Redis is being rebuilt
    return KINDS.get(error.reason, "gate-refused")
