"""The Lua files of the waiting line, loaded once, and the construction of a desk's commands."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from poolsite.hotpath import Command, load_folder
from queueing.line.desk.keys import DeskKeys

T = TypeVar("T")
SCRIPTS = load_folder("line", Path(__file__).parent.parent / "lua")


def desk_command(
    script: str,
    slug: str,
    args: Sequence[str | int],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    """Return a command with all keys. `repeat`: an operation ID, if running it twice is safe."""
    return Command(SCRIPTS[script], DeskKeys(slug).all, tuple(args), read, operation_id=repeat)
