"""Faults of a desk's people: visitors and agents who vanish, and some who come back."""

import random
import signal
import time

from tests.chaos.catalogue import PAUSE_SECONDS, fault
from tests.chaos.stack import Stack


@fault()
def kill_people(stack: Stack, chance: random.Random) -> str:
    """Kill one half of the people: visitors are gone for good, agents come back to their rooms."""
    name = chance.choice([name for name in stack.processes if name.startswith("people")])
    stack.processes[name].kill()
    return f"kill -9 of {name}"


@fault()
def pause_people(stack: Stack, _chance: random.Random) -> str:
    """Pause every page: waiting visitors keep their places, those in rooms continue or are lost."""
    for part in (1, 2):
        stack.processes[f"people-{part}"].signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    for part in (1, 2):
        stack.processes[f"people-{part}"].signal(signal.SIGCONT)
    return f"visitors and agents silent for {PAUSE_SECONDS:.0f} s"
