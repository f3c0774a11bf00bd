"""The catalogue of faults: each is injected once, and undone if it does not end by itself."""

import random
import signal
import time
from collections.abc import Callable

from integrations.simulator.call_log import end_open_calls
from tests.chaos.stack import Stack

PAUSE_SECONDS = 12.0

Fault = Callable[[Stack, random.Random], str]
FAULTS: dict[str, Fault] = {}


def fault(injection: Fault) -> Fault:
    """Register a fault under its function's name; it returns what it did, in words."""
    FAULTS[injection.__name__] = injection
    return injection


def _one_of(stack: Stack, prefix: str, chance: random.Random) -> str:
    return chance.choice([name for name in stack.processes if name.startswith(prefix)])


def _kill(stack: Stack, prefix: str, chance: random.Random) -> str:
    name = _one_of(stack, prefix, chance)
    stack.processes[name].kill()
    return f"kill -9 of {name}"


def _pause(stack: Stack, prefix: str, chance: random.Random) -> str:
    name = _one_of(stack, prefix, chance)
    stack.processes[name].signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    stack.processes[name].signal(signal.SIGCONT)
    return f"SIGSTOP of {name} for {PAUSE_SECONDS:.0f} s"


@fault
def kill_web(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "web", chance)


@fault
def kill_worker(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "worker", chance)


@fault
def kill_beat(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "beat", chance)


@fault
def kill_switches(stack: Stack, chance: random.Random) -> str:
    """A switch that dies has no calls any more; its log, cut off, is ended for it."""
    what = _kill(stack, "switches", chance)
    ended = end_open_calls(stack.folder / f"calls-{what[-1]}.jsonl")
    return f"{what} with {ended} calls"


@fault
def pause_web(stack: Stack, chance: random.Random) -> str:
    return _pause(stack, "web", chance)


@fault
def pause_worker(stack: Stack, chance: random.Random) -> str:
    return _pause(stack, "worker", chance)


@fault
def kill_redis(stack: Stack, chance: random.Random) -> str:
    """The append-only file brings back all but the last second at most."""
    stack.redis.kill()
    time.sleep(chance.uniform(0.0, 2.0))
    stack.redis.start()
    return "kill -9 of Redis, started again from its AOF"


@fault
def flush_redis(stack: Stack, _chance: random.Random) -> str:
    with stack.redis_client() as client:
        client.flushall()
    return "FLUSHALL"


@fault
def empty_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.kill()
    for path in stack.redis.folder.glob("appendonlydir/*"):
        path.unlink()
    stack.redis.start()
    return "Redis killed and started without its data"


@fault
def kill_postgres(stack: Stack, chance: random.Random) -> str:
    stack.postgres.kill()
    seconds = chance.uniform(1.0, 8.0)
    time.sleep(seconds)
    stack.postgres.start()
    return f"kill -9 of PostgreSQL, back after {seconds:.1f} s"


@fault
def flush_scripts(stack: Stack, _chance: random.Random) -> str:
    with stack.redis_client() as client:
        client.script_flush()
    return "SCRIPT FLUSH"


@fault
def deploy(stack: Stack, _chance: random.Random) -> str:
    """A rolling restart: each web and worker process is ended in order, one after the other."""
    for name, process in stack.processes.items():
        if name.startswith(("web", "worker")) and process.process is not None:
            process.process.terminate()
            time.sleep(6.0)
    return "rolling restart of web and workers"
