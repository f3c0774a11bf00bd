"""Replies of a desk's commands: a visit's state, an agent's state, a short answer."""

from dataclasses import dataclass
from typing import Final

RECOVERING: Final = "recovering"


@dataclass(frozen=True, slots=True)
class Standing:
    """A visit's current state.

    `answer`: waiting, away, offered, room, ended or gone; a refusal of join: no_agent, closed or
    full; of a transfer: no_room or full; or an error's text ("no such desk", "malformed …").
    `ahead`: visitors before it in its queue, including those away. `arrived_us`: also its ticket,
    unless a supervisor moved it to the front. `word`: why this agent, why it ended, or why it left
    its room (transfer, returned). For a heartbeat of an unknown visit, it is RECOVERING while the
    desk's data cannot be trusted yet.
    """

    answer: str
    seq: int = 0
    ahead: int = 0
    agent: int | None = None
    queue: int = 0
    priority: int = 0
    ticket: int = 0
    arrived_us: int = 0
    word: str = ""

    @property
    def is_there(self) -> bool:
        """Whether the desk has the visit, and it has not ended."""
        return self.answer in ("waiting", "away", "offered", "room")


def read_standing(reply: list[str]) -> Standing:
    """Read a reply of join, beat, leave or transfer."""
    if len(reply) < 9:
        return Standing(reply[0], int(reply[1]) if len(reply) > 1 else 0)
    answer, seq, ahead, agent, queue, priority, ticket, joined, word = reply[:9]
    return Standing(
        *(answer, int(seq), int(ahead), None if agent == "-" else int(agent), int(queue)),
        *(int(priority), int(ticket), int(joined), "" if word == "-" else word.replace("_", " ")),
    )


@dataclass(frozen=True, slots=True)
class Slot:
    """An agent's slot: "room" or "offer" with its visit, or "wrap_up" until a time."""

    kind: str
    visit: str = ""
    until_ms: int = 0


def read_slots(text: str) -> tuple[Slot, ...]:
    """Read the slots of an agent's state."""
    slots = []
    for word in text.split(",") if text != "-" else ():
        if word[0] == "w":
            slots.append(Slot("wrap_up", until_ms=int(word[1:])))
        else:
            slots.append(Slot("room" if word[0] == "r" else "offer", word[1:]))
    return tuple(slots)


STATES: Final = {"o": "online", "p": "paused", "x": "offline"}
PENDING: Final = {"-": "", "p": "pause", "l": "logout", "k": "logout", "d": ""}


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent's state. `answer`: ok, offline, gone, repeat, not_yours, late or an error's text."""

    answer: str
    seq: int = 0
    state: str = "offline"
    pending: str = ""
    slots: tuple[Slot, ...] = ()
    word: str = ""
    offer_token: str = ""


def read_agent(reply: list[str]) -> AgentState:
    """Read a reply of agent_beat, login or pause."""
    if len(reply) < 6:
        return AgentState(reply[0], int(reply[1]) if len(reply) > 1 else 0)
    answer, seq, state, pending, slots, word = reply[:6]
    return AgentState(
        *(answer, int(seq), STATES[state], PENDING[pending], read_slots(slots)),
        *("" if word == "-" else word.replace("_", " "), reply[6] if len(reply) > 6 else ""),
    )


@dataclass(frozen=True, slots=True)
class DeskReply:
    """A short answer: ok, repeat, late, not_yours, …, and the visit that it concerns."""

    answer: str
    seq: int = 0
    visit: str = ""

    @property
    def ok(self) -> bool:
        return self.answer in ("ok", "repeat", "exists")


def read_answer(reply: list[str]) -> DeskReply:
    """Read the first fields of a reply."""
    return DeskReply(reply[0], int(reply[1]) if len(reply) > 1 else 0)
