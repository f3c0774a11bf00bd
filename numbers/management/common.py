"""Shared parts of `manage.py pool`: the actor, and the pool or number of the arguments."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError

from numbers import selectors
from numbers.models import Number, Pool
from poolsite import number_format

ACTOR = "manage.py pool"
Say = Callable[[str], object]
Run = Callable[[dict[str, Any], Say], None]


def pool_named(slug: str) -> Pool:
    """Return the pool with this slug. Raise CommandError if there is none."""
    found = Pool.objects.select_related("account").filter(slug=slug).first()
    if found is None:
        raise CommandError(f"Pool {slug!r} not found. To create it: manage.py pool create {slug}")
    return found


def number_named(pool: Pool, text: str) -> Number:
    """Return a number of the pool, given in any format. Raise CommandError if the pool lacks it."""
    found = number_format.normalise(text)
    row = None
    if isinstance(found, number_format.Normalised):
        row = selectors.number_of_pool(pool, found.value)
    if row is None:
        raise CommandError(f"Number {text!r} is not in the pool {pool.slug}.")
    row.pool = pool
    return row


def add_reason(parser: Any, *, needed: bool = False) -> None:
    """Add --reason."""
    parser.add_argument("--reason", default="", required=needed, help="kept in the audit log")


def add_run(parser: Any, run: Run, say: Say) -> None:
    """Run a function for the parser's verb."""
    parser.set_defaults(run=lambda options: run(options, say))
