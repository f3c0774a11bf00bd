"""Permits: acquire, release, renew, count anonymously, and free by an operator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from poolsite.hotpath import Command
from queueing.admission.gate.building import gate_command
from queueing.admission.gate.reasons import GateRefusedError, check

T = TypeVar("T")
REQUESTS_LIMIT: Final = 32  # in one call of requests


@dataclass(frozen=True, slots=True)
class Permit:
    """The reply to acquire: a permit, or a place in line.

    `deadline_us`: when the slot becomes free for others. `now_us`: the gate's time of this reply (0
    for a refused renewal). `place`: starts at 1; None if there is no line or nothing can be
    estimated. `waited_ms`: how long its request had waited when it was granted. `weight`: how many
    slots the permit takes, as the gate counts them.
    """

    granted: bool
    reason: str
    token: int = 0
    deadline_us: int = 0
    place: int | None = None
    estimate_seconds: int | None = None
    retry_seconds: int | None = None
    now_us: int = 0
    waited_ms: int = 0
    weight: int = 1


def number(text: str) -> int | None:
    """Return a number of a reply, or None for ""."""
    return int(text) if text else None


def _granted(reply: list[str]) -> Permit:
    token, deadline, reason, now, weight = reply[1:6]
    return Permit(True, reason, int(token), int(deadline), now_us=int(now), weight=int(weight or 1))


def _permit(reply: list[str]) -> Permit:
    check(reply)
    if reply[0] == "1":
        return _granted(reply)
    return Permit(
        granted=False,
        reason=reply[3],
        place=number(reply[1]),
        estimate_seconds=number(reply[2]),
        retry_seconds=number(reply[4]),
        now_us=int(reply[5]),
    )


@dataclass(frozen=True, slots=True)
class Ended:
    """Whether the permit ended, and if not, why: not held, other token, late."""

    done: bool
    reason: str
    task: int | None = None


def _ended(reply: list[str]) -> Ended:
    check(reply)
    return Ended(reply[0] == "1", reply[3], number(reply[2]))


def _renewed(reply: list[str]) -> Permit:
    check(reply)
    return _granted(reply) if reply[0] == "1" else Permit(False, reply[3])


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """A request of a named holder: acquire, renew, release or leave, alone or in a list."""

    verb: str
    arguments: tuple[str, ...]
    read: Callable[[list[str]], T]

    def command(self, slug: str) -> Command[T]:
        """Return the command for this request. It may be run again after a lost reply."""
        return gate_command(self.verb, slug, self.arguments, self.read, self.arguments[0])

    def row(self) -> str:
        return "\t".join((self.verb, *self.arguments))


def to_acquire(holder: str, weight: int = 1, *, waits: bool = False) -> Request[Permit]:
    """Request a permit for a holder. It counts as `weight` slots.

    The same holder gets the same permit until it ends. Refused with "other weight" if that permit
    has another weight, and with "weight over cap". `waits`: the caller asks again automatically, so
    a refusal is not counted.
    """
    return Request("acquire", _short(holder, _weight(weight), "1" if waits else ""), _permit)


def to_renew(holder: str, token: int, weight: int | None = None) -> Request[Permit]:
    """Request a later deadline, up to the longest time since the permit was granted.

    `weight` is the permit's own: after Redis lost its data, only the holder knows it (None: 1).
    """
    return Request("renew", _short(holder, str(token), _weight(weight)), _renewed)


def _short(*arguments: str) -> tuple[str, ...]:
    """Drop the empty arguments at the end. The first argument is always kept."""
    last = max((place for place, argument in enumerate(arguments) if argument), default=0)
    return arguments[: last + 1]


def _weight(weight: int | None) -> str:
    return "" if weight is None or weight == 1 else str(weight)


def to_leave(holder: str, token: int | None, at_us: int | None) -> Request[Ended]:
    """Report that a waiting caller has given up.

    This removes the turn of its last refusal (at `at_us`) and the permit `token` that it was
    granted, unless the holder has asked again since.
    """
    arguments = ("" if value is None else f"{value:016d}" for value in (token, at_us))
    return Request("leave", (holder, *arguments), _ended)


def to_release(
    holder: str, token: int, *, ok: bool | None = None, took_ms: int | None = None
) -> Request[Ended]:
    """Release the holder's own permit. `ok` and `took_ms` adjust the adaptive cap.

    The second call changes nothing and is answered with "not held".
    """
    told = ("" if ok is None else str(int(ok)), "" if took_ms is None else str(took_ms))
    return Request("release", (holder, str(token), *told), _ended)


def requests(slug: str, batch: Sequence[Request[Any]]) -> Command[list[Any]]:
    """Return a command for up to REQUESTS_LIMIT requests of a gate, processed in order.

    Its result has one item per request: the result of the request's own command, or the
    GateRefusedError that it would raise. It may be run again after a lost reply. Raise ValueError
    if the batch is empty or too long.
    """
    if not 0 < len(batch) <= REQUESTS_LIMIT:
        raise ValueError(f"a batch has 1 to {REQUESTS_LIMIT} requests, not {len(batch)}")

    def read(reply: list[str]) -> list[Any]:
        check(reply)  # refused as a whole; a row has tabs
        return [_outcome(request, row) for request, row in zip(batch, reply, strict=True)]

    command = gate_command(
        "requests", slug, [each.row() for each in batch], read, batch[0].arguments[0]
    )
    return replace(command, gives_back=all(each.verb != "acquire" for each in batch))


def _outcome(request: Request[Any], row: str) -> Any:
    try:
        return request.read(row.split("\t"))
    except GateRefusedError as refused:
        return refused


def acquire(slug: str, holder: str, weight: int = 1) -> Command[Permit]:
    return to_acquire(holder, weight).command(slug)


def release(
    slug: str, holder: str, token: int, *, ok: bool | None = None, took_ms: int | None = None
) -> Command[Ended]:
    return to_release(holder, token, ok=ok, took_ms=took_ms).command(slug)


def renew(slug: str, holder: str, token: int, weight: int | None = None) -> Command[Permit]:
    return to_renew(holder, token, weight).command(slug)


def leave(slug: str, holder: str, token: int | None, at_us: int | None) -> Command[Ended]:
    return to_leave(holder, token, at_us).command(slug)


def free(slug: str, holder: str, token: int, reason: str) -> Command[Ended]:
    """End a permit for an operator: a name, `@device` or `#token`. Its task is pending again."""
    return gate_command("free", slug, [holder, str(token), reason], _ended, holder)


# -- anonymous permits -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """`changed`: granted, or freed. `count`: permits in use afterwards."""

    changed: bool
    count: int


def _counted(reply: Sequence[str]) -> Counted:
    check(list(reply))
    return Counted(reply[0] == "1", int(reply[1]))


def incr(slug: str, limit: int | None = None) -> Command[Counted]:
    """Acquire an anonymous permit. Don't repeat it after a lost reply: it may have been granted."""
    return gate_command("incr", slug, [] if limit is None else [limit], _counted)


def decr(slug: str) -> Command[Counted]:
    """End the oldest anonymous permit. The count never falls below 0."""
    return gate_command("decr", slug, [], _counted)
