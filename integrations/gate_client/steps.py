"""The protocol without I/O: generators that yield what is to be done and are sent what came of it.

`transport.py` runs them, once with blocking calls and once with asyncio.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from . import clock
from .errors import RejectedError, UnreachableError
from .retrying import LONGEST_SECONDS, TRIES, pause_seconds, spread

T = TypeVar("T")
Body: TypeAlias = Mapping[str, Any]
# The outcome is open, or nothing was done: asking again is safe, since all that is asked here is
# answered alike however often it arrives.
_ASK_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
OK = 200


@dataclass(frozen=True, slots=True)
class Post:
    """To be posted as JSON; sent back: Reply, or NoReply."""

    path: str
    body: Body


@dataclass(frozen=True, slots=True)
class Pause:
    """To be waited; sent back: None. The runner may be stopped meanwhile."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """A task to be carried out by the handler; sent back: None."""

    task: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered. retry_after: seconds, when its header says so."""

    status: int
    body: Body
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class NoReply:
    """Nothing came, or nothing that can be read."""

    why: str


Step: TypeAlias = Post | Pause | Work
Steps: TypeAlias = Generator[Step, Any, T]


@dataclass(frozen=True, slots=True)
class Answer:
    """A body with status 200. asked_at: when that attempt was sent, by `clock.now()`."""

    body: Body
    asked_at: float = field(default_factory=clock.now)


def ask(path: str, body: Body, *, until: float | None = None, tries: int = TRIES) -> Steps[Answer]:
    """Post until there is an answer. until: no attempt begins after it, by `clock.now()`.

    Raises RejectedError when asking again is of no use, UnreachableError after the last attempt.
    """
    why = "the time was up"
    for attempt in range(tries):
        asked_at = clock.now()
        if until is not None and asked_at >= until:
            break
        reply: Reply | NoReply = yield Post(path, body)
        named = None
        if isinstance(reply, Reply):
            if reply.status == OK:
                return Answer(reply.body, asked_at)
            why = f"{reply.status} {reply.body.get('type') or ''}".strip()
            if reply.status not in _ASK_AGAIN:
                raise _rejected(reply)
            named = reply.retry_after
        else:
            why = reply.why
        if attempt + 1 < tries:
            yield Pause(_pause(attempt, named, until))
    raise UnreachableError(f"no answer to {path}: {why}")


def _rejected(reply: Reply) -> RejectedError:
    kind, detail = (str(reply.body.get(name) or "") for name in ("type", "detail"))
    return RejectedError(reply.status, kind, detail)


def _pause(attempt: int, named: float | None, until: float | None) -> float:
    seconds = pause_seconds(attempt)
    if named is not None:
        seconds = max(seconds, spread(min(named, 6 * LONGEST_SECONDS)))
    return seconds if until is None else max(0.0, min(seconds, until - clock.now()))
