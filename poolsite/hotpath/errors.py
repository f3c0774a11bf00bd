"""The errors of commands and of Lua files."""


class HotPathError(Exception):
    """Base of all hot path errors. A batch returns these errors instead of raising them."""


class Unavailable(HotPathError):  # noqa: N818  the contract's name
    """Redis could not be reached, or it refused: the command was surely not executed."""


class Full(Unavailable):
    """A server without memory refused a command that needs memory. It runs those that free some."""


class UnknownOutcome(HotPathError):  # noqa: N818  the contract's name
    """The command was sent and no reply came: it was executed once, or not at all."""


class ScriptFailed(HotPathError):  # noqa: N818  the contract's name
    """The script failed, or its reply could not be read. Its earlier writes stay."""


class AggregateRefused(HotPathError):  # noqa: N818  reads as the others
    """The aggregate itself refused a command, which changed nothing. `reason` is its own code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ScriptHeaderError(ValueError):
    """A Lua file breaks the contract of the header. The text names file and line."""
