"""The faults: each is injected once, and undone if it does not end on its own."""

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

# The modules register their own faults.
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
    """Kill both workers at once: for a second or two no process sweeps or drains."""
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
    """Pause a timers process: the other takes its shards over.

    The paused process must not act on its old state afterwards.
    """
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
    """Do a rolling restart: each process ends in order and is ready again before the next one."""
    slow = stack.replace(*POOLSITE)
    return "rolling restart" + (f", had to kill {slow}" if slow else "")


def _has_no_former_release(stack: Stack) -> str:
    return "" if stack.release != ROOT else "only in tests/chaos/test_upgrade.py"


@fault(not_run=_has_no_former_release)
def upgrade(stack: Stack, _chance: random.Random) -> str:
    """Upgrade from the former release to this one: one process of each kind, later the others.

    In between, processes of both releases serve the load until everything is well.
    """
    stack.migrate_to_this_release()
    slow = stack.replace("web-1", "timers-1", "worker-1")
    wait_until_healed(stack)
    slow += stack.replace("web-2", "timers-2", "worker-2", "beat")
    return "upgrade in two halves" + (f", had to kill {slow}" if slow else "")


@fault()
def kill_in_books(stack: Stack, chance: random.Random) -> str:
    """Kill a worker during the persistence: before the commit, after it, after the trim."""
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
    """Run two schedulers for a while, then kill the first with its minute half done."""
    second = stack.second_beat()
    time.sleep(8.0)
    stack.processes["beat"].kill()
    time.sleep(2.0)
    second.stop()
    return "two beats for 8 s, the first killed"


# -- devices and the external system ---------------------------------------------------------------


@fault()
def kill_devices(stack: Stack, chance: random.Random) -> str:
    """Kill half of the devices: they forget what they did, but are served to their deadline."""
    return _kill(stack, "devices", chance)


@fault()
def pause_devices(stack: Stack, chance: random.Random) -> str:
    """Pause devices for longer than permits are valid: permits end, the results come late."""
    return _pause(stack, "devices", chance)


@fault()
def kill_external(stack: Stack, chance: random.Random) -> str:
    """Kill the external system: work is lost midway, no result is reported, permits expire."""
    return _kill(stack, "external", chance)


# -- the gateway and the chatbots ----------------------------------------------------------------


@fault()
def kill_gateway(stack: Stack, _chance: random.Random) -> str:
    """Kill the gateway: it comes back with its ledger and repeats reports not yet acknowledged."""
    stack.processes["gateway"].kill()
    return "kill -9 of the gateway"


@fault()
def pause_gateway(stack: Stack, chance: random.Random) -> str:
    """Pause the gateway: every report comes 20 s late, all at once."""
    return _pause(stack, "gateway", chance)


@fault()
def kill_senders(stack: Stack, _chance: random.Random) -> str:
    """Kill the chatbots between hold and hand-over: some messages are held and never sent."""
    stack.processes["senders"].kill()
    return "kill -9 of the chatbots"


# -- switches -----------------------------------------------------------------------------------


@fault()
def kill_switches(stack: Stack, chance: random.Random) -> str:
    """Kill a switch: its calls are gone, and its truncated log is completed with their ends."""
    what = _kill(stack, "switches", chance)
    ended = end_open_calls(stack.call_log(int(what[-1])))
    return f"{what} with {ended} calls"


@fault()
def pause_switches(stack: Stack, chance: random.Random) -> str:
    """Pause switches for longer than a lease, with every call up: their numbers stay taken."""
    return _pause(stack, "switches", chance)


# -- what switches send ----------------------------------------------------------------------------


@fault()
def late_events(stack: Stack, _chance: random.Random) -> str:
    """Let the simulator's usual duplicated, late and reordered events run for 10 s more."""
    time.sleep(10.0)
    return "10 s of duplicated, late and reordered events alone"
