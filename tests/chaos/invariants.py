"""What must hold after each fault: judged by the switches, by SQL and by Redis."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from integrations.simulator.call_log import Overlap, find_overlaps
from tests.chaos.stack import Stack

HEAL_SECONDS = 60.0


class BrokenInvariantError(AssertionError):
    """Something that must never happen happened, or healing took longer than promised."""


@dataclass(frozen=True)
class Healed:
    """How long the stack took until every check was green again."""

    seconds: float
    checks: int


def no_number_in_two_calls(stack: Stack) -> None:
    """Raise if the switches' own logs show a number in two calls at one moment."""
    lines = [line for path in stack.call_logs for line in path.read_text().splitlines()]
    overlaps: list[Overlap] = find_overlaps(lines)
    if overlaps:
        raise BrokenInvariantError(f"{len(overlaps)} overlapping calls, first {overlaps[0]}")


def wait_until_healed(stack: Stack) -> Healed:
    """Poll until Redis equals SQL for every pool and the history has drained.

    Raises BrokenInvariantError after 60 s, naming what was still red.
    """
    started = time.monotonic()
    checks = 0
    while True:
        checks += 1
        red = [name for name, check in _CHECKS.items() if not check(stack)]
        elapsed = time.monotonic() - started
        if not red:
            return Healed(elapsed, checks)
        if elapsed > HEAL_SECONDS:
            raise BrokenInvariantError(f"not healed after {elapsed:.0f} s: {red}")
        time.sleep(1.0)


def every_number_is_back(stack: Stack) -> None:
    """With the switches at rest and their live lists empty, no number may be busy within 60 s."""
    deadline = time.monotonic() + HEAL_SECONDS
    while busy := stack.busy_numbers():
        if time.monotonic() > deadline:
            raise BrokenInvariantError(f"numbers still busy without a call: {busy}")
        time.sleep(0.5)


def _reconcile_is_green(stack: Stack) -> bool:
    return stack.manage("pool", "reconcile", "--check").returncode == 0


def _web_answers(stack: Stack) -> bool:
    return stack.all_webs_ready()


def _pools_are_open(stack: Stack) -> bool:
    return stack.all_pools_open()


_CHECKS: dict[str, Callable[[Stack], bool]] = {
    "every web process answers /readyz": _web_answers,
    "every pool is open": _pools_are_open,
    "manage.py pool reconcile --check exits 0": _reconcile_is_green,
}
