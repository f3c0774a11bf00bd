"""Faults of PostgreSQL: killed, paused, its sessions ended, its answers lost."""

import random
import signal
import time
from pathlib import Path

from tests.chaos.catalogue import PAUSE_SECONDS, fault
from tests.chaos.stack import Stack


@fault()
def kill_postgres(stack: Stack, chance: random.Random) -> str:
    stack.postgres.kill()
    seconds = chance.uniform(1.0, 8.0)
    time.sleep(seconds)
    _remove_stale_lock(stack)
    stack.postgres.start()
    return f"kill -9 of PostgreSQL, back after {seconds:.1f} s"


def _remove_stale_lock(stack: Stack) -> None:
    """Nothing to do for the data; a socket's lock file of a dead server can hinder a start."""
    for path in Path(stack.postgres.folder).glob(".s.PGSQL.*.lock"):
        path.unlink(missing_ok=True)


@fault()
def pause_postgres(stack: Stack, _chance: random.Random) -> str:
    stack.pause_postgres(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    stack.pause_postgres(signal.SIGCONT)
    return f"SIGSTOP of PostgreSQL for {PAUSE_SECONDS:.0f} s"


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
    """SQL commits, and the answer is lost: the drain must read again and double nothing."""
    hits = 0
    end = time.monotonic() + 8.0
    while time.monotonic() < end:
        stack.sql_proxy.set("cut-reply", faults=chance.randint(1, 3))
        time.sleep(0.4)
        hits += stack.sql_proxy.hits
    stack.sql_proxy.set("pass")
    return f"{hits} SQL connections cut at their reply"
