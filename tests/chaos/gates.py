"""What must be true of the gates: never above the cap by the external system's log, no permit left.

Every task ends once, in SQL and in Redis alike. Batches are filled up, so that devices always
have work.
"""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.chaos.resting import until_right

if TYPE_CHECKING:
    from tests.chaos.stack import Stack

GATE = "speed-025"
HOLDERS_GATE = "firmware"
TAG = "{gate." + GATE + "}"
HOLDERS_TAG = "{gate." + HOLDERS_GATE + "}"
WORK_SECONDS = 3.0
FEW_TASKS = 120  # a fault may last as long as these tasks take
REST_SECONDS = 60.0
DAY_SECONDS = 86_400  # a window that no step of the clock ends


class BrokenGateError(AssertionError):
    """The cap was exceeded, a permit leaked, or a task ended twice."""


def gate_of(stack: "Stack") -> dict[str, Any] | None:
    """Return the gate under load, as the simulator receives it, or None if this stack has none."""
    gates = stack.simulation.get("gates", [])
    return next((gate for gate in gates if gate["slug"] == GATE), None)


def external_log(stack: "Stack") -> Path:
    """Return the log in which the external system records every change of its count."""
    return stack.folder / "external.jsonl"


def _moves(stack: "Stack") -> list[dict[str, Any]]:
    path = external_log(stack)
    if not path.exists():
        return []
    lines = path.read_text().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def begun(stack: "Stack") -> int:
    """Return how many pieces of work the external system has begun."""
    return sum(move["step"] == 1 for move in _moves(stack))


def never_above_the_cap(stack: "Stack") -> int:
    """Raise if the external system ever counted more clients than the cap.

    Return the highest count.
    """
    most = max((move["count"] for move in _moves(stack)), default=0)
    gate = gate_of(stack)
    cap = int(gate["cap"]) if gate is not None else 0
    if most > cap:
        raise BrokenGateError(f"the external system counted {most} clients, the cap is {cap}")
    return most


def fill_up(stack: "Stack", gate: dict[str, Any]) -> None:
    """Upload another batch when few tasks are left. Do nothing while a server is down."""
    left = stack.sql(
        "SELECT coalesce(sum(b.pending), 0) FROM admission_taskbatch b JOIN admission_gate g"
        " ON g.id = b.gate_id WHERE g.slug = %s AND b.finished_at IS NULL",
        GATE,
    )[0][0]
    if left >= FEW_TASKS:
        return
    path = stack.folder / "tasks.csv"
    path.write_text("\n".join(f"{gate['prefix']}{n:05d},x" for n in range(int(gate["devices"]))))
    opens, closes = (
        time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + seconds))
        for seconds in (0, DAY_SECONDS)
    )
    stack.manage("gate", "batch", GATE, str(path), "--opens", opens, "--closes", closes)


def first_problem(stack: "Stack", begun_before: int) -> str:
    """Return what is red after a fault; "" if the gate works, and SQL agrees with Redis."""
    gate = gate_of(stack)
    if gate is None:
        return ""
    with stack.redis_client() as client:
        conf = client.hget(TAG, "conf")
    status = str(conf or "lost")[:1]
    if status != "o":
        return f"gate {GATE} is not open: {status}"
    fill_up(stack, gate)
    if begun(stack) == begun_before:
        return "the external system has begun no work since the fault"
    result = stack.manage("gate", "reconcile", "--check")
    if result.returncode:
        return f"gate reconcile --check: {(result.stdout + result.stderr).strip()[-600:]}"
    return ""


def at_rest(stack: "Stack") -> None:
    """Check, with nothing new to do, that no permit is held and every task has ended once."""
    if gate_of(stack) is None:
        return
    _cancel_batches(stack)
    until_right(lambda: _left(stack), REST_SECONDS, BrokenGateError)
    twice = stack.sql(
        "SELECT task, count(*) FROM admission_gateevent WHERE event IN ('done', 'failed')"
        " GROUP BY task HAVING count(*) > 1"
    )
    if twice:
        raise BrokenGateError(f"{len(twice)} tasks ended twice: {twice[:3]}")
    never_above_the_cap(stack)


def _cancel_batches(stack: "Stack") -> None:
    rows = stack.sql(
        "SELECT b.id FROM admission_taskbatch b JOIN admission_gate g ON g.id = b.gate_id"
        " WHERE g.slug = %s AND b.finished_at IS NULL",
        GATE,
    )
    for (batch,) in rows:
        stack.manage("gate", "cancel", GATE, str(batch), "--reason", "the campaign ends")


def _left(stack: "Stack") -> str:
    with stack.redis_client() as client:
        permits = client.zcard(f"{TAG}:permits") + client.zcard(f"{HOLDERS_TAG}:permits")
    if permits:
        return f"{permits} permits are held with nothing to do"
    rows = stack.sql(
        "SELECT t.state, count(*) FROM admission_task t JOIN admission_taskbatch b ON b.id ="
        " t.batch_id JOIN admission_gate g ON g.id = b.gate_id WHERE g.slug = %s"
        " AND t.state IN ('pending', 'issued') GROUP BY t.state",
        GATE,
    )
    return f"tasks without an end: {rows}" if rows else ""
