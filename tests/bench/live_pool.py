"""Make a pool with numbers that are up, for the rows about live views.

A program for a migrated database: `live_pool.py <slug> <numbers>`.
"""

import sys

import poolsite  # noqa: F401  first: see poolsite/__init__.py

FIRST = 13_800_000_000
ROWS_AT_ONCE = 1_000


def main(slug: str, count: str) -> None:
    import django

    django.setup()
    from numbers import pool
    from numbers.models import Number, Pool
    from poolsite import hotpath

    row = Pool.objects.create(slug=slug, name=slug)
    values = [str(FIRST + step) for step in range(int(count))]
    Number.objects.bulk_create(
        [Number(pool=row, value=value, canonical=f"+86{value}") for value in values],
        batch_size=ROWS_AT_ONCE,
    )
    hotpath.run(pool.create(slug, row.generation, pool.PoolSettings()))
    for start in range(0, len(values), ROWS_AT_ONCE):
        part = [pool.StoredNumber(value, up=True) for value in values[start : start + ROWS_AT_ONCE]]
        hotpath.run(pool.load(slug, part))


if __name__ == "__main__":
    main(*sys.argv[1:])
