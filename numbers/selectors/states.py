"""Live figures and states, read from Redis for pages and answers, never for decisions."""

import logging
from collections.abc import Mapping, Sequence

from numbers import pool as commands
from poolsite import hotpath

logger = logging.getLogger(__name__)

NUMBERS_AT_ONCE = 1_000


def pool_live(slugs: Sequence[str]) -> dict[str, commands.PoolFigures | None]:
    """Return each pool's current figures, or None if Redis doesn't have it or is unavailable."""
    found = hotpath.run_batch([commands.show(slug) for slug in slugs])
    figures: dict[str, commands.PoolFigures | None] = {}
    for slug, its in zip(slugs, found, strict=True):
        if isinstance(its, hotpath.HotPathError):
            logger.warning("numbers: figures of %s: %s", slug, its)
            figures[slug] = None
        else:
            figures[slug] = its
    return figures


def live_numbers(
    by_pool: Mapping[str, Sequence[str]],
) -> tuple[int, dict[tuple[str, str], commands.NumberState]]:
    """Return states, (slug, value) → state, and the latest moment of reading, µs (0: none).

    Numbers that Redis does not have, and pools that can't be read, are left out.
    """
    asked = [
        (slug, values[start : start + NUMBERS_AT_ONCE])
        for slug, values in by_pool.items()
        for start in range(0, len(values), NUMBERS_AT_ONCE)
    ]
    parts = hotpath.run_batch([commands.states(slug, values) for slug, values in asked])
    states: dict[tuple[str, str], commands.NumberState] = {}
    as_of = 0
    for (slug, _), part in zip(asked, parts, strict=True):
        if isinstance(part, hotpath.HotPathError):
            logger.warning("numbers: states of %s: %s", slug, part)
        elif part is not None:
            as_of = max(as_of, part.as_of_us)
            states |= {(slug, value): state for value, state in part.by_number.items()}
    return as_of, states
