"""Faults of what only an installation on many machines has: nginx, PgBouncer, a broker's Redis."""

import random
import time

from tests.chaos.catalogue import fault
from tests.chaos.many_machines import NGINX, POOLER, ManyMachines
from tests.chaos.stack import Stack


def _is_one_machine(stack: Stack) -> str:
    return "" if isinstance(stack, ManyMachines) else "only in row 22 and test_many_machines.py"


@fault(not_run=_is_one_machine)
def kill_nginx(stack: Stack, _chance: random.Random) -> str:
    """Kill nginx: every request under way and every websocket is cut off."""
    stack.processes[NGINX].kill()
    return "kill -9 of nginx"


@fault(not_run=_is_one_machine)
def kill_pooler(stack: Stack, _chance: random.Random) -> str:
    """Kill PgBouncer: every session with SQL ends in the middle of its transaction."""
    stack.processes[POOLER].kill()
    return "kill -9 of PgBouncer"


@fault(not_run=_is_one_machine)
def kill_broker(stack: Stack, chance: random.Random) -> str:
    """Kill the broker's Redis: jobs, cache and channels are away; Poolsite's processes survive."""
    assert isinstance(stack, ManyMachines)
    stack.broker.kill()
    seconds = chance.uniform(0.0, 3.0)
    time.sleep(seconds)
    stack.broker.start()
    return f"kill -9 of the broker's Redis, back after {seconds:.1f} s"
