"""`make chaos`: keep the stack under load and hurt it, again and again, from a printed seed.

Environment: SEED (default: random, printed), SECONDS (default 300), FAULTS (names, default all).
"""

import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.faults import FAULTS
from tests.chaos.invariants import (
    BrokenInvariantError,
    every_number_is_back,
    no_number_in_two_calls,
    wait_until_healed,
)
from tests.chaos.stack import Stack

CALM_SECONDS = 5.0


def main() -> int:
    """Return 0 when every invariant held after every fault."""
    seed = int(os.environ.get("SEED") or random.randrange(2**31))
    seconds = float(os.environ.get("SECONDS") or 300)
    names = (os.environ.get("FAULTS") or " ".join(FAULTS)).split()
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        sys.stderr.write(f"No such faults: {unknown}; there are {sorted(FAULTS)}.\n")
        return 2
    print(f"chaos: SEED={seed} SECONDS={seconds:.0f} FAULTS={' '.join(names)!r}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="poolsite-chaos-", dir="/tmp"))
    stack = Stack(folder, seed=seed)
    try:
        stack.start()
        injected = run(stack, names, chance=random.Random(seed), seconds=seconds)
    except BrokenInvariantError as error:
        print(f"chaos: BROKEN: {error}\nchaos: SEED={seed}, logs in {folder}", flush=True)
        return 1
    finally:
        stack.stop()
    print(f"chaos: {injected} faults, every invariant held. SEED={seed}")
    return 0


def run(stack: Stack, names: list[str], *, chance: random.Random, seconds: float) -> int:
    """Inject every named fault at least once, then by chance until the time is up."""
    deadline = time.monotonic() + seconds
    queue = chance.sample(names, len(names))
    injected = 0
    while queue or time.monotonic() < deadline:
        name = queue.pop() if queue else chance.choice(names)
        time.sleep(CALM_SECONDS)
        what = FAULTS[name](stack, chance)
        healed = wait_until_healed(stack)
        no_number_in_two_calls(stack)
        injected += 1
        print(f"chaos: {name}: {what}; healed in {healed.seconds:.1f} s", flush=True)
    stack.rest_switches()
    every_number_is_back(stack)
    no_number_in_two_calls(stack)
    return injected


if __name__ == "__main__":
    sys.exit(main())
