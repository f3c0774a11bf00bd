"""Read-only commands of a desk, and its records as values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolsite.hotpath import Command
from queueing.line.desk.replies import PENDING, STATES, Slot, read_slots
from queueing.line.desk.scripts import desk_command

VISIT_STATES = {"w": "waiting", "a": "away", "o": "offered", "r": "room", "e": "ended"}


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """A visit as Redis has it. Times are in µs and ms since 1970."""

    visit: str
    state: str
    queue: int
    priority: int
    ticket: int
    arrived_us: int
    need: int
    agent: int | None
    since_ms: int
    token: str
    word: str

    @property
    def away_since_ms(self) -> int:
        """Since when the visitor of this room is away; 0 if present, or if in no room."""
        return int(self.token) if self.state == "room" and self.token else 0


def dash(word: str) -> str:
    """Return the word of a record, or "" for "-"."""
    return "" if word == "-" else word


def read_visit(visit: str, text: str) -> VisitRecord:
    """Read a visit's text (see lua/modules/visits.lua)."""
    state, queue, priority, ticket, joined, need, agent, since, token, word = text.split(" ", 9)
    return VisitRecord(
        *(visit, VISIT_STATES[state], int(queue), int(priority), int(ticket), int(joined)),
        *(int(need), None if agent == "-" else int(agent), int(since)),
        *(dash(token), dash(word).replace("_", " ")),
    )


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent as Redis has it.

    `since_ms`: idle since; `login_ms`: online since; `away_since_ms`: not responding since, or 0;
    `heard_ms`: the last heartbeat, or 0 if offline.
    """

    agent: int
    state: str
    capacity: int
    queues: tuple[int, ...]
    profile: int
    since_ms: int
    pending: str
    misses: int
    login_ms: int
    slots: tuple[Slot, ...]
    word: str
    away_since_ms: int = 0
    heard_ms: int = 0


def read_agent_record(agent: str, text: str, heard_ms: str = "0") -> AgentRecord:
    """Read an agent's text (see lua/modules/agents.lua)."""
    words = text.split(" ", 10)
    state, capacity, queues, profile, since, _ttl, pending, misses, login, slots, word = words
    away = re.match(r"a(\d+)", pending)
    return AgentRecord(
        agent=int(agent),
        state=STATES[state],
        capacity=int(capacity),
        queues=tuple(int(queue) for queue in queues.split(",") if queue != "-"),
        profile=int(profile),
        since_ms=int(since),
        pending=PENDING[pending[-1]],
        misses=int(misses),
        login_ms=int(login),
        slots=read_slots(slots),
        word=dash(word).replace("_", " "),
        away_since_ms=int(away[1]) if away else 0,
        heard_ms=int(heard_ms),
    )


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """A queue's current figures. `oldest_us`: arrival of the longest-waiting visitor, or 0."""

    queue: int
    waiting: int
    ready: int
    oldest_us: int
    online: int
    free: int


@dataclass(frozen=True, slots=True)
class DeskFigures:
    """A desk's current figures. `status`: open or recovering.

    `opens_at_ms`: when a recovering desk opens; 0 until everything is loaded.
    """

    status: str
    generation: int
    seq: int
    drained: int
    dropped: int
    now_ms: int
    opens_at_ms: int
    joined: int
    answered: int
    abandoned: int
    queues: Mapping[int, QueueFigures]


def show(slug: str) -> Command[DeskFigures | None]:
    """Return a desk's figures, or None if the desk does not exist."""

    def read(reply: list[str]) -> DeskFigures | None:
        if len(reply) < 10:
            return None
        queues = {}
        for at in range(10, len(reply), 6):
            figures = QueueFigures(*map(int, reply[at : at + 6]))
            queues[figures.queue] = figures
        status = "recovering" if reply[0] == "r" else "open"
        generation, seq, drained, dropped, now, opens, joined, answered, gone = map(
            int, reply[1:10]
        )
        return DeskFigures(
            *(status, generation, seq, drained, dropped, now, opens, joined, answered, gone),
            queues,
        )

    return desk_command("show", slug, (), read, "show")


def agents(
    slug: str, cursor: str = "0", count: int = 500
) -> Command[tuple[str, list[AgentRecord]]]:
    """Return a page of agents with the next cursor ("0" at the end)."""

    def read(reply: list[str]) -> tuple[str, list[AgentRecord]]:
        if len(reply) < 3:
            return "0", []
        rows = zip(reply[3::3], reply[4::3], reply[5::3], strict=True)
        return reply[0], [read_agent_record(*row) for row in rows]

    return desk_command("agents", slug, (cursor, count), read, cursor)


def visits(slug: str, ids: Sequence[str]) -> Command[dict[str, VisitRecord]]:
    """Return up to 1,000 visits. Unknown ones are left out."""

    def read(reply: list[str]) -> dict[str, VisitRecord]:
        pairs = zip(reply[2::2], reply[3::2], strict=True) if len(reply) > 2 else ()
        return {visit: read_visit(visit, text) for visit, text in pairs}

    return desk_command("visits", slug, tuple(ids), read, "visits")


@dataclass(frozen=True, slots=True)
class LinePart:
    """A part of a queue's line, in order. `after`: the cursor of the next part, "" at the end."""

    seq: int
    now_ms: int
    visits: Sequence[VisitRecord]
    after: str


def waiting(slug: str, queue: int, *, after: str = "", count: int = 100) -> Command[LinePart]:
    """Return a queue's line from its head, or after a cursor."""

    def read(reply: list[str]) -> LinePart:
        if len(reply) < 2:
            return LinePart(0, 0, (), "")
        rows = [read_visit(reply[at + 1], reply[at + 2]) for at in range(2, len(reply), 3)]
        last = reply[-3] if len(rows) == count else ""
        return LinePart(int(reply[0]), int(reply[1]), rows, last)

    return desk_command("waiting", slug, (queue, after, count), read, "waiting")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an agent does not serve a visit now.

    `code` and `facts`: see lua/why.lua; "" means none.
    """

    agent: int
    code: str
    facts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Why:
    """Why no one serves a visit now, for a part of the agents."""

    cursor: str
    state: str
    mode: str
    status: str
    now_ms: int
    rows: Sequence[Reason]

    @property
    def reasons(self) -> Mapping[int, str]:
        """Agent → the code of the reason."""
        return {row.agent: row.code for row in self.rows}


def why(slug: str, visit: str, cursor: str = "0", count: int = 200) -> Command[Why | None]:
    """Return why no one serves a visit now, or None if the visit or the desk does not exist."""

    def read(reply: list[str]) -> Why | None:
        if len(reply) < 6:
            return None
        rows = zip(reply[6::4], reply[7::4], reply[8::4], reply[9::4], strict=True)
        return Why(
            *(reply[0], VISIT_STATES[reply[2]], reply[3], reply[4], int(reply[5])),
            [Reason(int(agent), code, (one, other)) for agent, code, one, other in rows],
        )

    return desk_command("why", slug, (visit, cursor, count), read, visit)


def check(
    slug: str, what: str, cursor: str = "0", count: int = 500
) -> Command[tuple[str, list[tuple[str, str]]]]:
    """Check a part of the records against the laws. Return the next cursor and (object, fault).

    what: visits, agents, waiting, ready, free or idle.
    """

    def read(reply: list[str]) -> tuple[str, list[tuple[str, str]]]:
        if len(reply) < 2:
            return "0", [(slug, reply[0])]
        return reply[0], list(zip(reply[2::2], reply[3::2], strict=True))

    return desk_command("check", slug, (what, cursor, count), read, what)
