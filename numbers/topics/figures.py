"""`numbers.pool:<slug>`: one pool's figures. `numbers.pools:<account or all>`: a row per pool."""

from collections import deque
from typing import Any

from numbers import pool
from numbers.models import Pool
from numbers.pool.changes import ENDINGS, read_move
from numbers.topics.scope import PoolTopic
from poolsite import hotpath, live
from poolsite.live.lists import AggregateListTopic
from poolsite.live.tail import version_at

CLOCK_SECONDS = 1.0  # resting and waiting change without an event
MEAN_OF_CALLS = 500
CALLS_PER_READ = 100  # a sample of a busy pool's hundreds


def figures_of(found: pool.PoolFigures | None) -> dict[str, Any]:
    """Return a pool's figures as pages get them. `status` is "missing" if Redis has no such pool.

    `lag`: history entries that SQL does not have yet. `dropped`: entries that it will never get.
    """
    if found is None:
        return {"status": "missing"}
    return {
        "status": found.status,
        "numbers": found.numbers,
        "idle_up": found.idle_up,
        "idle_down": found.idle_down,
        "busy_up": found.busy_up,
        "busy_down": found.busy_down,
        "quarantined": found.quarantined,
        "resting": found.resting,
        "pickable": found.pickable,
        "waiting": found.waiting,
        "old_calls": found.old_calls,
        "offered": found.offered,
        "carried": found.carried,
        "carried_in": found.carried_in,
        "blocked": found.blocked,
        "lag": found.seq - found.drained,
        "dropped": found.dropped,
        "awaiting": list(found.awaiting),
        "open_at_us": found.open_at_us,
    }


@live.register
class PoolFiguresTopic(PoolTopic, live.StateTopic):
    """The figures of `figures_of`, and the mean length of about 500 recently ended calls, in s.

    A change is the new state.
    """

    name = "numbers.pool"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if ":" in key:
            raise ValueError(f"not a pool: {key!r}")
        self._lengths: deque[float] = deque(maxlen=MEAN_OF_CALLS)
        self._measured = -1

    async def look(self) -> live.Snapshot:
        await self.tail.read()
        self._measure_calls()
        found = await hotpath.arun(pool.show(self.slug))
        version = version_at(found.generation, found.seq) if found else 0
        return live.Snapshot(version, {**figures_of(found), "mean_call_seconds": self._mean()})

    def _measure_calls(self) -> None:
        """Add the calls that ended since the last read."""
        version = self.tail.version
        entries = self.tail.since(self._measured)
        if entries is None:
            self._lengths.clear()
            entries = self.tail.remembered()
        left = CALLS_PER_READ
        for entry in reversed(entries):
            text = entry.value("e")
            if not left:
                break
            if text.startswith(ENDINGS):
                move = read_move(text)
                if move.was_in_call and move.since_us:
                    # The clock may have been set back since the call began.
                    self._lengths.append(max(0, int(entry.value("at")) - move.since_us) / 1e6)
                    left -= 1
        self._measured = version

    def _mean(self) -> float | None:
        lengths = self._lengths
        return round(sum(lengths) / len(lengths), 1) if lengths else None

    def due_seconds(self) -> float | None:
        figures = self.last or {}
        moving = figures.get("resting") or figures.get("waiting")
        return CLOCK_SECONDS if moving else None


@live.register
class PoolListTopic(AggregateListTopic):
    """Every pool of an account, or of the platform and all accounts: slug → figures and name."""

    name = "numbers.pools"
    model = Pool
    action = "numbers.view"
    show = staticmethod(pool.show)
    figures = staticmethod(figures_of)
