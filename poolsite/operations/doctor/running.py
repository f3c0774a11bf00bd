"""Runs the health checks and the examinations in parallel, each within its time limit."""

import threading
import time
from collections.abc import Collection, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace

import structlog
from django.db import DatabaseError, connections
from django.utils.translation import override
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.operations import health
from poolsite.operations.doctor import readings
from poolsite.operations.doctor.lines import AWAY, away, fail, hidden, ok
from poolsite.operations.registry import CHECKS, EXAMINATIONS, DoctorLine, Examination

LOG = structlog.get_logger(__name__)
MARKS = {"critical": "fail", "warning": "warn"}  # by a trouble's severity


@dataclass(frozen=True)
class DoctorRow:
    """A line, and the name of the check or examination that it comes from."""

    name: str
    line: DoctorLine

    def instead_of(self, old: str, new: str) -> "DoctorRow":
        """Return the row with the mark `new` if its mark is `old`."""
        return replace(self, line=replace(self.line, mark=new)) if self.line.mark == old else self


@dataclass(frozen=True)
class DoctorReport:
    """All rows in order. is_hanging: a thread still waits for a server that did not answer."""

    rows: tuple[DoctorRow, ...]
    is_hanging: bool

    def count(self, mark: str) -> int:
        return sum(row.line.mark == mark for row in self.rows)


def names() -> list[str]:
    """Return the names of all checks: settings, the health checks, the examinations."""
    return list(dict.fromkeys(["settings", *CHECKS, *EXAMINATIONS]))


def examine(chosen: Collection[str] = ()) -> DoctorReport:
    """Run the chosen checks, or all if none is chosen. A check that exceeds its time has failed."""
    readings.forget()
    rows = {row.name: [row] for row in _health_rows(chosen)}
    looking = {
        name: _begin(examination)
        for name, examination in EXAMINATIONS.items()
        if not chosen or name in chosen
    }
    began, is_hanging = time.monotonic(), bool(rows) and health.is_asking()
    for name, future in looking.items():
        seconds = EXAMINATIONS[name].seconds
        wait([future], timeout=max(0.0, began + seconds - time.monotonic()))
        is_hanging = is_hanging or not future.done()
        lines = future.result() if future.done() else [_silent(seconds)]
        rows[name] = [DoctorRow(name, line) for line in lines]
    # Another line reports a server that doesn't respond, unless only some checks were chosen.
    mark = "fail" if chosen else "skip"
    ordered = [row for name in names() for row in rows.get(name, ())]
    return DoctorReport(tuple(row.instead_of(AWAY, mark) for row in ordered), is_hanging)


def _silent(seconds: float) -> DoctorLine:
    return fail(
        f"No answer within {seconds:g} s", "See why the server that it asks doesn't answer."
    )


def _health_rows(chosen: Collection[str]) -> Iterator[DoctorRow]:
    """Return the result of /readyz as a text."""
    if chosen and not set(chosen) & set(CHECKS):
        return
    judgement = health.read()
    if judgement.incidents():
        # The first checks of a process load modules and open connections, so they get a second try.
        time.sleep(health.KEPT_SECONDS)
        judgement = health.read()
    told: list[health.CheckResult] = []
    with override("en"):
        for answer in judgement.answers:
            if chosen and answer.check.name not in chosen:
                continue
            cause = next((each for each in told if each.trouble == answer.trouble), None)
            if answer.trouble and cause:
                yield DoctorRow(answer.check.name, away(f"Unknown (see {cause.check.name})"))
            else:
                yield DoctorRow(answer.check.name, health_line(answer))
            told.append(answer)


def health_line(answer: health.CheckResult) -> DoctorLine:
    """Return the result of a health check as a line."""
    if answer.trouble is None:
        value = f"{answer.finding.value} {answer.finding.unit}".strip()
        return ok(f"{answer.check.label}: {value or 'OK'}")
    incident = answer.incident(answer.trouble)
    texts = " ".join(f"{text.rstrip('.')}." for text in (incident.title, incident.detail) if text)
    return DoctorLine(MARKS[answer.severity], hidden(texts), incident.remedy)


def _begin(examination: Examination) -> Future[list[DoctorLine]]:
    """Run it in a daemon thread: one that never returns doesn't keep the command running."""
    future: Future[list[DoctorLine]] = Future()
    threading.Thread(
        target=_look, args=(examination, future), daemon=True, name=f"doctor-{examination.name}"
    ).start()
    return future


def _look(examination: Examination, future: Future[list[DoctorLine]]) -> None:
    try:
        with override("en"):
            found = list(examination.look())
    except Exception as error:
        found = [_failed(examination, error)]
    finally:
        connections.close_all()
    future.set_result([DoctorLine(each.mark, hidden(each.found), each.remedy) for each in found])


def _failed(examination: Examination, error: Exception) -> DoctorLine:
    if isinstance(error, RedisError | hotpath.HotPathError):
        return away(f"Redis did not answer: {error}")
    if isinstance(error, DatabaseError):
        return away(f"SQL did not answer: {error}")
    LOG.warning("doctor.examination_failed", examination=examination.name, exc_info=error)
    return fail(
        f"This check failed: {type(error).__name__}: {error}",
        "Please report it, with what manage.py doctor -v 2 logs about it.",
    )
