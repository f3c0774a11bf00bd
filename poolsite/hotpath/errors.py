"""What can go wrong between a command and its reply."""


class HotPathError(Exception):
    """Base of all; a batch answers items with these instead of raising them."""


class Unavailable(HotPathError):  # noqa: N818  the contract's name
    """Redis could not be reached or refused: the command was surely not executed."""


class Full(Unavailable):
    """A server without memory refused what would have taken some; it runs what gives some back."""


class UnknownOutcome(HotPathError):  # noqa: N818  the contract's name
    """The command was sent and no reply came: it was executed once, or not at all."""


class ScriptFailed(HotPathError):  # noqa: N818  the contract's name
    """The script raised, or its reply could not be read. Earlier writes of the script stay."""


class AggregateRefused(HotPathError):  # noqa: N818  reads as the others
    """The aggregate itself refused a command, which changed nothing; `reason` is its own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ScriptHeaderError(ValueError):
    """A Lua file breaks the header's contract; the text names file and line."""
