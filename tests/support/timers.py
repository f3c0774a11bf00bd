"""Let time pass in tests: do at once what `manage.py timers` would do."""

from collections import Counter
from dataclasses import fields
from typing import Any

from redis.exceptions import RedisError

from poolsite import hotpath, timers

ROUNDS = 200
TIMES = ("now_us", "next_us")


def let_time_pass(kind_name: str, *slugs: str) -> dict[str, int]:
    """Process the aggregates of a kind until nothing more is due. Return what was done, summed.

    slugs: only these aggregates; without any, every aggregate of the kind that is in Redis. Raise
    the runner's errors.
    """
    (kind,) = (kind for kind in timers.kinds() if kind.name == kind_name)
    done: Counter[str] = Counter()
    for slug in slugs or _slugs(kind):
        for _ in range(ROUNDS):
            visited = hotpath.run(kind.visit(slug))
            if visited is None:
                break
            done.update(_counts(visited))
            if not visited.more:
                break
        else:
            raise AssertionError(f"{slug} always has more to do")
    return dict(done)


def _slugs(kind: timers.TimerKind) -> list[str]:
    try:
        tags = list(hotpath.client().scan_iter(match="{*}", count=1_000, _type="HASH"))
    except RedisError as error:
        raise hotpath.Unavailable(str(error)) from error
    return sorted(kind.slug_of(tag) for tag in tags if timers.kind_of(tag) is kind)


def _counts(visited: Any) -> dict[str, int]:
    counts = {}
    for field in fields(visited):
        value = getattr(visited, field.name)
        if field.name in TIMES:
            continue
        if isinstance(value, int):
            counts[field.name] = int(value)
        elif isinstance(value, list | tuple):
            counts[field.name] = len(value)
    return counts
