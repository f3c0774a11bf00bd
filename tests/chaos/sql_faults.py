"""Faults of PostgreSQL: killed, paused, its sessions ended, its answers lost."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos import meanwhile, money
from tests.chaos.catalogue import PAUSE_SECONDS, fault
from tests.chaos.meanwhile import BrokenMeanwhileError
from tests.chaos.resting import until_right
from tests.chaos.stack import Stack

BUSY_PAGE = "The database"
NEEDS_SQL = (meanwhile.DESKS,)  # a visit is a row: without SQL no visitor joins or is notified
NO_ROOM = "Free disk space for the database"
BITE_SECONDS = 40.0
FILLED_TABLES = (
    *("numbers_callrecord", "numbers_poolevent", "line_lineevent", "line_roomevent"),
    *("admission_gateevent", "admission_task", "dispatch_dispatchevent"),
    *("billing_journalentry", "billing_batch", "billing_message"),
)


@fault()
def kill_postgres(stack: Stack, chance: random.Random) -> str:
    """Kill PostgreSQL: hot paths still serve, pages say why they cannot, processes stay alive."""
    port = chance.choice(stack.web_ports)
    with _lives_on(stack), meanwhile.Reader.log_in(stack, port) as reader:
        stack.postgres.kill()
        begun = time.monotonic()
        try:
            done = meanwhile.all_go_on(stack, but=NEEDS_SQL)
            meanwhile.says(stack, "sql", "can't be reached", ready=False)
            reader.sees_unavailable("/pools/", BUSY_PAGE)
            time.sleep(chance.uniform(0.0, 5.0))
        finally:
            _remove_stale_lock(stack)
            stack.postgres.start()
        seconds = time.monotonic() - begun
        reader.sees("/pools/")
    return f"kill -9 of PostgreSQL, back after {seconds:.1f} s: {done}"


@contextmanager
def _lives_on(stack: Stack) -> Iterator[None]:
    """Check that none of our own processes ends during a fault of SQL alone."""
    starts = {name: process.starts for name, process in stack.processes.items()}
    yield
    dead = [name for name, count in starts.items() if stack.processes[name].starts != count]
    if dead:
        raise BrokenMeanwhileError(f"ended while SQL was away: {dead}")


def _remove_stale_lock(stack: Stack) -> None:
    """Remove the socket's lock file of a dead server, which can prevent a start.

    The data needs nothing.
    """
    for path in Path(stack.postgres.folder).glob(".s.PGSQL.*.lock"):
        path.unlink(missing_ok=True)


@fault()
def pause_postgres(stack: Stack, _chance: random.Random) -> str:
    """Pause PostgreSQL for longer than every lease: it takes connections and answers nothing."""
    begun = time.monotonic()
    with _lives_on(stack):
        stack.pause_postgres(signal.SIGSTOP)
        try:
            done = meanwhile.all_go_on(stack, but=NEEDS_SQL)
            meanwhile.says(stack, "sql", "can't be reached", ready=False)
            time.sleep(max(0.0, PAUSE_SECONDS - (time.monotonic() - begun)))
        finally:
            stack.pause_postgres(signal.SIGCONT)
    return f"SIGSTOP of PostgreSQL for {time.monotonic() - begun:.0f} s: {done}"


@fault(not_run=lambda stack: "" if stack.sql_disk.mounted else "only root may mount a tmpfs")
def fill_sql_disk(stack: Stack, _chance: random.Random) -> str:
    """Fill the disk of histories and books: no new rows until there is room again."""
    stack.move_to_small_disk(*FILLED_TABLES)
    refused = stack.sql_refusals()
    with _lives_on(stack):
        stack.sql_disk.fill()
        begun = time.monotonic()
        try:
            done = meanwhile.all_go_on(stack)
            until_right(lambda: _not_met(stack, refused), BITE_SECONDS)
            meanwhile.says(stack, "history", "SQL refuses writes", NO_ROOM, ready=True)
            meanwhile.incident(stack, "health.history", NO_ROOM)
            ahead = money.trimmed_too_early(stack)
        finally:
            stack.sql_disk.free()
    if ahead:
        raise money.BrokenBooksError(f"trimmed in Redis, and not in SQL: {ahead}")
    seconds = time.monotonic() - begun
    refusals = stack.sql_refusals() - refused
    return f"SQL's disk full for {seconds:.1f} s, {refusals} writes refused: {done}"


def _not_met(stack: Stack, refused_before: int) -> str:
    return "" if stack.sql_refusals() > refused_before else "the full disk of SQL was never met"


@fault()
def end_backends(stack: Stack, _chance: random.Random) -> str:
    ended = 0
    for _ in range(10):
        rows = stack.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        ended += len(rows)
        time.sleep(0.3)
    return f"{ended} SQL sessions ended by the server"


@fault()
def lose_commits(stack: Stack, chance: random.Random) -> str:
    """Lose the answers to SQL's commits: the drain must read again and double nothing."""
    hits = 0
    end = time.monotonic() + 8.0
    while time.monotonic() < end:
        stack.sql_proxy.set("cut-reply", faults=chance.randint(1, 3))
        time.sleep(0.4)
        hits += stack.sql_proxy.hits
    stack.sql_proxy.set("pass")
    return f"{hits} SQL connections cut at their reply"
