"""A program that makes pools with offline numbers and a switch, or ends a call as an operator."""

import sys

import django


def make(prefix: str, pools: str, first: str) -> None:
    """Make `pools` pools of three unregistered numbers. Print their switches' tokens."""
    django.setup()
    from numbers import services

    for serial in range(int(pools)):
        pool = services.pool_create(actor="test", slug=f"{prefix}-{serial}")
        values = [str(int(first) + 100 * serial + index) for index in range(3)]
        services.numbers_add(actor="test", pool=pool, values=values)
        _, secret = services.switch_create(actor="test", pool=pool, name="fs-01", kind="media")
        print(secret)


def end(slug: str, number: str) -> None:
    """End the number's call, as an operator does on its page."""
    django.setup()
    from numbers import services
    from numbers.models import Number

    row = Number.objects.get(pool__slug=slug, value=number)
    services.number_force_hangup(actor="test", number=row, reason="a test")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:])
    else:
        end(*sys.argv[2:])
