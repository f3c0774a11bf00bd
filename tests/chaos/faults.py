"""The faults: each is injected once, and undone if it does not end by itself."""

import random
import signal
import time

from integrations.simulator.call_log import end_open_calls
from tests.chaos import (
    absence_faults,
    dispatch_faults,
    line_faults,
    many_faults,
    money_faults,
    redis_faults,
    sql_faults,
)
from tests.chaos.catalogue import FAULTS, PAUSE_SECONDS, fault
from tests.chaos.invariants import wait_until_healed
from tests.chaos.processes import ROOT
from tests.chaos.stack import POOLSITE, Stack
from tests.support.waiting import patient

# The modules register their own.
__all__ = [
    "FAULTS",
    "absence_faults",
    "dispatch_faults",
    "fault",
    "line_faults",
    "many_faults",
    "money_faults",
    "redis_faults",
    "sql_faults",
]

BOOK_POINTS = ("billing.before_commit", "billing.after_commit", "billing.after_trim")
DOOMED_SECONDS = 60.0


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
def kill_timers(stack: Stack, chance: random.Random) -> str:
    return _kill(stack, "timers", chance)


@fault()
def pause_timers(stack: Stack, chance: random.Random) -> str:
    """The other one takes its shards over; this one must not act on what it believed before."""
    return _pause(stack, "timers", chance)


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
    slow = stack.replace(*POOLSITE)
    return "rolling restart" + (f", had to kill {slow}" if slow else "")


def _has_no_former_release(stack: Stack) -> str:
    return "" if stack.release != ROOT else "only in tests/chaos/test_upgrade.py"


@fault(not_run=_has_no_former_release)
def upgrade(stack: Stack, _chance: random.Random) -> str:
    """From the former release to this one: first one process of each kind, later the others.

    In between, processes of both releases serve the load until everything is well.
    """
    stack.migrate_to_this_release()
    slow = stack.replace("web-1", "timers-1", "worker-1")
    wait_until_healed(stack)
    slow += stack.replace("web-2", "timers-2", "worker-2", "beat")
    return "upgrade in two halves" + (f", had to kill {slow}" if slow else "")


@fault()
def kill_in_books(stack: Stack, chance: random.Random) -> str:
    """A worker dies in the persistence: before the commit, after it, after the trim."""
    point = chance.choice(BOOK_POINTS)
    doomed = stack.doomed_worker(point)
    deadline = time.monotonic() + patient(DOOMED_SECONDS)
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


# -- what switches send ----------------------------------------------------------------------------


@fault()
def late_events(stack: Stack, _chance: random.Random) -> str:
    """Duplicated, late and reordered events are the simulator's daily life: give them 10 s more."""
    time.sleep(10.0)
    return "10 s of duplicated, late and reordered events alone"
