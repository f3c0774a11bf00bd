"""The requests of devices, without I/O: report, carry out a task, deliver its result."""

import contextlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from . import clock
from .errors import PermitLost, TaskFailed, UnreachableError
from .lease import Lease, terms_of
from .retrying import LONGEST_SECONDS, spread
from .steps import Answer, Pause, Steps, Work, ask

logger = logging.getLogger(__name__)

RESULTS_PER_REPORT = 32
DATA_LIMIT_BYTES = 8_192


@dataclass(kw_only=True)
class Task(Lease):
    """A task for a device. The device stops working on it by the deadline."""

    name: str
    payload: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to a report: a task, or the reason why there is none and the time to ask again.

    outcomes: the gate's decision about each result, by task: accepted, repeat, late, unknown-task
    or unknown-token.
    """

    task: Task | None
    retry_after: float
    reason: str
    place: int | None
    outcomes: tuple[tuple[str, str], ...]


@dataclass
class Outcome:
    """The value that a handler returned."""

    data: Any = None


@dataclass
class DeviceState:
    """The data that a device stores between reports. A restart may lose it without harm."""

    name: str
    gate: str = ""
    results: list[dict[str, Any]] = field(default_factory=list)
    done_token: int = 0

    @property
    def path(self) -> str:
        """The route of the device's reports."""
        query = f"?gate={quote(self.gate, safe='')}" if self.gate else ""
        return f"/api/v1/devices/{quote(self.name, safe='')}/report{query}"

    def add_result(
        self, task: Task, *, ok: bool, data: Any = None, took_ms: int | None = None
    ) -> None:
        """Store a result until the gate has confirmed it."""
        result: dict[str, Any] = {"task": task.name, "token": task.token, "ok": ok}
        if data is not None:
            result["data"] = data
        if took_ms is not None:
            result["took_ms"] = took_ms
        self.results.append(result)
        self.done_token = max(self.done_token, task.token)

    def body(self, renew: int | None = None) -> dict[str, Any]:
        """Return the body of the next report."""
        body: dict[str, Any] = {"results": self.results[:RESULTS_PER_REPORT]}
        return body if renew is None else {**body, "renew": renew}

    def take(self, sent: Sequence[dict[str, Any]], answer: Answer) -> Told:
        """Read an answer. Forget the results that the gate has confirmed."""
        body = answer.body
        outcomes = tuple(
            (str(told["task"]), str(told["outcome"])) for told in body.get("results") or ()
        )
        for result, _ in zip(sent, outcomes, strict=False):
            if result in self.results:
                self.results.remove(result)
        return Told(
            _task(answer),
            float(body.get("retry_after") or 1),
            str(body.get("reason") or ""),
            body.get("place"),
            outcomes,
        )

    @contextlib.contextmanager
    def carrying_out(self, task: Task) -> Iterator[Outcome]:
        """Run a handler inside, and store what it returned or raised as the task's result.

        After PermitLost, no result is stored, because the gate assigns the task again.
        """
        began, outcome, ok = clock.now(), Outcome(), True
        self.done_token = max(self.done_token, task.token)
        try:
            yield outcome
            _require_json(outcome.data)
        except PermitLost as error:
            logger.warning("%s: no result, the permit was lost: %s", task.name, error)
            return
        except TaskFailed as error:
            ok, outcome.data = False, error.data
        except Exception as error:
            logger.exception("%s failed", task.name)
            ok, outcome.data = False, {"error": type(error).__name__}
        took_ms = int((clock.now() - began) * 1_000)
        self.add_result(task, ok=ok, data=outcome.data, took_ms=took_ms)


def _require_json(data: Any) -> None:
    if len(json.dumps(data).encode()) > DATA_LIMIT_BYTES:
        raise ValueError(f"a result has at most {DATA_LIMIT_BYTES} bytes as JSON")


def _task(answer: Answer) -> Task | None:
    body = answer.body
    if not body.get("task"):
        return None
    terms = terms_of(answer)
    return Task(
        name=str(body["task"]),
        payload=str(body.get("payload") or ""),
        attempt=int(body.get("attempt") or 1),
        token=terms.token,
        deadline=terms.deadline,
        signed=terms.signed,
        asked_at=terms.asked_at,
        ends_at=terms.ends_at,
    )


def report(
    state: DeviceState, *, renew: int | None = None, until: float | None = None
) -> Steps[Told]:
    """Send the waiting results. Return the task, or the time of the next report."""
    body = state.body(renew)
    answer = yield from ask(state.path, body, until=until)
    return state.take(body["results"], answer)


def renew(state: DeviceState, task: Task) -> Steps[None]:
    """Extend the deadline of the current task. Raise PermitLost if the device no longer has it."""
    task.check()
    told = yield from report(state, renew=task.token, until=task.ends_at)
    if told.task is not None and told.task.token == task.token:
        task.renewed(told.task)
    else:
        task.lose(told.reason or "not held")
    task.check()


def run(state: DeviceState) -> Steps[None]:
    """Report whenever the gate expects it, and carry out each task once.

    This ends only by raising RejectedError.
    """
    while True:
        try:
            told = yield from report(state)
        except UnreachableError as error:
            logger.warning("%s: %s", state.name, error)
            yield Pause(spread(LONGEST_SECONDS))
            continue
        task = told.task
        if task is not None and task.token > state.done_token and task.remaining_seconds:
            yield Work(task)
        else:
            yield Pause(spread(told.retry_after))
