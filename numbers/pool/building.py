"""Builds the commands of a pool from script, keys and arguments."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from numbers.pool.keys import PoolKeys
from numbers.pool.scripts import SCRIPTS
from poolsite.hotpath import Command

T = TypeVar("T")
_WITH_CHARGES = frozenset(("create", "destroy"))
_OF_THEIR_OWN = frozenset(("alias", "voucher", "charge", "charges"))  # not the keys of an event


def pool_command(
    script: str,
    slug: str,
    args: Sequence[str | int],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    keys = PoolKeys(slug)
    value = SCRIPTS[script]
    if script in _OF_THEIR_OWN:
        names = value.keys_of(keys.tag)
    else:
        names = (*keys.all, keys.charges) if script in _WITH_CHARGES else keys.all
    return Command(value, names, tuple(args), read, operation_id=repeat)
