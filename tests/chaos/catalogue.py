"""The registry of faults: the definition of a fault, and every fault by its name.

A fault returns a description of what it did. `loses` marks faults after which Redis may lack what
it had acknowledged; `not_run` returns why a fault cannot be injected on this machine.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.chaos.stack import Stack

PAUSE_SECONDS = 20.0  # longer than the jobs' leases (15 s) and the small pools' (12 s)

Injection = Callable[[Stack, random.Random], str]


@dataclass(frozen=True)
class Fault:
    """A kind of fault. `not_run` returns why it cannot be injected on this stack, or ""."""

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
