"""A program that makes the pool and the token that the hot lane's rows use. It prints the token."""

import sys

import django


def main(slug: str, numbers: str) -> None:
    """Make a pool of `numbers` registered numbers."""
    django.setup()
    from numbers import pool, services
    from numbers.models import Number
    from poolsite import hotpath

    made = services.pool_create(actor="bench", slug=slug)
    values = [f"+86{13_000_000_000 + index}" for index in range(int(numbers))]
    Number.objects.bulk_create(
        [Number(pool=made, value=value, canonical=value, is_up=True) for value in values]
    )
    for start in range(0, len(values), pool.ROWS_LIMIT):
        rows = [
            pool.StoredNumber(value, up=True) for value in values[start : start + pool.ROWS_LIMIT]
        ]
        hotpath.run(pool.load(slug, rows))
    _, secret = services.switch_create(actor="bench", pool=made, name="fs-01")
    print(secret)


if __name__ == "__main__":
    main(*sys.argv[1:])
