"""Faults of the dispatcher's peers: killed, or without response beyond the disconnect timer."""

import random
import signal
import time

from tests.chaos import dispatch
from tests.chaos.catalogue import PAUSE_SECONDS, fault
from tests.chaos.stack import Stack


def _one_of(side: str, chance: random.Random) -> str:
    return f"{side}-{chance.choice(dispatch.PARTS)}"


@fault()
def kill_instances(stack: Stack, chance: random.Random) -> str:
    """Kill half of the instances with their sessions: others continue, new ones go elsewhere."""
    name = _one_of("instances", chance)
    stack.processes[name].kill()
    return f"kill -9 of {name}"


@fault()
def pause_instances(stack: Stack, chance: random.Random) -> str:
    """Pause instances beyond the disconnect timer: they return with sessions that are over."""
    name = _one_of("instances", chance)
    stack.processes[name].signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    stack.processes[name].signal(signal.SIGCONT)
    return f"SIGSTOP of {name} for {PAUSE_SECONDS:.0f} s"


@fault()
def kill_fronts(stack: Stack, chance: random.Random) -> str:
    """Kill half of the front-ends: the instances free what they held for them."""
    name = _one_of("fronts", chance)
    stack.processes[name].kill()
    return f"kill -9 of {name}"
