"""Permits: acquired, released, renewed, counted as in the seed, freed by an operator."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolsite.hotpath import Command
from queueing.admission.gate.building import gate_command
from queueing.admission.gate.reasons import check


@dataclass(frozen=True, slots=True)
class Permit:
    """The answer to acquire: a permit, or a place in the line.

    `deadline_us` is when the slot is free for others, `now_us` the gate's time of this answer
    (0: not granted). `place` counts from 1; None = there is no line, or nothing can be estimated.
    """

    granted: bool
    reason: str
    token: int = 0
    deadline_us: int = 0
    place: int | None = None
    estimate_seconds: int | None = None
    retry_seconds: int | None = None
    now_us: int = 0


def number(text: str) -> int | None:
    """A number of a reply; "" = None."""
    return int(text) if text else None


def _granted(reply: list[str]) -> Permit:
    token, deadline, reason, now = reply[1:5]
    return Permit(True, reason, int(token), int(deadline), now_us=int(now))


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
    )


def acquire(slug: str, holder: str) -> Command[Permit]:
    """A permit for a holder; the same holder gets the same permit until it ends."""
    return gate_command("acquire", slug, [holder], _permit, holder)


@dataclass(frozen=True, slots=True)
class Ended:
    """Whether something changed; else why not: not held, other token, late."""

    done: bool
    reason: str
    task: int | None = None


def _ended(reply: list[str]) -> Ended:
    check(reply)
    return Ended(reply[0] == "1", reply[3], number(reply[2]))


def release(
    slug: str, holder: str, token: int, *, ok: bool | None = None, took_ms: int | None = None
) -> Command[Ended]:
    """The holder gives its own permit back; `ok` and `took_ms` feed the adaptive cap.

    May be run again: the second time changes nothing and answers "not held".
    """
    words = [
        *(holder, str(token)),
        "" if ok is None else str(int(ok)),
        "" if took_ms is None else str(took_ms),
    ]
    return gate_command("release", slug, words, _ended, holder)


def renew(slug: str, holder: str, token: int) -> Command[Permit]:
    """The permit's deadline moves, up to the longest time since it was granted."""

    def read(reply: list[str]) -> Permit:
        check(reply)
        if reply[0] == "1":
            return _granted(reply)
        return Permit(False, reply[3])

    return gate_command("renew", slug, [holder, str(token)], read, holder)


def free(slug: str, holder: str, token: int, reason: str) -> Command[Ended]:
    """An operator ends a permit: a name, `@device` or `#token`. A task goes back to pending."""
    return gate_command("free", slug, [holder, str(token), reason], _ended, holder)


# -- the seed's own pair ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """`changed`: granted, or freed. `count`: permits in use after it."""

    changed: bool
    count: int


def _counted(reply: Sequence[str]) -> Counted:
    check(list(reply))
    return Counted(reply[0] == "1", int(reply[1]))


def incr(slug: str, limit: int | None = None) -> Command[Counted]:
    """An anonymous permit; no second run after a lost reply: the first may have got one."""
    return gate_command("incr", slug, [] if limit is None else [limit], _counted)


def decr(slug: str) -> Command[Counted]:
    """End the oldest anonymous permit; never below 0."""
    return gate_command("decr", slug, [], _counted)
