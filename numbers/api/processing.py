"""Processes events for HTTP and websocket alike: checks, runs and answers them."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

from billing.services.calls import CallRefusedError
from numbers import pool, regions
from numbers.api import charging, waiting
from numbers.api.answers import Answered, answer_of, failure_of
from numbers.api.directory import PoolRef
from numbers.api.releasing import release_later
from numbers.api.server_time import server_time
from numbers.pool import Event, EventOutcome
from poolsite import hotpath
from poolsite.access import Principal, TokenScope
from poolsite.api.gather import Gatherer, run_lists
from poolsite.api.reading import MalformedError
from poolsite.per_loop import PerLoop

logger = logging.getLogger(__name__)


async def one(ref: PoolRef, principal: Principal, event: Event) -> Answered:
    """Run one event and return its answer."""
    try:
        check_event(principal, event)
        outcome = await _decide_one(ref, await _prepared(ref, event))
    except _FAILURES as error:
        return failure_of(error, as_of=await server_time().now_us())
    if outcome.release:
        release_later(ref.slug)
    return _answer(ref, outcome, await server_time().now_us())


_FAILURES = (PermissionError, MalformedError, CallRefusedError, hotpath.HotPathError)


async def _decide_one(ref: PoolRef, event: Event) -> EventOutcome:
    """Run one event. A call of a charged pool needs a hold first."""
    if ref.charged and event.event == "call":
        return await charging.call(ref, event, partial(_run_one, ref.slug))
    return await _run_one(ref.slug, event)


async def _run_one(slug: str, event: Event) -> EventOutcome:
    """Run one event together with those of other requests.

    An event that can't be repeated after a lost reply runs apart, so that the other events can be.
    """
    if event.wait_ms and event.event == "call":
        return await waiting.call(slug, event)
    return await _gatherer().run(slug, event, apart=not event.repeatable)


async def many(
    ref: PoolRef, principal: Principal, items: Sequence[Event | MalformedError]
) -> list[dict[str, Any]]:
    """Run a batch in its order. Return one answer per item, each with its own status.

    One pipeline carries 32 events in each script call. An item without a known outcome reports
    that.
    """
    answers: list[EventOutcome | Exception] = []
    good: list[Event] = []
    places: list[int] = []
    for place, item in enumerate(items):
        try:
            if isinstance(item, MalformedError):
                raise item
            check_event(principal, item)
            if item.wait_ms:
                raise MalformedError("wait_ms: a call cannot wait inside a batch")
            good.append(await _prepared(ref, item))
            places.append(place)
            answers.append(_NOTHING)
        except (PermissionError, MalformedError) as error:
            answers.append(error)
    run = _run_charged if ref.charged else _run
    for place, outcome in zip(places, await run(ref, good), strict=True):
        answers[place] = outcome
    as_of = await server_time().now_us()
    if any(isinstance(outcome, EventOutcome) and outcome.release for outcome in answers):
        release_later(ref.slug)
    return [_item_answer(ref, answer, as_of) for answer in answers]


def check_event(principal: Principal, event: Event) -> None:
    """Raise PermissionError if the token does not cover this event or this switch."""
    if not principal.may_send(event.event):
        raise PermissionError(f"this token may not send {event.event}")
    check_switch(principal, event.switch)


def check_switch(principal: Principal, switch: str | None) -> None:
    """Raise PermissionError if the token belongs to another switch."""
    scope = principal.scope
    if isinstance(scope, TokenScope) and scope.switch and switch not in (None, scope.switch):
        raise PermissionError(f"this token is for the switch {scope.switch}")


_NOTHING = EventOutcome(pool.ERROR, "", "", "")


async def _run_charged(ref: PoolRef, events: Sequence[Event]) -> list[EventOutcome | Exception]:
    """Run events of a charged pool in their order. Adjacent calls begin at the same time."""
    outcomes: list[EventOutcome | Exception] = []
    for are_calls, group in groupby(events, key=lambda event: event.event == "call"):
        if are_calls:
            outcomes += await asyncio.gather(*(_begin(ref, event) for event in group))
        else:
            outcomes += await _run(ref, list(group))
    return outcomes


async def _begin(ref: PoolRef, event: Event) -> EventOutcome | Exception:
    try:
        return await _decide_one(ref, event)
    except _FAILURES as error:
        return error


async def _run(ref: PoolRef, events: Sequence[Event]) -> list[EventOutcome | Exception]:
    chunks = [
        events[start : start + pool.BATCH_LIMIT]
        for start in range(0, len(events), pool.BATCH_LIMIT)
    ]
    outcomes: list[EventOutcome | Exception] = []
    lists = [(ref.slug, chunk) for chunk in chunks]
    replies = await run_lists(hotpath.default(), pool.events, lists)
    for chunk, reply in zip(chunks, replies, strict=True):
        if isinstance(reply, hotpath.HotPathError):
            outcomes += [reply] * len(chunk)
        else:
            outcomes += reply
    return outcomes


def _answer(ref: PoolRef, outcome: EventOutcome, as_of: int) -> Answered:
    """The outcome's answer, with the number in the format that the pool's switches use."""
    number = ref.spelled(outcome.number)
    told = outcome if number == outcome.number else replace(outcome, number=number)
    return answer_of(told, as_of=as_of)


def _item_answer(ref: PoolRef, answer: EventOutcome | Exception, as_of: int) -> dict[str, Any]:
    if isinstance(answer, EventOutcome):
        status, body = _answer(ref, answer, as_of)
    else:
        status, body = failure_of(answer, as_of=as_of)
    body["status"] = status
    return body


async def _prepared(ref: PoolRef, event: Event) -> Event:
    """The event as the scripts expect it: the number in canonical form, a region for `near`."""
    changes: dict[str, str] = {}
    if event.number:
        changes["number"] = ref.stored(event.number)
    if ref.near:
        changes["near"] = await _area(event)
    return event.but(**changes) if changes else event


async def _area(event: Event) -> str:
    """The region of the callee for a call, or of the number for an add."""
    if event.event == "call" and event.callee and event.near is not False:
        subject = event.callee
    elif event.event == "add" and event.number:
        subject = event.number
    else:
        return ""
    if not regions.is_loaded():
        return await asyncio.to_thread(regions.area, subject)  # loading the metadata takes a while
    return regions.area(subject)


_gatherer: PerLoop[Gatherer[Event, EventOutcome]] = PerLoop(partial(Gatherer, pool.events))
