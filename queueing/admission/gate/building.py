"""Builds the commands of a gate: script, keys, arguments."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from poolsite.hotpath import Command
from queueing.admission.gate.keys import GateKeys
from queueing.admission.gate.scripts import SCRIPTS

T = TypeVar("T")


def gate_command(
    script: str,
    slug: str,
    args: Sequence[str | int],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    """Return a command of a gate.

    `repeat`: the operation ID of a command that may be run again after a lost reply.
    """
    definition = SCRIPTS[script]
    return Command(
        definition, definition.keys_of(GateKeys(slug).tag), tuple(args), read, operation_id=repeat
    )
