"""`make chaos`: run the stack under load and inject faults repeatedly, from a printed seed.

Environment: SEED (default: random, printed), SECONDS (default 300), FAULTS (names, default all).
"""

import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos import acknowledged, dispatch, gates, line, meanwhile, money
from tests.chaos.faults import FAULTS
from tests.chaos.invariants import (
    BrokenInvariantError,
    everything_is_at_rest,
    no_number_in_two_calls,
    wait_until_healed,
)
from tests.chaos.redis_node import faketime_library
from tests.chaos.stack import Stack
from tests.support import programs

CALM_SECONDS = 5.0
DEFAULT_SECONDS = 300.0
BROKEN = (
    *(BrokenInvariantError, money.BrokenBooksError, gates.BrokenGateError),
    *(line.BrokenLineError, dispatch.BrokenDispatchError),
    *(acknowledged.LostError, meanwhile.BrokenMeanwhileError),
)


@dataclass
class Campaign:
    """One run: its faults, seed and length, and the results."""

    seed: int
    seconds: float
    names: Sequence[str]
    calm_seconds: float = CALM_SECONDS
    healed: dict[str, list[float]] = field(default_factory=dict)
    hurt: list[tuple[float, float]] = field(default_factory=list)  # Unix times: injected, healed
    not_run: dict[str, str] = field(default_factory=dict)
    lossless: bool = True
    acknowledged: dict[str, int] = field(default_factory=dict)

    def run(self, stack: Stack) -> int:
        """Inject every fault at least once, then at random until the time is up. Return how many.

        Raise BrokenInvariantError. The stack is already running, and rests afterwards.
        """
        chance = random.Random(self.seed)
        able = []
        for name in self.names:
            reason = FAULTS[name].not_run(stack)
            if reason:
                self.not_run[name] = reason
                say(f"{name}: NOT RUN: {reason}")
            else:
                able.append(name)
        wait_until_healed(stack)  # a fault while the load only starts would hurt something else
        deadline = time.monotonic() + self.seconds
        # Faults that lose data come last: until then everything acknowledged can be judged.
        queue = sorted(chance.sample(able, len(able)), key=lambda name: not FAULTS[name].loses)
        injected = 0
        while able and (queue or time.monotonic() < deadline):
            self._inject(stack, queue.pop() if queue else chance.choice(able), chance)
            injected += 1
        self._judge_at_rest(stack)
        return injected

    def _judge_at_rest(self, stack: Stack) -> None:
        """Let the load begin nothing new.

        Then compare all that was begun and acknowledged with SQL.
        """
        stack.rest_switches()
        stack.rest_senders()
        stack.rest_holders()
        stack.rest_people()
        stack.rest_fronts()
        everything_is_at_rest(stack, lossless=self.lossless)
        judged = money.books_are_at_rest(stack, lossless=self.lossless)
        say(
            f"chatbots at rest: {judged.delivered} messages of the gateway and {judged.messages} of"
            f" the books judged, {judged.unexplained} units unexplained"
        )
        gates.at_rest(stack)
        most = gates.never_above_the_cap(stack)
        say(f"devices at rest: {gates.begun(stack)} pieces of work, {most} at once at most")
        line.at_rest(stack)
        say(f"desks at rest: {line.served(stack)} served, judged {line.keeps_the_laws(stack)}")
        talks = dispatch.at_rest(stack, lossless=self.lossless)
        say(f"front-ends at rest: {dispatch.begun(stack)} of {talks} sessions came to a good end")
        calls = no_number_in_two_calls(stack)
        say(f"switches at rest: every number idle, every record closed; {calls} calls judged")
        self._judge_acknowledged(stack)

    def _judge_acknowledged(self, stack: Stack) -> None:
        """Compare what was acknowledged with SQL, unless a fault made Redis lose some of it."""
        if self.lossless:
            self.acknowledged = acknowledged.all_in_sql(stack)
            say(f"acknowledged, and found in SQL: {in_words(self.acknowledged)}")

    def _inject(self, stack: Stack, name: str, chance: random.Random) -> None:
        time.sleep(self.calm_seconds)
        fault = FAULTS[name]
        if fault.loses:
            self._judge_acknowledged(stack)
        self.lossless = self.lossless and not fault.loses
        say(f"{name} …")
        what, injected_at = "while it lasted", time.time()
        try:
            what = fault.inject(stack, chance)
            healed = wait_until_healed(stack)
            no_number_in_two_calls(stack)
            gates.never_above_the_cap(stack)
            line.keeps_the_laws(stack)
            dispatch.check(stack, lossless=self.lossless)
        except BROKEN as error:
            raise BrokenInvariantError(f"after {name} ({what}): {error}") from error
        self.healed.setdefault(name, []).append(healed.seconds)
        self.hurt.append((injected_at, time.time()))
        say(f"{name}: {what}; healed in {healed.seconds:.1f} s")

    def table(self) -> str:
        """Return a line per fault: how often it was injected, how long until all was green."""
        lines = [f"{'fault':<20}{'times':>6}{'median s':>10}{'worst s':>9}"]
        for name, seconds in sorted(self.healed.items()):
            median, worst = statistics.median(seconds), max(seconds)
            lines.append(f"{name:<20}{len(seconds):>6}{median:>10.1f}{worst:>9.1f}")
        return "\n".join(lines)


def main() -> int:
    """Return 0 if every invariant held after every fault, 1 if not, 2 for a bad request."""
    try:
        campaign = _campaign()
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that `finally` ends the stack
    say(f"SEED={campaign.seed} SECONDS={campaign.seconds:.0f} FAULTS={' '.join(campaign.names)!r}")
    folder = Path(tempfile.mkdtemp(prefix="poolsite-chaos-", dir="/tmp"))
    stack = Stack(folder, seed=campaign.seed, clock=wants_clock(campaign.names))
    try:
        stack.start()
        injected = campaign.run(stack)
    except (*BROKEN, RuntimeError) as error:
        stack.stop()
        say(campaign.table())
        say(f"BROKEN: {error}")
        say(f"again: make chaos SEED={campaign.seed}; logs in {folder}")
        return 1
    except (KeyboardInterrupt, SystemExit):
        say("ending …")
        stack.remove()
        return 130
    finally:
        stack.stop()
    say(campaign.table())
    say(f"{injected} faults, every invariant held. SEED={campaign.seed}")
    for name, reason in campaign.not_run.items():
        say(f"NOT RUN: {name}: {reason}")
    stack.remove()
    return 0


def _campaign() -> Campaign:
    """Read the environment. Raise ValueError with one sentence."""
    names = (os.environ.get("FAULTS") or " ".join(FAULTS)).split()
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        raise ValueError(f"No such faults: {' '.join(unknown)}. There are: {' '.join(FAULTS)}.")
    try:
        seed = int(os.environ.get("SEED") or random.randrange(2**31))
        seconds = float(os.environ.get("SECONDS") or DEFAULT_SECONDS)
    except ValueError as error:
        raise ValueError(f"SEED and SECONDS are numbers: {error}.") from error
    if not 0 <= seconds < float("inf"):
        raise ValueError("SECONDS is not a number of seconds.")
    return Campaign(seed, seconds, names)


def wants_clock(names: Sequence[str]) -> bool:
    return "step_clock" in names and bool(faketime_library() and programs.valkey_9())


def in_words(counted: Mapping[str, int]) -> str:
    """Return the figures as one phrase."""
    return ", ".join(f"{count} {name}" for name, count in counted.items())


def say(text: str) -> None:
    """Print a line of the run, with the time of day: the logs have it too."""
    print(f"{time.strftime('%H:%M:%S')} chaos: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
