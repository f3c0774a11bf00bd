"""What came back for one Redis command, and what it says about whether it was executed."""

import re
from dataclasses import dataclass

from redis.exceptions import RedisError

# Refusals that Redis gives before a script's first write (inside a script too: it checks
# "dirty yet?" first), so nothing was changed.
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
    """Redis answered with an error: `code` is its first word, `text` the whole."""

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
        """The server does not hold the script or function; nothing was executed."""
        return self.code == "NOSCRIPT" or self.text.startswith(
            ("ERR Function not found", "ERR unknown command 'FCALL'", "ERR unknown command `FCALL`")
        )

    @property
    def refuses_functions(self) -> bool:
        """To FUNCTION LOAD: a server before Redis 7, or a user who may not load libraries."""
        return self.code == "NOPERM" or self.text.startswith("ERR unknown command")

    @property
    def forbids_calls(self) -> bool:
        """The user may not call functions. Said of FCALL itself: a function cannot call it."""
        return self.code == "NOPERM" and "'fcall'" in self.text

    def redirect_from(self, node: str) -> str:
        """The node of "MOVED 3999 127.0.0.1:6381"; an empty host means `node`, which answered."""
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
    """Sent, at least in part, and no reply came."""

    reason: str

    def __str__(self) -> str:
        return self.reason


Failure = ErrorReply | NotSent | Lost


def error_reply(text: str) -> ErrorReply:
    """Return an error as Redis wrote it on the wire."""
    if text.startswith("ERR max number of clients"):
        return ErrorReply("MAXCLIENTS", text)  # said instead of the first reply
    wrapped = _INSIDE_SCRIPT.search(text)
    return ErrorReply(wrapped[1] if wrapped else text.partition(" ")[0], text)


def error_reply_of(error: RedisError) -> ErrorReply:
    """Return the same from redis-py's exception, which takes the code off where it knows it."""
    code = getattr(error, "status_code", None)
    return error_reply(f"{code} {error}" if code else str(error))
