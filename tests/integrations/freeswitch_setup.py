"""Makes a pool with offline numbers and a switch, or ends a call as an operator. A program."""

import inspect
import sys

import django


def make(slug: str, first: str, count: str) -> None:
    """Make a pool of that many numbers, none of them registered; print the switch's token."""
    django.setup()
    from numbers import services

    pool = services.pool_create(actor="test", slug=slug)
    values = [str(int(first) + index) for index in range(int(count))]
    services.numbers_add(actor="test", pool=pool, values=values)
    kinds = "kind" in inspect.signature(services.switch_create).parameters
    options = {"kind": "media"} if kinds else {}
    _, secret = services.switch_create(actor="test", pool=pool, name="fs-01", **options)
    print(secret)


def end(slug: str, number: str) -> None:
    """End the number's call, as an operator does on its page."""
    django.setup()
    from numbers import services
    from numbers.models import Number

    row = Number.objects.get(pool__slug=slug, value=number)
    services.number_force_hangup(actor="test", number=row, reason="a test")


if __name__ == "__main__":
    {"make": make, "end": end}[sys.argv[1]](*sys.argv[2:])
