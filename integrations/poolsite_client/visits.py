"""The waiting line for programs, without I/O: visitors, and the agents who serve them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict
from urllib.parse import quote

from .steps import Body, Steps, ask, new_id


class JoinWords(TypedDict, total=False):
    """The options of a join. priority: 1 is served first. skills: required skills and their levels.

    anyway: wait even if no agent serves the queue. identity: a token signed by the customer's own
    system.
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
    """The state of a visit. `answer` is waiting, away, offered, room, ended or gone.

    ahead: how many visits are before it; 0 means next. estimate: a range in seconds, or None if too
    little is known. token, place: after a join, the token that opens only this visit, and the text
    that restores its place.
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
    """A slot of an agent. `kind` is room, offer or wrap_up. until_ms is its end; 0 means none."""

    kind: str
    visit: str
    name: str
    topic: str
    queue: str
    until_ms: int


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent. `state` is online, paused or offline. `pending` begins after the last room.

    offer_token: accepts or declines an offer. visit: the visit that the request was about.
    """

    state: str
    pending: str
    capacity: int
    offer_token: str
    rooms: tuple[Room, ...]
    visit: str


def join(queue: str, words: JoinWords) -> Steps[Standing]:
    """Join a queue. Each call adds one visitor, even if its request is repeated."""
    answer = yield from ask(f"/api/v1/queues/{quote(queue, safe='')}/join", words, key=new_id())
    return _standing(answer.body)


def beat(visit: str, place: str) -> Steps[Standing]:
    """Send a heartbeat of the visitor."""
    return _standing((yield from ask(path_of(visit, "beat"), {"place": place})).body)


def look(visit: str) -> Steps[Standing]:
    """Return the visit's current state, without a heartbeat."""
    return _standing((yield from ask(path_of(visit), method="GET")).body)


def leave(visit: str) -> Steps[None]:
    """End the visit."""
    yield from ask(path_of(visit, "leave"), {})


def say(visit: str, text: str, message_id: str) -> Steps[Said]:
    """Send a message of the visitor. A repeat with the same ID is not stored again."""
    body = {"id": message_id or new_id(), "text": text}
    return _said((yield from ask(path_of(visit, "messages"), body)).body)


def messages(visit: str, after: int) -> Steps[list[Said]]:
    """Return up to 200 messages with a number greater than `after`."""
    answer = yield from ask(path_of(visit, f"messages?after={after}"), method="GET")
    return [_said(each) for each in answer.body["messages"]]


def path_of(visit: str, verb: str = "") -> str:
    """Return the path of a visit, or of one of its routes."""
    return f"/api/v1/visits/{quote(visit, safe='')}{'/' if verb else ''}{verb}"


def of_agent(agent: int, verb: str, body: Mapping[str, Any]) -> Steps[AgentState]:
    """Carry out an agent's command. A repeated request has the same key, so it runs only once."""
    path = f"/api/v1/agent/{verb}?agent={agent}"
    return _agent((yield from ask(path, body, key=new_id())).body)


def rooms(agent: int) -> Steps[AgentState]:
    """Return the agent's rooms and offers."""
    return _agent((yield from ask(f"/api/v1/agent/rooms?agent={agent}", method="GET")).body)


def say_as_agent(agent: int, visit: str, text: str, message_id: str) -> Steps[Said]:
    """Send a message in a room of the agent. A repeat with the same ID is not stored again."""
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
