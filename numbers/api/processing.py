"""What becomes of events, for HTTP and websocket alike: checked, run, answered."""

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
from numbers.api.answers import answer_of, failure_of
from numbers.api.directory import PoolRef
from numbers.api.releasing import release_later
from numbers.api.server_time import server_time
from numbers.schemas import Event
from poolsite import hotpath
from poolsite.access import Principal, TokenScope
from poolsite.api.gather import Gatherer, run_lists
from poolsite.api.reading import MalformedError
from poolsite.per_loop import PerLoop

logger = logging.getLogger(__name__)

Answered = tuple[int, dict[str, Any]]  # status, body
Events = Gatherer[pool.Event, pool.EventOutcome]


async def one(ref: PoolRef, principal: Principal, event: Event) -> Answered:
    """Run one event and answer it."""
    try:
        check_event(principal, event)
        outcome = await _decide_one(ref, await _pool_event(ref, event))
    except _FAILURES as error:
        return failure_of(error, as_of=await server_time().now_us())
    if outcome.release:
        release_later(ref.slug)
    return _answer(ref, outcome, await server_time().now_us())


_FAILURES = (PermissionError, MalformedError, CallRefusedError, hotpath.HotPathError)


async def _decide_one(ref: PoolRef, its: pool.Event) -> pool.EventOutcome:
    """Run one event; a call of a charged pool is paid for first."""

    async def run(event: pool.Event) -> pool.EventOutcome:
        if event.wait_ms and event.event == "call":
            return await waiting.call(ref.slug, event)
        return await _gatherer().run(_group(ref.slug, event), event)

    if ref.charged and its.event == "call":
        return await charging.call(ref, its, run)
    return await run(its)


async def many(
    ref: PoolRef, principal: Principal, items: Sequence[Event | MalformedError]
) -> list[dict[str, Any]]:
    """Run a batch in its order; each item is answered by itself, with the status of its own.

    One pipeline, 32 events in each script call. An item without a known outcome says so.
    """
    answers: list[pool.EventOutcome | Exception] = []
    good: list[pool.Event] = []
    places: list[int] = []
    for place, item in enumerate(items):
        try:
            if isinstance(item, MalformedError):
                raise item
            check_event(principal, item)
            if item.wait_ms:
                raise MalformedError("wait_ms: a call cannot wait inside a batch")
            good.append(await _pool_event(ref, item))
            places.append(place)
            answers.append(_NOTHING)
        except (PermissionError, MalformedError) as error:
            answers.append(error)
    run = _run_charged if ref.charged else _run
    for place, outcome in zip(places, await run(ref, good), strict=True):
        answers[place] = outcome
    as_of = await server_time().now_us()
    if any(isinstance(outcome, pool.EventOutcome) and outcome.release for outcome in answers):
        release_later(ref.slug)
    return [_item_answer(ref, answer, as_of) for answer in answers]


def check_event(principal: Principal, event: Event) -> None:
    """Raise PermissionError when the token does not cover this event or this switch."""
    if not principal.may_send(event.event):
        raise PermissionError(f"this token may not send {event.event}")
    check_switch(principal, event.switch)


def check_switch(principal: Principal, switch: str | None) -> None:
    """Raise PermissionError when the token is another switch's."""
    scope = principal.scope
    if isinstance(scope, TokenScope) and scope.switch and switch not in (None, scope.switch):
        raise PermissionError(f"this token is for the switch {scope.switch}")


_NOTHING = pool.EventOutcome(pool.ERROR, "", "", "")


async def _run_charged(
    ref: PoolRef, events: Sequence[pool.Event]
) -> list[pool.EventOutcome | Exception]:
    """Run events of a charged pool in their order; calls that stand together begin together."""
    outcomes: list[pool.EventOutcome | Exception] = []
    for are_calls, group in groupby(events, key=lambda event: event.event == "call"):
        if are_calls:
            outcomes += await asyncio.gather(*(_begin(ref, event) for event in group))
        else:
            outcomes += await _run(ref, list(group))
    return outcomes


async def _begin(ref: PoolRef, event: pool.Event) -> pool.EventOutcome | Exception:
    try:
        return await _decide_one(ref, event)
    except _FAILURES as error:
        return error


async def _run(ref: PoolRef, events: Sequence[pool.Event]) -> list[pool.EventOutcome | Exception]:
    chunks = [
        events[start : start + pool.BATCH_LIMIT]
        for start in range(0, len(events), pool.BATCH_LIMIT)
    ]
    outcomes: list[pool.EventOutcome | Exception] = []
    lists = [(ref.slug, chunk) for chunk in chunks]
    replies = await run_lists(hotpath.default(), pool.events, lists)
    for chunk, reply in zip(chunks, replies, strict=True):
        if isinstance(reply, hotpath.HotPathError):
            outcomes += [reply] * len(chunk)
        else:
            outcomes += reply
    return outcomes


def _answer(ref: PoolRef, outcome: pool.EventOutcome, as_of: int) -> Answered:
    """Its answer, with the number in the format that the pool's switches use."""
    number = ref.spelled(outcome.number)
    told = outcome if number == outcome.number else replace(outcome, number=number)
    return answer_of(told, as_of=as_of)


def _item_answer(ref: PoolRef, answer: pool.EventOutcome | Exception, as_of: int) -> dict[str, Any]:
    if isinstance(answer, pool.EventOutcome):
        status, body = _answer(ref, answer, as_of)
    else:
        status, body = failure_of(answer, as_of=as_of)
    body["status"] = status
    return body


async def _pool_event(ref: PoolRef, event: Event) -> pool.Event:
    """The event as the scripts take it: the number's canonical form, the region for `near`."""
    return pool.Event(
        event=event.event,
        number=ref.stored(event.number),
        call_id=event.call_id or "",
        switch=event.switch or "",
        incarnation=event.incarnation or "",
        agent=event.agent or "",
        callee=event.callee or "",
        direction=event.direction or "",
        force=bool(event.force),
        sticky=event.sticky,
        near=await _area(event) if ref.near else "",
        paid=event.paid or "",
        contact=event.contact or "",
        expires=event.expires,
        seq=event.seq,
        reason=event.reason or "",
        wait_ms=event.wait_ms or 0,
        cause=event.cause or "",
        answered=event.answered,
        talk_seconds=event.talk_seconds,
    )


async def _area(event: Event) -> str:
    """The callee's region for a call, the number's own for an add."""
    if event.event == "call" and event.callee and event.near is not False:
        subject = event.callee
    elif event.event == "add" and event.number:
        subject = event.number
    else:
        return ""
    if not regions.is_loaded():
        return await asyncio.to_thread(regions.area, subject)  # the metadata takes a while
    return regions.area(subject)


# -- gathering ----------------------------------------------------------------------------------


def _group(slug: str, event: pool.Event) -> str:
    """Events that may be repeated after a lost reply do not travel with those that may not."""
    return slug if event.repeatable else f"{slug} once"


def _combine(group: str, events: Sequence[pool.Event]) -> hotpath.Command[list[pool.EventOutcome]]:
    slug = group.partition(" ")[0]
    return pool.events(slug, events)


_gatherer: PerLoop[Events] = PerLoop(partial(Gatherer, _combine))
