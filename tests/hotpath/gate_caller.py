"""A process of one release at a gate: it acquires permits, renews them and releases them.

    python -m tests.hotpath.gate_caller URL NAME ROUNDS [PRELUDE]

PRELUDE: functions in place of the shipped ones, so that the process has another library. It prints
"ready" after its first round, waits for a line, and at the end prints the wrong outcomes.
"""

import asyncio
import sys
from contextlib import nullcontext
from pathlib import Path

from poolsite import hotpath
from poolsite.hotpath.scripts import preluded_with
from queueing.admission import gate
from tests.admission.gate_support import SLUG

TOGETHER = 5


async def one_round(path: hotpath.HotPath, holders: list[str]) -> list[str]:
    """Acquire in a batch, renew in a list, and release one by one."""
    wrong: list[str] = []

    def check(outcomes: list[gate.Permit | gate.Ended | hotpath.HotPathError]) -> None:
        for each in outcomes:
            is_right = each.granted if isinstance(each, gate.Permit) else None
            if not (is_right or (isinstance(each, gate.Ended) and each.done)):
                wrong.append(repr(each))

    permits = path.run_batch([gate.acquire(SLUG, holder) for holder in holders])
    check([*permits])
    held = [
        (holder, permit.token)
        for holder, permit in zip(holders, permits, strict=True)
        if isinstance(permit, gate.Permit)
    ]
    check(await path.arun(gate.requests(SLUG, [gate.to_renew(*each) for each in held])))
    check(await asyncio.gather(*(path.arun(gate.release(SLUG, *each)) for each in held)))
    return wrong


def main(url: str, name: str, rounds: str, prelude: str = "") -> None:
    with preluded_with(Path(prelude)) if prelude else nullcontext(), asyncio.Runner() as runner:
        path = hotpath.HotPath(url)
        holders = [f"{name}{place}" for place in range(TOGETHER)]
        wrong = runner.run(one_round(path, holders))
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(int(rounds)):
            wrong += runner.run(one_round(path, holders))
        print(wrong, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
