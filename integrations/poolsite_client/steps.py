"""The protocol without I/O, as generators that yield steps and receive the result of each.

`transport.py` runs them, once with blocking calls and once with asyncio.
"""

import uuid
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from . import clock
from .errors import RejectedError, UnreachableError
from .retrying import LONGEST_SECONDS, TRIES, pause_seconds, spread

T = TypeVar("T")
Body: TypeAlias = Mapping[str, Any]
Item: TypeAlias = Body | RejectedError  # of a batch: its answer, or the reason of its refusal
# The outcome is unknown, or nothing was done. A retry is safe, because every request here gets the
# same answer however often it arrives.
_ASK_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
DONE = (200, 201, 202)
ITEMS_PER_REQUEST = 1_000


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to send, with an optional JSON body. The result is Reply or NoReply.

    wait_seconds: how long the server itself may wait before it answers.
    """

    path: str
    body: Any = None
    method: str = "POST"
    key: str = ""
    wait_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause. The result is None. The runner may be stopped in the meantime."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """A task for the handler. The result is None."""

    task: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """The server's answer: a JSON object, or a list for a batch.

    retry_after: the seconds of the Retry-After header, if there is one.
    """

    status: int
    body: Any
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class NoReply:
    """No answer arrived, or it was unreadable."""

    why: str


Step: TypeAlias = Ask | Pause | Work
Steps: TypeAlias = Generator[Step, Any, T]


@dataclass(frozen=True, slots=True)
class Answer:
    """The body of a success. asked_at: when that attempt was sent, by `clock.now()`."""

    body: Any
    asked_at: float = field(default_factory=clock.now)


def ask(
    path: str,
    body: Any = None,
    *,
    method: str = "POST",
    key: str = "",
    until: float | None = None,
    tries: int = TRIES,
) -> Steps[Answer]:
    """Send a request, with retries, and return the answer.

    until: no attempt begins after this time of `clock.now()`. body: the data to send, or a function
    that creates it for each attempt. key: an Idempotency-Key, for requests without an ID of their
    own. Raise RejectedError if a retry would not help, UnreachableError after the last attempt.
    """
    why = "the time was up"
    for attempt in range(tries):
        asked_at = clock.now()
        if until is not None and asked_at >= until:
            break
        sent = body() if callable(body) else body
        reply: Reply | NoReply = yield Ask(path, sent, method, key, _wait_seconds(sent))
        named = None
        if isinstance(reply, Reply):
            if reply.status in DONE:
                return Answer(reply.body, asked_at)
            why = f"{reply.status} {reply.body.get('type') or ''}".strip()
            if reply.status not in _ASK_AGAIN:
                raise _rejected(reply.status, reply.body)
            named = reply.retry_after
        else:
            why = reply.why
        if attempt + 1 < tries:
            yield Pause(_pause(attempt, named, until))
    raise UnreachableError(f"no answer to {path}: {why}")


def new_id() -> str:
    """Return an ID for one request and its repeats."""
    return uuid.uuid4().hex


def ask_all(path: str, items: Sequence[Body]) -> Steps[list[Item]]:
    """Send the items of a batch in order, and return one answer for each.

    Items without a decision (the server was busy, or the outcome is unknown) are sent again
    together with all items that follow, so each item needs its own ID. Raise the errors of `ask` if
    a whole request gets no answer: earlier requests of up to 1,000 items may have been carried out.
    """
    told: list[Item] = []
    for first in range(0, len(items), ITEMS_PER_REQUEST):
        told += yield from _ask_some(path, items[first : first + ITEMS_PER_REQUEST])
    return told


def _ask_some(path: str, items: Sequence[Body]) -> Steps[list[Item]]:
    told: list[Item] = []
    for attempt in range(TRIES):
        answer = yield from ask(path, list(items[len(told) :]))
        found = [dict(each) for each in answer.body]
        open_from = next(
            (at for at, each in enumerate(found) if each["status"] in _ASK_AGAIN), len(found)
        )
        if open_from == len(found) or attempt + 1 == TRIES:
            return told + [_item(each) for each in found]
        told += [_item(each) for each in found[:open_from]]
        yield Pause(_pause(attempt, None, None))
    raise AssertionError("the last attempt returns")


def _item(body: Body) -> Item:
    return body if body["status"] in DONE else _rejected(body["status"], body)


def _wait_seconds(body: Any) -> float:
    wait_ms = body.get("wait_ms") if isinstance(body, Mapping) else None
    return wait_ms / 1_000 if isinstance(wait_ms, int) else 0.0


def _rejected(status: int, body: Body) -> RejectedError:
    kind, detail = (str(body.get(name) or "") for name in ("type", "detail"))
    return RejectedError(status, kind, detail, body)


def _pause(attempt: int, named: float | None, until: float | None) -> float:
    seconds = pause_seconds(attempt)
    if named is not None:
        seconds = max(seconds, spread(min(named, 6 * LONGEST_SECONDS)))
    return seconds if until is None else max(0.0, min(seconds, until - clock.now()))
