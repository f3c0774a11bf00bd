"""What the history becomes in SQL: events, visits' outcomes, rooms' stories, agents' shifts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from poolsite import history, live, sql_bulk
from poolsite.history import StreamEntry
from poolsite.moments import moment_of
from poolsite.operations.webhooks.emitting import Happened, emit_many
from queueing.line import webhook_events
from queueing.line.models import Agent, LineEvent, Room, RoomEvent, Visit
from queueing.line.services import shifts

KNOWN = {"at", "k", "v", "a", "q"}
OUTCOMES = {choice.value for choice in Visit.Outcome}


@dataclass
class RecordPage:
    """Some entries of one desk, with the rows that they are about."""

    desk_id: int
    generation: int
    visits: dict[str, Visit]
    agents: dict[int, Agent]  # by their user's id, as Redis names them
    changed: dict[str, Visit]
    events: list[RoomEvent]
    rooms: dict[str, Room]  # the open one of each visit
    rooms_new: list[Room]
    rooms_ended: list[Room]
    told: list[Happened]  # to webhooks


def write_entries(desk_id: int, generation: int, entries: Sequence[StreamEntry]) -> None:
    """Write a page of entries inside the drain's transaction; again is absorbed."""
    events = [(entry, _values(entry)) for entry in entries]
    history.services.insert_rows(LineEvent, desk_id, generation, events)
    page = _page(desk_id, generation, entries)
    for entry in entries:
        step = STEPS.get(entry.fields.get("k", ""))
        if step is not None:
            step(page, entry.seq, entry.fields, moment_of(entry.at_us))
    fields = ["queue_id", "matched_at", "agent_id", "why", "ended_at", "outcome"]
    fields += ["callback_call_id"]
    sql_bulk.update(Visit, [vars(visit) for visit in page.changed.values()], fields)
    sql_bulk.update(Room, [vars(room) for room in page.rooms_ended], ["ended_at"])
    Room.objects.bulk_create(page.rooms_new, batch_size=500)
    RoomEvent.objects.bulk_create(page.events, ignore_conflicts=True, batch_size=500)
    emit_many(page.told)
    for visit in page.changed:
        live.touch(f"line.room:{visit}")


def _values(entry: StreamEntry) -> dict[str, Any]:
    fields = entry.fields
    return {
        "kind": fields.get("k", "")[:16],
        "visit": fields.get("v", "")[:32],
        "agent": fields.get("a", "")[:20],
        "queue": fields.get("q", "")[:40],
        "data": {name: text for name, text in fields.items() if name not in KNOWN},
    }


def _page(desk_id: int, generation: int, entries: Sequence[StreamEntry]) -> RecordPage:
    names = {entry.fields["v"] for entry in entries if entry.fields.get("v", "-") != "-"}
    rows = Visit.objects.filter(public_id__in=names).select_related("desk", "queue", "agent")
    visits = {row.public_id: row for row in rows}
    agents = {row.user_id: row for row in Agent.objects.filter(desk_id=desk_id)}
    visit_of = {row.pk: name for name, row in visits.items()}
    rooms = Room.objects.filter(visit__in=visits.values(), ended_at=None).select_related("agent")
    open_rooms = {visit_of[room.visit_id]: room for room in rooms}
    return RecordPage(desk_id, generation, visits, agents, {}, [], open_rooms, [], [], [])


def _agent(page: RecordPage, fields: Mapping[str, str]) -> Agent | None:
    text = fields.get("a", "-")
    return page.agents.get(int(text)) if text.isdecimal() else None


def _visit(page: RecordPage, fields: Mapping[str, str]) -> Visit | None:
    """The visit's row; made here when the process that served the join died before it did."""
    name = fields.get("v", "-")
    row = page.visits.get(name)
    if row is None and name != "-" and fields.get("k") in ("join", "loaded"):
        row = Visit.objects.create(
            public_id=name,
            desk_id=page.desk_id,
            queue_id=int(fields["q"]),
            priority=int(fields["c"]),
            joined_at=moment_of(int(fields["t"])),
        )
        page.visits[name] = row
    return row


def _join(page: RecordPage, _seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit, agent = _visit(page, fields), _agent(page, fields)
    if visit is None or fields["k"] == "join":
        return
    room = page.rooms.get(visit.public_id)  # put back after a loss of Redis: where does it stand?
    if agent is None or room is None or room.agent_id != agent.pk:
        _room_end(page, visit, at)
        if agent is not None:
            _room_begin(page, visit, agent, int(fields["q"]), at)


def _room_begin(page: RecordPage, visit: Visit, agent: Agent, queue_id: int, at: datetime) -> None:
    _room_end(page, visit, at)
    room = Room(visit=visit, agent=agent, queue_id=queue_id, began_at=at)
    page.rooms[visit.public_id] = room
    page.rooms_new.append(room)


def _room_end(page: RecordPage, visit: Visit, at: datetime) -> None:
    room = page.rooms.pop(visit.public_id, None)
    if room is None:
        return
    room.ended_at = at
    if room.pk is not None:
        page.rooms_ended.append(room)
    shifts.add(room.agent, "busy_seconds", round((at - room.began_at).total_seconds()))
    page.told.append(webhook_events.room_ended(room, visit))


def _room(page: RecordPage, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit, agent = _visit(page, fields), _agent(page, fields)
    if visit is None or agent is None:
        return
    if visit.matched_at is None:
        visit.matched_at = at
        shifts.add(agent, "served")
    visit.agent, visit.queue_id = agent, int(fields["q"])
    _room_begin(page, visit, agent, visit.queue_id, at)
    visit.why = fields.get("w", "").replace("_", " ")[:200]
    page.changed[visit.public_id] = visit
    _event(page, visit, agent, seq, fields, at)


def _end(page: RecordPage, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit = _visit(page, fields)
    if visit is None:
        return
    outcome = fields.get("w", "")
    visit.outcome = outcome if outcome in OUTCOMES else Visit.Outcome.REMOVED
    visit.ended_at = at
    page.changed[visit.public_id] = visit
    _room_end(page, visit, at)
    page.told += webhook_events.visit_ended(visit)
    _event(page, visit, _agent(page, fields), seq, fields, at)


def _moved(page: RecordPage, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit = _visit(page, fields)
    if visit is not None:
        visit.queue_id = int(fields["q"])
        _room_end(page, visit, at)
        visit.agent = None  # or a rebuild would put who waits into the room of before
        page.changed[visit.public_id] = visit
        _event(page, visit, _agent(page, fields), seq, fields, at)


def _noted(page: RecordPage, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit = _visit(page, fields)
    if visit is not None:
        _event(page, visit, _agent(page, fields), seq, fields, at)


def _called(page: RecordPage, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit = _visit(page, fields)
    if visit is not None:
        visit.callback_call_id = fields.get("w", "")[:64]
        page.changed[visit.public_id] = visit
    _noted(page, seq, fields, at)


def _event(
    page: RecordPage,
    visit: Visit,
    agent: Agent | None,
    seq: int,
    fields: Mapping[str, str],
    at: datetime,
) -> None:
    page.events.append(
        RoomEvent(
            visit=visit,
            generation=page.generation,
            seq=seq,
            kind=fields["k"][:16],
            agent=agent,
            actor=fields.get("by", "")[:150],
            text=fields.get("w", "").replace("_", " ")[:200],
            at=at,
        )
    )


def _logout(agent: Agent, at: datetime, fields: Mapping[str, str]) -> None:
    how = "lost" if fields["k"] == "agent_lost" else fields.get("w", "")
    shifts.end(agent, at, how)


Step = Callable[[RecordPage, int, Mapping[str, str], datetime], None]


def _shift(note: Callable[[Agent, datetime, Mapping[str, str]], None]) -> Step:
    """The step that notes something about an agent's shift, if there still is such an agent."""

    def step(page: RecordPage, _seq: int, fields: Mapping[str, str], at: datetime) -> None:
        agent = _agent(page, fields)
        if agent is not None:
            note(agent, at, fields)

    return step


STEPS: Mapping[str, Step] = {
    "join": _join,
    "loaded": _join,
    "room": _room,
    "end": _end,
    "room_away": _noted,
    "room_back": _noted,
    "guest_joined": _noted,
    "guest_left": _noted,
    "guest_whispered": _noted,
    "returned": _moved,
    "transfer": _moved,
    "move": _moved,
    "overflow": _moved,
    "declined": _moved,
    "missed": _moved,
    "login": _shift(lambda agent, at, _fields: shifts.begin(agent, at)),
    "logout": _shift(_logout),
    "agent_lost": _shift(_logout),
    "pause": _shift(
        lambda agent, at, fields: shifts.pause(agent, at, fields.get("w", "").replace("_", " "))
    ),
    "resume": _shift(lambda agent, at, _fields: shifts.resume(agent, at)),
    "miss": _shift(lambda agent, _at, _fields: shifts.add(agent, "missed")),
    "called": _called,
    "wrapup": _shift(lambda agent, at, _fields: shifts.wrap_up_begin(agent, at)),
    "ready": _shift(lambda agent, at, _fields: shifts.wrap_up_end(agent, at)),
}
