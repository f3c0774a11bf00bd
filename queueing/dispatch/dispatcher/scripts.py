"""The Lua files of the dispatcher, loaded once, and the builder of a group's commands."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from poolsite.hotpath import Command, load_folder
from queueing.dispatch.dispatcher.keys import GroupKeys

T = TypeVar("T")
SCRIPTS = load_folder("dispatch", Path(__file__).parent.parent / "lua")


def group_command(
    script: str,
    slug: str,
    args: Sequence[str | int],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    """Return a command of a group.

    `repeat`: the operation ID of a command that may be run again after a lost reply.
    """
    definition = SCRIPTS[script]
    return Command(
        definition, definition.keys_of(GroupKeys(slug).tag), tuple(args), read, operation_id=repeat
    )


def number(text: str) -> int | None:
    """Return a number of a reply, or None for ""."""
    return int(text) if text else None
