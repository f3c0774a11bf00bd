"""Faults of absence: processes away for longer than what waits for them, or without memory."""

import random
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.chaos.catalogue import fault
from tests.chaos.stack import Stack

NOBODY_SECONDS = 40.0  # twice the longest lease of a job, many times a permit's guard
NO_WEB_SECONDS = 75.0  # longer than leases, permits, heartbeats and graceful ends of the stack
STARVED_SECONDS = 20.0
FULL_SECONDS = 15.0


@fault()
def no_workers(stack: Stack, _chance: random.Random) -> str:
    """Stop workers and scheduler: calls, desks, gates and sessions do not need them."""
    return _all_silent(stack, ("worker", "beat"), NOBODY_SECONDS)


@fault()
def no_timers(stack: Stack, _chance: random.Random) -> str:
    """Stop the timers: no due action runs, but requests still get correct answers."""
    return _all_silent(stack, ("timers",), NOBODY_SECONDS)


@fault()
def no_web(stack: Stack, _chance: random.Random) -> str:
    """Stop the web processes for longer than any lease, permit or heartbeat is valid."""
    return _all_silent(stack, ("web",), NO_WEB_SECONDS)


@fault()
def starve_worker(stack: Stack, chance: random.Random) -> str:
    """Give a worker and its children no more memory, so that any of their work may fail midway."""
    name = chance.choice([each for each in stack.processes if each.startswith("worker")])
    process = stack.processes[name].process
    pids = list(_group(process.pid)) if process is not None else []
    for pid in pids:
        _limit_memory(pid, _data_bytes(pid))
    time.sleep(STARVED_SECONDS)
    for pid in pids:
        _limit_memory(pid, resource.RLIM_INFINITY)
    return f"{name}, {len(pids)} processes, without memory for {STARVED_SECONDS:.0f} s"


@fault()
def full_redis(stack: Stack, _chance: random.Random) -> str:
    """Put Redis at maxmemory: it refuses what takes memory, loses nothing, and recovers."""
    with stack.redis_client() as client:
        client.config_set("maxmemory", "1")
        time.sleep(FULL_SECONDS)
        client.config_set("maxmemory", "0")
    return f"Redis at maxmemory for {FULL_SECONDS:.0f} s"


def _all_silent(stack: Stack, prefixes: tuple[str, ...], seconds: float) -> str:
    names = [name for name in stack.processes if name.startswith(prefixes)]
    for name in names:
        stack.processes[name].signal(signal.SIGSTOP)
    time.sleep(seconds)
    for name in names:
        stack.processes[name].signal(signal.SIGCONT)
    return f"SIGSTOP of {', '.join(names)} for {seconds:.0f} s"


def _group(leader: int) -> Iterator[int]:
    """Yield the processes of a group, by its leader."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                after_name = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(after_name[2]) == leader:
                    yield int(folder.name)


def _data_bytes(pid: int) -> int:
    """Return the bytes that a process has allocated."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


def _limit_memory(pid: int, most_bytes: int) -> None:
    """Limit the memory that a process can allocate. A process that has ended is ignored."""
    with suppress(ProcessLookupError):
        hard = resource.prlimit(pid, resource.RLIMIT_DATA)[1]
        resource.prlimit(pid, resource.RLIMIT_DATA, (most_bytes, hard))
