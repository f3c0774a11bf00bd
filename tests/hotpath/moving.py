"""A slot of a Cluster that moves back and forth while commands run in every way."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from poolsite import hotpath
from tests.support.cluster import RedisCluster
from tests.support.waiting import until

TIMES = 6
UNDER_WAY = 60  # commands that may have run before a move and be answered after it


async def move_under_load(
    path: hotpath.HotPath,
    cluster: RedisCluster,
    slot: int,
    make: Callable[[str], hotpath.Command[Any]],
) -> list[str]:
    """Run `make(name)` with new names while the slot moves. Return the names, each executed once.

    Fail if a command has an error. At the end, the slot is on its original node.
    """
    ended = threading.Event()
    done: list[str] = []
    errors: list[hotpath.HotPathError] = []

    def note(names: list[str], outcomes: list[Any]) -> None:
        for name, outcome in zip(names, outcomes, strict=True):
            if isinstance(outcome, hotpath.HotPathError):
                errors.append(outcome)
            else:
                done.append(name)

    def threaded() -> None:
        for turn in range(100_000):
            if ended.is_set():
                return
            names = [f"s{turn}-{n}" for n in range(10)]
            note(names, path.run_batch([make(name) for name in names]))
            note([f"r{turn}"], [path.run(make(f"r{turn}"))])

    async def looped() -> None:
        for turn in range(100_000):
            if ended.is_set():
                return
            names = [f"a{turn}-{n}" for n in range(40)]
            note(names, await path.arun_batch([make(name) for name in names]))
            singles = [f"c{turn}-{n}" for n in range(20)]
            note(singles, await asyncio.gather(*(path.arun(make(name)) for name in singles)))

    def work_goes_on() -> None:
        """Return when the slot's new owner has certainly executed some commands."""
        goal = len(done) + UNDER_WAY
        until(lambda: len(done) > goal or errors)

    def mover() -> None:
        source = cluster.owner_of(slot)
        target = cluster.other_than(source)
        try:
            for owner in (target, source) * TIMES:
                cluster.move_slot(slot, owner)
                work_goes_on()
        finally:
            ended.set()

    thread = threading.Thread(target=threaded)
    thread.start()
    await asyncio.gather(asyncio.to_thread(mover), looped())
    thread.join()
    assert errors == []
    assert len(done) == len(set(done)) > 100
    return done
