"""A switch's events for a pool, without I/O: calls, numbers, registrations, live lists."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict
from urllib.parse import quote

from . import clock
from .errors import RejectedError
from .steps import Body, Item, Steps, ask, ask_all, new_id

CLOCK_SET_BACK_US = 60_000_000


class Origin(TypedDict, total=False):
    """The origin of an event: the switch and its boot ID. `reason` is stored in the history."""

    switch: str
    incarnation: str
    reason: str


class CallWords(Origin, total=False):
    """The options of a call. Without `number`, the pool picks one.

    wait_ms: how long to wait for a number, in milliseconds. force: allow the call even while the
    number rests. sticky, near: False turns the pool's rule off for this call.
    """

    number: str
    agent: str
    callee: str
    direction: Literal["in", "out"]
    force: bool
    sticky: bool
    near: bool
    wait_ms: int


class HangupWords(Origin, total=False):
    """How a call ended: whether and for how long it was answered, and the release cause."""

    number: str
    answered: bool
    talk_seconds: int
    cause: str


class NumberWords(Origin, total=False):
    """The options of `add`, `del`, `reg` and `unreg`.

    contact, expires, seq: a registration's contact, its duration in seconds, and its order.
    """

    call_id: str
    contact: str
    expires: int
    seq: int


@dataclass(frozen=True, slots=True)
class EventResult:
    """The result of an event that was carried out.

    reason: empty, or `repeat`, `early`, `stale`, `old call`. lease_seconds: renew the call within
    this time. agent: for an inbound call, the agent who used the number last. as_of: the server's
    time in µs.
    """

    number: str
    state: str
    reason: str
    as_of: int
    lease_seconds: int | None
    agent: str | None


@dataclass(frozen=True, slots=True)
class LiveResult:
    """The pool's result for a live list, as pairs of call ID and number.

    hang_up: the IDs of calls that you must end now.
    """

    as_of: int
    renewed: int
    adopted: tuple[tuple[str, str], ...]
    released: tuple[tuple[str, str], ...]
    conflict: tuple[tuple[str, str], ...]
    lease_without_call: tuple[tuple[str, str], ...]
    call_without_lease: tuple[tuple[str, str], ...]
    hang_up: tuple[str, ...]


@dataclass
class PoolState:
    """A pool, and the newest server time that it has returned.

    A live list must contain that time.
    """

    slug: str
    as_of: int = 0

    def path(self, verb: str) -> str:
        """Return the path of one of the pool's routes."""
        return f"/api/v1/pools/{quote(self.slug, safe='')}/{verb}"

    def note(self, body: Body) -> Body:
        """Store the server time of an answer, unless a newer answer has overtaken it.

        A time that is a minute older is no such answer: the server's clock was set back.
        """
        as_of = int(body.get("as_of") or 0)
        if as_of > self.as_of or 0 < as_of < self.as_of - CLOCK_SET_BACK_US:
            self.as_of = as_of
        return body


def event(state: PoolState, words: Mapping[str, Any]) -> Steps[EventResult]:
    """Send one event. Raise RejectedError if the pool does not allow it."""
    until = clock.now() + words.get("wait_ms", 0) / 1_000
    try:
        answer = yield from ask(state.path("events"), lambda: _with_time_left(words, until))
    except RejectedError as error:
        state.note(error.body)
        raise
    return _result(state.note(answer.body))


def _with_time_left(words: Mapping[str, Any], until: float) -> Mapping[str, Any]:
    """Return the event with only the remaining waiting time, for the next attempt."""
    if "wait_ms" not in words:
        return words
    return {**words, "wait_ms": max(0, round((until - clock.now()) * 1_000))}


def call(state: PoolState, call_id: str, words: CallWords) -> Steps[EventResult]:
    """Begin a call. The same ID gets the same number."""
    return event(state, {"event": "call", "call_id": call_id, **words})


def hangup(state: PoolState, call_id: str, words: HangupWords) -> Steps[EventResult]:
    """End a call. Its number is free again after the pool's cooldown."""
    return event(state, {"event": "hangup", "call_id": call_id, **words})


def renew(state: PoolState, call_id: str, words: Origin) -> Steps[EventResult]:
    """Extend a call's use of its number for another lease."""
    return event(state, {"event": "renew", "call_id": call_id, **words})


def about_number(
    state: PoolState, verb: str, number: str, words: NumberWords
) -> Steps[EventResult]:
    """Send `add`, `del`, `reg` or `unreg` with a new ID, so that a repeat has no further effect."""
    return event(state, {"event": verb, "number": number, "call_id": new_id(), **words})


def send(
    state: PoolState, events: Sequence[Mapping[str, Any]]
) -> Steps[list["EventResult | RejectedError"]]:
    """Send many events in order, and return a result for each. Each event should have a `call_id`.

    Don't put a call and its hang-up into the same batch. If the answer is lost, the batch is sent
    again, and a call that has ended is refused.
    """
    told = yield from ask_all(state.path("events"), events)
    return [_told(state, item) for item in told]


def _told(state: PoolState, item: Item) -> "EventResult | RejectedError":
    if isinstance(item, RejectedError):
        state.note(item.body)
        return item
    return _result(state.note(item))


def _result(body: Body) -> EventResult:
    return EventResult(
        str(body.get("number") or ""),
        str(body.get("state") or ""),
        str(body.get("reason") or ""),
        int(body.get("as_of") or 0),
        body.get("lease_seconds"),
        body.get("agent"),
    )


def live(
    state: PoolState, switch: str, incarnation: str, calls: Iterable[tuple[str, str]]
) -> Steps[LiveResult]:
    """Report a switch's current calls as pairs of call ID and number ("" if unknown).

    List the calls only after the last answer of this pool has arrived.
    """
    listed = [
        {"call_id": call_id, "number": number} if number else {"call_id": call_id}
        for call_id, number in calls
    ]
    body = {"switch": switch, "incarnation": incarnation, "as_of": state.as_of, "calls": listed}
    answer = yield from ask(state.path("live"), body)
    told = state.note(answer.body)
    return LiveResult(
        int(told["as_of"]),
        int(told["renewed"]),
        _pairs(told, "adopted"),
        _pairs(told, "released"),
        _pairs(told, "conflict"),
        _pairs(told, "lease_without_call"),
        _pairs(told, "call_without_lease"),
        tuple(told.get("hang_up") or ()),
    )


def _pairs(body: Body, name: str) -> tuple[tuple[str, str], ...]:
    return tuple((each["call_id"], each.get("number") or "") for each in body.get(name) or ())
