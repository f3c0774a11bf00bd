"""What must be true after each fault: judged by the switches, by SQL and by Redis."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import redis

from integrations.simulator.call_log import find_overlaps
from tests.chaos import dispatch, gates, line, money
from tests.chaos.stack import Stack
from tests.support.waiting import patient

HEAL_SECONDS = 60.0
POLL_SECONDS = 0.5
KIND = "numbers.pool"


class BrokenInvariantError(AssertionError):
    """A forbidden state occurred, or healing took longer than promised."""


@dataclass(frozen=True)
class Healed:
    """How long the stack took until every check was green at once, and what was red last."""

    seconds: float
    last_red: str


def no_number_in_two_calls(stack: Stack) -> int:
    """Raise if the switches' own logs show a number in two calls at one moment.

    Return how many calls the logs have.
    """
    lines = _log_lines(stack)
    overlaps = find_overlaps(lines)
    if overlaps:
        raise BrokenInvariantError(f"{len(overlaps)} overlapping calls, first {overlaps[0]}")
    return sum('"begin"' in line for line in lines)


def _log_lines(stack: Stack) -> list[str]:
    """Return whole lines only: a switch may be writing its next one."""
    return [
        line
        for path in stack.call_logs
        for line in path.read_text().splitlines(keepends=True)
        if line.endswith("\n")
    ]


def wait_until_healed(stack: Stack) -> Healed:
    """Poll until everything is green at once: first the cheap checks, then a whole reconcile.

    Raise BrokenInvariantError after 60 s (of a quiet machine), naming what was still red.
    """
    started = time.monotonic()
    begun, sent = _calls_begun(stack), money.handed_over(stack)
    worked, served = gates.begun(stack), line.served(stack)
    talked = dispatch.begun(stack)
    red = "nothing"
    while True:
        problem = _first_problem(stack, begun, sent, worked, served, talked)
        elapsed = time.monotonic() - started
        if not problem:
            return Healed(elapsed, red)
        red = problem
        if elapsed > patient(HEAL_SECONDS):
            raise BrokenInvariantError(f"not healed after {elapsed:.0f} s: {problem}")
        time.sleep(POLL_SECONDS)


def _first_problem(
    stack: Stack, begun: dict[str, int], sent: int, worked: int, served: int, talked: int
) -> str:
    checks: tuple[Callable[[], object], ...] = (
        stack.webs_not_ready,
        stack.pools_not_open,
        lambda: _pools_without_new_calls(stack, begun),
        lambda: _reconcile(stack),
        lambda: money.first_problem(stack, sent),
        lambda: gates.first_problem(stack, worked),
        lambda: line.first_problem(stack, served),
        lambda: dispatch.first_problem(stack, talked),
    )
    for check in checks:
        try:
            problem = check()
        except (redis.RedisError, psycopg.Error, OSError) as error:
            problem = repr(error)
        if problem:
            return str(problem)
    return ""


def _reconcile(stack: Stack) -> str:
    result = stack.manage("pool", "reconcile", "--check")
    if result.returncode == 0:
        return ""
    return f"pool reconcile --check: {(result.stdout + result.stderr).strip()[-600:]}"


def _pools_without_new_calls(stack: Stack, begun: dict[str, int]) -> str:
    """Return a complaint about pools that have carried no call since the fault, or ""."""
    now = _calls_begun(stack)
    silent = [slug for slug in stack.pools if now[slug] == begun[slug]]
    return f"no call since the fault in {silent}" if silent else ""


def _calls_begun(stack: Stack) -> dict[str, int]:
    """Return how many calls each pool's switches had. Numbers tell the pools apart."""
    pool_of = {
        number: pool["slug"]
        for pool in stack.simulation["pools"]
        for switch in pool["switches"]
        for number in switch["lines"]
    }
    counts = dict.fromkeys(stack.pools, 0)
    for call in _begun(stack):
        counts[pool_of[call["number"]]] += 1
    return counts


def _begun(stack: Stack) -> Iterator[dict[str, Any]]:
    """Yield the beginnings of calls from the switches' logs."""
    records = (json.loads(line) for line in _log_lines(stack))
    return (record for record in records if record["op"] == "begin")


# -- at the end, with the switches at rest ---------------------------------------------------------


def everything_is_at_rest(stack: Stack, *, lossless: bool) -> None:
    """Check, without calls: all numbers idle, all records closed, all entries accounted for.

    lossless: nothing made Redis lose what it had acknowledged, so SQL must have every call of
    the switches' log. All of it within 60 s.
    """
    _until_green(
        (
            lambda: _busy(stack),
            lambda: _open_records(stack),
            lambda: _undrained(stack),
            lambda: _unaccounted_entries(stack),
            lambda: _calls_without_record(stack) if lossless else "",
            lambda: _reconcile(stack),
        )
    )


def _until_green(checks: Iterable[Callable[[], str]]) -> None:
    deadline = time.monotonic() + patient(HEAL_SECONDS)
    for check in checks:
        while problem := check():
            if time.monotonic() > deadline:
                raise BrokenInvariantError(problem)
            time.sleep(POLL_SECONDS)


def _busy(stack: Stack) -> str:
    busy = stack.busy_numbers()
    return f"numbers still busy without a call: {busy}" if busy else ""


def _open_records(stack: Stack) -> str:
    rows = stack.sql(
        "SELECT p.slug, c.number, c.call_id, c.started_at::text FROM numbers_callrecord c"
        " JOIN numbers_pool p ON p.id = c.pool_id WHERE c.ended_at IS NULL"
    )
    return f"{len(rows)} call records are open in SQL: {rows[:3]}" if rows else ""


def _undrained(stack: Stack) -> str:
    """Return why SQL is behind Redis, or "" if it is not."""
    rows = stack.sql("SELECT tag, generation, seq FROM history_cursor WHERE kind = %s", KIND)
    cursors = {tag: (str(generation), str(seq)) for tag, generation, seq in rows}
    for slug in stack.pools:
        fields = stack.pool_fields(slug)
        known = (fields.get("generation"), fields.get("seq"))
        if cursors.get(f"{{{slug}}}") != known:
            return f"history of {slug} is not drained: {known}, {cursors.get(f'{{{slug}}}')}"
    return ""


def _unaccounted_entries(stack: Stack) -> str:
    """Return gaps in a generation's entries 1, 2, 3 … that are not recorded as rows, or ""."""
    lives = stack.sql(
        "SELECT p.slug, e.generation, max(e.seq), count(*) FROM numbers_poolevent e"
        " JOIN numbers_pool p ON p.id = e.aggregate_id GROUP BY 1, 2"
    )
    gaps = {
        (tag, generation): int(missing)
        for tag, generation, missing in stack.sql(
            "SELECT tag, generation, sum(last_seq - first_seq + 1) FROM history_gaprecord"
            " WHERE kind = %s AND reason <> 'lost with Redis' GROUP BY 1, 2",
            KIND,
        )
    }
    holes = [
        (slug, generation, last - count)
        for slug, generation, last, count in lives
        if last - count != gaps.get((f"{{{slug}}}", generation), 0)
    ]
    return f"history with holes that no gap record explains: {holes}" if holes else ""


def _calls_without_record(stack: Stack) -> str:
    known = {row[0] for row in stack.sql("SELECT call_id FROM numbers_callrecord")}
    called = {call["call_id"] for call in _begun(stack)}
    missing = sorted(called - known)
    return f"{len(missing)} calls that SQL does not know: {missing[:3]}" if missing else ""
