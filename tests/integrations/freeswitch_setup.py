"""Makes a pool whose numbers are offline and a switch of it; prints the token. A program."""

import sys

import django


def main(slug: str, first: str, count: str) -> None:
    """Make a pool of that many numbers, none of them registered."""
    django.setup()
    from numbers import services

    made = services.pool_create(actor="test", slug=slug)
    values = [str(int(first) + index) for index in range(int(count))]
    services.numbers_add(actor="test", pool=made, values=values)
    _, secret = services.switch_create(actor="test", pool=made, name="fs-01")
    print(secret)


if __name__ == "__main__":
    main(*sys.argv[1:])
