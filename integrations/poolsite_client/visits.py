"""The waiting line for programs, without I/O: visitors, and the agents who serve them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict
from urllib.parse import quote

from .steps import Body, Steps, ask, new_id


class JoinWords(TypedDict, total=False):
    """Who comes. priority: 1 is served first. skills: names and levels that the agent needs.

    anyway: wait although nobody serves. identity: a token signed by the customer's own system.
    """

    name: str
    topic: str
    contact: str
    language: str
    identity: str
    visitor_key: str
    priority: int
    skills: Mapping[str, int]
    anyway: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a visit is. `answer` is waiting, away, offered, room, ended or gone.

    ahead: how many are before it, 0 = next. estimate: a range in seconds; None: too little is
    known. token, place: after a join, what opens this visit alone, and what restores its place.
    """

    visit: str
    answer: str
    ahead: int
    queue: str
    agent: str | None
    word: str
    estimate: tuple[int, int] | None
    token: str
    place: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a transcript, numbered from 1. `author` is visitor, agent or system."""

    number: int
    author: str
    name: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class Room:
    """A slot of an agent. `kind` is room, offer or wrap_up; until_ms: its end, 0 = none."""

    kind: str
    visit: str
    name: str
    topic: str
    queue: str
    until_ms: int


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent. `state` is online, paused or offline; `pending` begins after the last room.

    offer_token: what accepts or declines an offer. visit: the one that the request was about.
    """

    state: str
    pending: str
    capacity: int
    offer_token: str
    rooms: tuple[Room, ...]
    visit: str


def join(queue: str, words: JoinWords) -> Steps[Standing]:
    """Join a queue. Each call is one visitor, however often it is repeated on the way."""
    answer = yield from ask(f"/api/v1/queues/{quote(queue, safe='')}/join", words, key=new_id())
    return _standing(answer.body)


def beat(visit: str, place: str) -> Steps[Standing]:
    """The visitor is still there."""
    return _standing((yield from ask(path_of(visit, "beat"), {"place": place})).body)


def look(visit: str) -> Steps[Standing]:
    """The same answer, without a heartbeat."""
    return _standing((yield from ask(path_of(visit), method="GET")).body)


def leave(visit: str) -> Steps[None]:
    """The visitor goes."""
    yield from ask(path_of(visit, "leave"), {})


def say(visit: str, text: str, message_id: str) -> Steps[Said]:
    """A message of the visitor; the same ID is the same message."""
    body = {"id": message_id or new_id(), "text": text}
    return _said((yield from ask(path_of(visit, "messages"), body)).body)


def messages(visit: str, after: int) -> Steps[list[Said]]:
    """What was said after this number, 200 messages at most."""
    answer = yield from ask(path_of(visit, f"messages?after={after}"), method="GET")
    return [_said(each) for each in answer.body["messages"]]


def path_of(visit: str, verb: str = "") -> str:
    """A visit's route."""
    return f"/api/v1/visits/{quote(visit, safe='')}{'/' if verb else ''}{verb}"


def of_agent(agent: int, verb: str, body: Mapping[str, Any]) -> Steps[AgentState]:
    """What an agent does. A repeat on the way does not do it twice: it carries the same key."""
    path = f"/api/v1/agent/{verb}?agent={agent}"
    return _agent((yield from ask(path, body, key=new_id())).body)


def rooms(agent: int) -> Steps[AgentState]:
    """The agent's rooms and offers."""
    return _agent((yield from ask(f"/api/v1/agent/rooms?agent={agent}", method="GET")).body)


def say_as_agent(agent: int, visit: str, text: str, message_id: str) -> Steps[Said]:
    """A message in a room of the agent; the same ID is the same message."""
    body = {"visit": visit, "id": message_id or new_id(), "text": text}
    return _said((yield from ask(f"/api/v1/agent/messages?agent={agent}", body)).body)


def _standing(body: Body) -> Standing:
    estimate = body.get("estimate")
    return Standing(
        visit=body["visit"],
        answer=body["answer"],
        ahead=int(body["ahead"]),
        queue=body["queue"],
        agent=body.get("agent"),
        word=str(body.get("word") or ""),
        estimate=None if estimate is None else (estimate[0], estimate[1]),
        token=str(body.get("token") or ""),
        place=str(body.get("place") or ""),
    )


def _said(body: Body) -> Said:
    return Said(body["number"], body["author"], body["name"], body["text"], body["at"])


def _agent(body: Body) -> AgentState:
    return AgentState(
        state=body["state"],
        pending=body["pending"],
        capacity=body["capacity"],
        offer_token=body["offer_token"],
        rooms=tuple(_room(each) for each in body["slots"]),
        visit=str(body.get("visit") or ""),
    )


def _room(body: Body) -> Room:
    return Room(
        kind=body["kind"],
        visit=body["visit"],
        name=str(body.get("name") or ""),
        topic=str(body.get("topic") or ""),
        queue=str(body.get("queue_slug") or ""),
        until_ms=int(body.get("until_ms") or 0),
    )
