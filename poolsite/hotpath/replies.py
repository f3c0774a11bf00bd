"""The reply to one Redis command, and whether the command was executed."""

import re
from dataclasses import dataclass

from redis.exceptions import RedisError

# Refusals that Redis returns before a script's first write (inside a script too, where it checks
# first whether the script has written), so nothing was changed.
_REFUSALS = frozenset(
    {
        "BUSY",
        "LOADING",
        "MASTERDOWN",
        "MAXCLIENTS",
        "MISCONF",
        "NOAUTH",
        "NOPERM",
        "NOREPLICAS",
        "OOM",
    }
    | {"READONLY", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK"}
)
_INSIDE_SCRIPT = re.compile(r"-(OOM|MISCONF|NOREPLICAS|READONLY) ")  # how Redis 6.2 wraps them


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error that Redis returned: `code` is its first word, `text` the whole."""

    code: str
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def surely_not_executed(self) -> bool:
        if self.code == "NOPERM":
            return "script" not in self.text  # inside a script it may come after a write
        return self.code in _REFUSALS

    @property
    def lacks_script(self) -> bool:
        """Whether the server lacks the script or function. Then nothing was executed."""
        return self.code == "NOSCRIPT" or self.text.startswith(
            ("ERR Function not found", "ERR unknown command 'FCALL'", "ERR unknown command `FCALL`")
        )

    @property
    def refuses_functions(self) -> bool:
        """Whether FUNCTION LOAD was refused: a server before Redis 7, or a right is missing."""
        return self.code == "NOPERM" or self.text.startswith("ERR unknown command")

    @property
    def forbids_calls(self) -> bool:
        """Whether the user may not call functions. Only FCALL itself is meant: no function can call
        it.
        """
        return self.code == "NOPERM" and "'fcall'" in self.text

    def redirect_from(self, node: str) -> str:
        """Return the node of "MOVED 3999 127.0.0.1:6381". An empty host means that of `node`."""
        host, _, port = self.text.split(" ")[2].rpartition(":")
        return f"{host or node.rpartition(':')[0]}:{port}"


@dataclass(frozen=True, slots=True)
class NotSent:
    """No connection: not a byte of the command left this process."""

    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Lost:
    """The command was sent, at least in part, and no reply came."""

    reason: str

    def __str__(self) -> str:
        return self.reason


Failure = ErrorReply | NotSent | Lost


def error_reply(text: str) -> ErrorReply:
    """Return the error for a text that Redis wrote on the wire."""
    if text.startswith("ERR max number of clients"):
        return ErrorReply("MAXCLIENTS", text)  # sent instead of the first reply
    wrapped = _INSIDE_SCRIPT.search(text)
    return ErrorReply(wrapped[1] if wrapped else text.partition(" ")[0], text)


def error_reply_of(error: RedisError) -> ErrorReply:
    """Return the error for redis-py's exception, which may have split off the code."""
    code = getattr(error, "status_code", None)
    return error_reply(f"{code} {error}" if code else str(error))
