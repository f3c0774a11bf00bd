"""How every command of a pool is put together: its script, all its keys, its words."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from numbers.pool.keys import PoolKeys
from numbers.pool.scripts import SCRIPTS
from poolsite.hotpath import Command

T = TypeVar("T")


def pool_command(
    script: str,
    slug: str,
    args: Sequence[str | int],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    return Command(SCRIPTS[script], PoolKeys(slug).all, tuple(args), read, operation_id=repeat)
