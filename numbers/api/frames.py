"""Frames of the switches' websocket. They are read and answered together, each with its ID."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from numbers.api import live_list, processing
from numbers.api.answers import failure_of
from numbers.api.directory import PoolRef
from numbers.api.server_time import server_time
from numbers.schemas import EventFrame, LiveFrame, PingFrame
from poolsite.access import Principal
from poolsite.api.reading import BodyReader, MalformedError, TooDeepError

_EVENTS: BodyReader[EventFrame] = BodyReader(EventFrame)
_LIVE: BodyReader[LiveFrame] = BodyReader(LiveFrame)
_PING: BodyReader[PingFrame] = BodyReader(PingFrame)

Item = EventFrame | MalformedError


@dataclass(frozen=True, slots=True)
class Events:
    """One event, or a batch. The answer to a batch is an array."""

    items: Sequence[Item]
    batch: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that may wait. It is answered when it has a number, or when its time is over."""

    event: EventFrame


Frame = Events | Waiting | LiveFrame | PingFrame | MalformedError


def read(text: str) -> Frame:
    """Parse a frame. Return an error as a value: this never raises."""
    try:
        if '"live"' in text[:200] or '"ping"' in text[:200]:
            return _read_other(text)
        read = _EVENTS.read(text)
    except MalformedError as error:
        return error
    except TooDeepError as error:
        return MalformedError(str(error))
    if isinstance(read, list):
        return Events(read, batch=True)
    if read.wait_ms and read.event == "call":
        return Waiting(read)
    return Events([read], batch=False)


def _read_other(text: str) -> Frame:
    """Read a live list or a ping, or else an event whose values happen to contain these words."""
    for reader in (_LIVE, _PING):
        try:
            found = reader.read_one(text)
        except MalformedError as error:
            told = error
        else:
            return found
        if reader is _LIVE and '"calls"' in text:
            return told
    read = _EVENTS.read(text)
    return Events(read, batch=True) if isinstance(read, list) else Events([read], batch=False)


def switches_of(frame: Frame) -> Iterator[str]:
    """Yield the switches that a frame names."""
    if isinstance(frame, LiveFrame):
        yield frame.live.switch
    elif isinstance(frame, Waiting) and frame.event.switch:
        yield frame.event.switch
    elif isinstance(frame, Events):
        for item in frame.items:
            if isinstance(item, EventFrame) and item.switch:
                yield item.switch


async def answer_all(pool: PoolRef, principal: Principal, frames: Sequence[Frame]) -> list[bytes]:
    """Return the answers of frames in their order. Events between two live lists run together."""
    answers: list[bytes] = []
    events: list[Events] = []
    for frame in frames:
        if isinstance(frame, Events):
            events.append(frame)
            continue
        answers += await _answer_events(pool, principal, events)
        events = []
        answers.append(await _answer_other(pool, principal, frame))
    return answers + await _answer_events(pool, principal, events)


async def answer_waiting(pool: PoolRef, principal: Principal, frame: Waiting) -> bytes:
    """Return the answer for a call that waited."""
    status, body = await processing.one(pool, principal, frame.event)
    return _dump(body, status, frame.event.id)


async def _answer_events(
    pool: PoolRef, principal: Principal, frames: Sequence[Events]
) -> list[bytes]:
    if not frames:
        return []
    bodies = iter(
        await processing.many(pool, principal, [item for frame in frames for item in frame.items])
    )
    return [_dump_events(frame, bodies) for frame in frames]


def _dump_events(frame: Events, bodies: Iterable[dict[str, Any]]) -> bytes:
    answers = []
    for item, body in zip(frame.items, bodies, strict=False):  # bodies continue with the next frame
        if isinstance(item, EventFrame) and item.id is not None:
            body["id"] = item.id
        answers.append(body)
    return orjson.dumps(answers if frame.batch else answers[0])


async def _answer_other(pool: PoolRef, principal: Principal, frame: Frame) -> bytes:
    as_of = await server_time().now_us()
    if isinstance(frame, LiveFrame):
        status, body = await live_list.report(pool, principal, frame.live)
        return _dump(body, status, frame.id)
    if isinstance(frame, PingFrame):
        return _dump({"pong": True, "as_of": as_of}, 200, frame.id)
    if isinstance(frame, MalformedError):
        status, body = failure_of(frame, as_of=as_of)
        return _dump(body, status, None)
    raise TypeError(frame)


def _dump(body: dict[str, Any], status: int, frame_id: str | int | None) -> bytes:
    body["status"] = status
    if frame_id is not None:
        body["id"] = frame_id
    return orjson.dumps(body)
