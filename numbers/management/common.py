"""What the verbs of `manage.py pool` share: who acts, the pool that a command line names."""

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
    """The pool of that slug. CommandError when there is none."""
    found = Pool.objects.select_related("account").filter(slug=slug).first()
    if found is None:
        raise CommandError(f"Pool {slug!r} not found. To create it: manage.py pool create {slug}")
    return found


def number_named(pool: Pool, text: str) -> Number:
    """A number of the pool, in any format. CommandError when the pool doesn't have it."""
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
    """Let the parser's verb run a function."""
    parser.set_defaults(run=lambda options: run(options, say))
