"""Writes the history to SQL: events, outcomes of visits, rooms, agents' shifts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from poolsite import history, live, sql_bulk
from poolsite.history import StreamEntry
from poolsite.moments import moment_of
from poolsite.operations.webhooks.emitting import Happened, emit_many
from queueing.line import webhook_events
from queueing.line.desk.changes import DeskChange, read_change
from queueing.line.models import Agent, LineEvent, Room, RoomEvent, Visit
from queueing.line.services import shifts

OUTCOMES = {choice.value for choice in Visit.Outcome}


@dataclass
class RecordPage:
    """Entries of one desk, with the rows that they concern."""

    desk_id: int
    generation: int
    visits: dict[str, Visit]
    agents: dict[int, Agent]  # by user ID, as in Redis
    changed: dict[str, Visit]
    events: list[RoomEvent]
    rooms: dict[str, Room]  # each visit's open room
    rooms_new: list[Room]
    rooms_ended: list[Room]
    told: list[Happened]  # for webhooks


def write_entries(desk_id: int, generation: int, entries: Sequence[StreamEntry]) -> None:
    """Write a page of entries inside the drain's transaction. Idempotent."""
    changes = [(entry, read_change(entry.fields, entry.at_us)) for entry in entries]
    events = [(entry, _values(change)) for entry, change in changes]
    history.services.insert_rows(LineEvent, desk_id, generation, events)
    page = _page(desk_id, generation, [change for _, change in changes])
    for entry, change in changes:
        step = STEPS.get(change.kind)
        if step is not None:
            step(page, entry.seq, change, moment_of(change.at_us))
    fields = ["queue_id", "matched_at", "agent_id", "why", "ended_at", "outcome"]
    fields += ["callback_call_id"]
    sql_bulk.update(Visit, [vars(visit) for visit in page.changed.values()], fields)
    sql_bulk.update(Room, [vars(room) for room in page.rooms_ended], ["ended_at"])
    Room.objects.bulk_create(page.rooms_new, batch_size=500)
    RoomEvent.objects.bulk_create(page.events, ignore_conflicts=True, batch_size=500)
    emit_many(page.told)
    for visit in page.changed:
        live.touch(f"line.room:{visit}")


def _values(change: DeskChange) -> dict[str, Any]:
    return {
        "kind": change.kind[:16],
        "visit": change.visit[:32],
        "agent": change.agent[:20],
        "queue": change.queue[:40],
        "data": change.more,
    }


def _page(desk_id: int, generation: int, changes: Sequence[DeskChange]) -> RecordPage:
    names = {change.visit for change in changes if change.names_visit}
    rows = Visit.objects.filter(public_id__in=names).select_related("desk", "queue", "agent")
    visits = {row.public_id: row for row in rows}
    agents = {row.user_id: row for row in Agent.objects.filter(desk_id=desk_id)}
    visit_of = {row.pk: name for name, row in visits.items()}
    rooms = Room.objects.filter(visit__in=visits.values(), ended_at=None).select_related("agent")
    open_rooms = {visit_of[room.visit_id]: room for room in rooms}
    return RecordPage(desk_id, generation, visits, agents, {}, [], open_rooms, [], [], [])


def _agent(page: RecordPage, change: DeskChange) -> Agent | None:
    text = change.agent
    return page.agents.get(int(text)) if text.isdecimal() else None


def _visit(page: RecordPage, change: DeskChange) -> Visit | None:
    """Return the visit's row. Create it if the process that served the join died before it did."""
    name = change.visit
    row = page.visits.get(name)
    if row is None and change.names_visit and change.kind in ("join", "loaded"):
        row = Visit.objects.create(
            public_id=name,
            desk_id=page.desk_id,
            queue_id=int(change.queue),
            priority=change.priority,
            joined_at=moment_of(change.ticket),
        )
        page.visits[name] = row
    return row


def _join(page: RecordPage, _seq: int, change: DeskChange, at: datetime) -> None:
    visit, agent = _visit(page, change), _agent(page, change)
    if visit is None or change.kind == "join":
        return
    room = page.rooms.get(visit.public_id)  # restored after Redis lost data: in the same room?
    if agent is None or room is None or room.agent_id != agent.pk:
        _room_end(page, visit, at)
        if agent is not None:
            _room_begin(page, visit, agent, int(change.queue), at)


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


def _room(page: RecordPage, seq: int, change: DeskChange, at: datetime) -> None:
    visit, agent = _visit(page, change), _agent(page, change)
    if visit is None or agent is None:
        return
    if visit.matched_at is None:
        visit.matched_at = at
        shifts.add(agent, "served")
    visit.agent, visit.queue_id = agent, int(change.queue)
    _room_begin(page, visit, agent, visit.queue_id, at)
    visit.why = change.text[:200]
    page.changed[visit.public_id] = visit
    _event(page, visit, agent, seq, change, at)


def _end(page: RecordPage, seq: int, change: DeskChange, at: datetime) -> None:
    visit = _visit(page, change)
    if visit is None:
        return
    outcome = change.word
    visit.outcome = outcome if outcome in OUTCOMES else Visit.Outcome.REMOVED
    visit.ended_at = at
    page.changed[visit.public_id] = visit
    _room_end(page, visit, at)
    page.told += webhook_events.visit_ended(visit)
    _event(page, visit, _agent(page, change), seq, change, at)


def _moved(page: RecordPage, seq: int, change: DeskChange, at: datetime) -> None:
    visit = _visit(page, change)
    if visit is not None:
        visit.queue_id = int(change.queue)
        _room_end(page, visit, at)
        visit.agent = None  # else a rebuild would put the visitor back into the earlier room
        page.changed[visit.public_id] = visit
        _event(page, visit, _agent(page, change), seq, change, at)


def _noted(page: RecordPage, seq: int, change: DeskChange, at: datetime) -> None:
    visit = _visit(page, change)
    if visit is not None:
        _event(page, visit, _agent(page, change), seq, change, at)


def _called(page: RecordPage, seq: int, change: DeskChange, at: datetime) -> None:
    visit = _visit(page, change)
    if visit is not None:
        visit.callback_call_id = change.word[:64]
        page.changed[visit.public_id] = visit
    _noted(page, seq, change, at)


def _event(
    page: RecordPage,
    visit: Visit,
    agent: Agent | None,
    seq: int,
    change: DeskChange,
    at: datetime,
) -> None:
    page.events.append(
        RoomEvent(
            visit=visit,
            generation=page.generation,
            seq=seq,
            kind=change.kind[:16],
            agent=agent,
            actor=change.by[:150],
            text=change.text[:200],
            at=at,
        )
    )


def _logout(agent: Agent, at: datetime, change: DeskChange) -> None:
    how = "lost" if change.kind == "agent_lost" else change.word
    shifts.end(agent, at, how)


Step = Callable[[RecordPage, int, DeskChange, datetime], None]


def _shift(note: Callable[[Agent, datetime, DeskChange], None]) -> Step:
    """Return a step that updates an agent's shift, if the agent still exists."""

    def step(page: RecordPage, _seq: int, change: DeskChange, at: datetime) -> None:
        agent = _agent(page, change)
        if agent is not None:
            note(agent, at, change)

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
    "login": _shift(lambda agent, at, _change: shifts.begin(agent, at)),
    "logout": _shift(_logout),
    "agent_lost": _shift(_logout),
    "pause": _shift(lambda agent, at, change: shifts.pause(agent, at, change.text)),
    "resume": _shift(lambda agent, at, _change: shifts.resume(agent, at)),
    "miss": _shift(lambda agent, _at, _change: shifts.add(agent, "missed")),
    "called": _called,
    "wrapup": _shift(lambda agent, at, _change: shifts.wrap_up_begin(agent, at)),
    "ready": _shift(lambda agent, at, _change: shifts.wrap_up_end(agent, at)),
}
