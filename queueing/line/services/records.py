"""What the history becomes in SQL: events, visits' outcomes, rooms' stories, agents' shifts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from poolsite import history, live
from poolsite.history import Entry
from queueing.line.models import Agent, AgentShift, LineEvent, RoomEvent, Visit
from queueing.line.services.common import moment

KNOWN = {"at", "k", "v", "a", "q"}
OUTCOMES = {choice.value for choice in Visit.Outcome}
IN_ROOMS = {"room", "end", "returned", "transfer", "offer", "declined", "missed", "wrapup"}


@dataclass
class Page:
    """Some entries of one desk, with the rows that they are about."""

    desk_id: int
    generation: int
    visits: dict[str, Visit]
    agents: dict[int, Agent]  # by their user's id, as Redis names them
    changed: dict[str, Visit]
    events: list[RoomEvent]


def write_entries(desk_id: int, generation: int, entries: Sequence[Entry]) -> None:
    """Write a page of entries inside the drain's transaction; again is absorbed."""
    history.services.insert_rows(
        [
            LineEvent(
                aggregate_id=desk_id,
                generation=generation,
                seq=entry.seq,
                at_us=entry.at_us,
                kind=entry.fields.get("k", "")[:16],
                visit=entry.fields.get("v", "")[:32],
                agent=entry.fields.get("a", "")[:20],
                queue=entry.fields.get("q", "")[:40],
                data={name: text for name, text in entry.fields.items() if name not in KNOWN},
            )
            for entry in entries
        ]
    )
    page = _page(desk_id, generation, entries)
    for entry in entries:
        step = STEPS.get(entry.fields.get("k", ""))
        if step is not None:
            step(page, entry.seq, entry.fields, moment(entry.at_us))
    fields = ["queue_id", "matched_at", "agent_id", "why", "ended_at", "outcome"]
    Visit.objects.bulk_update(page.changed.values(), fields, batch_size=200)
    RoomEvent.objects.bulk_create(page.events, ignore_conflicts=True, batch_size=500)
    for visit in page.changed:
        live.touch(f"line.room:{visit}")


def _page(desk_id: int, generation: int, entries: Sequence[Entry]) -> Page:
    names = {entry.fields["v"] for entry in entries if entry.fields.get("v", "-") != "-"}
    visits = {row.public_id: row for row in Visit.objects.filter(public_id__in=names)}
    agents = {row.user_id: row for row in Agent.objects.filter(desk_id=desk_id)}
    return Page(desk_id, generation, visits, agents, {}, [])


def _agent(page: Page, fields: Mapping[str, str]) -> Agent | None:
    text = fields.get("a", "-")
    return page.agents.get(int(text)) if text.isdecimal() else None


def _visit(page: Page, fields: Mapping[str, str]) -> Visit | None:
    """The visit's row; made here when the process that served the join died before it did."""
    name = fields.get("v", "-")
    row = page.visits.get(name)
    if row is None and name != "-" and fields.get("k") in ("join", "loaded"):
        row = Visit.objects.create(
            public_id=name,
            desk_id=page.desk_id,
            queue_id=int(fields["q"]),
            priority=int(fields["c"]),
            joined_at=moment(int(fields["t"])),
        )
        page.visits[name] = row
    return row


def _join(page: Page, _seq: int, fields: Mapping[str, str], _at: datetime) -> None:
    _visit(page, fields)


def _room(page: Page, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit, agent = _visit(page, fields), _agent(page, fields)
    if visit is None or agent is None:
        return
    if visit.matched_at is None:
        visit.matched_at = at
        _shift_add(agent, "served")
    visit.agent, visit.queue_id = agent, int(fields["q"])
    visit.why = fields.get("w", "").replace("_", " ")[:200]
    page.changed[visit.public_id] = visit
    _event(page, visit, agent, seq, fields, at)


def _end(page: Page, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit = _visit(page, fields)
    if visit is None:
        return
    outcome = fields.get("w", "")
    visit.outcome = outcome if outcome in OUTCOMES else Visit.Outcome.REMOVED
    visit.ended_at = at
    page.changed[visit.public_id] = visit
    agent = _agent(page, fields)
    if agent is not None and fields.get("r") == "1" and visit.matched_at is not None:
        _shift_add(agent, "busy_seconds", round((at - visit.matched_at).total_seconds()))
    _event(page, visit, agent, seq, fields, at)


def _moved(page: Page, seq: int, fields: Mapping[str, str], at: datetime) -> None:
    visit = _visit(page, fields)
    if visit is not None:
        visit.queue_id = int(fields["q"])
        visit.agent = None  # or a rebuild would put who waits into the room of before
        page.changed[visit.public_id] = visit
        _event(page, visit, _agent(page, fields), seq, fields, at)


def _event(
    page: Page,
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


def _login(page: Page, _seq: int, fields: Mapping[str, str], at: datetime) -> None:
    agent = _agent(page, fields)
    if agent is not None and not _open_shift(agent):
        AgentShift.objects.create(agent=agent, began_at=at)


def _logout(page: Page, _seq: int, fields: Mapping[str, str], at: datetime) -> None:
    agent = _agent(page, fields)
    shift = _open_shift(agent) if agent is not None else None
    if shift is not None:
        _end_pause(shift, at)
        shift.ended_at = at
        shift.ended_how = "lost" if fields["k"] == "agent_lost" else fields.get("w", "")[:16]
        shift.save()


def _pause(page: Page, _seq: int, fields: Mapping[str, str], at: datetime) -> None:
    agent = _agent(page, fields)
    shift = _open_shift(agent) if agent is not None else None
    if shift is not None:
        _end_pause(shift, at)
        reason = fields.get("w", "").replace("_", " ")
        shift.pauses = [*shift.pauses, {"reason": reason, "from": at.isoformat(), "until": None}]
        shift.save()


def _resume(page: Page, _seq: int, fields: Mapping[str, str], at: datetime) -> None:
    agent = _agent(page, fields)
    shift = _open_shift(agent) if agent is not None else None
    if shift is not None:
        _end_pause(shift, at)
        shift.save()


def _miss(page: Page, _seq: int, fields: Mapping[str, str], _at: datetime) -> None:
    agent = _agent(page, fields)
    if agent is not None:
        _shift_add(agent, "missed")


def _open_shift(agent: Agent) -> AgentShift | None:
    return AgentShift.objects.filter(agent=agent, ended_at=None).first()


def _shift_add(agent: Agent, field: str, amount: int = 1) -> None:
    shift = _open_shift(agent)
    if shift is not None:
        setattr(shift, field, getattr(shift, field) + max(0, amount))
        shift.save(update_fields=[field])


def _end_pause(shift: AgentShift, at: datetime) -> None:
    if shift.pauses and shift.pauses[-1]["until"] is None:
        began = datetime.fromisoformat(shift.pauses[-1]["from"])
        shift.pauses[-1]["until"] = at.isoformat()
        shift.paused_seconds += max(0, round((at - began).total_seconds()))


Step = Callable[[Page, int, Mapping[str, str], datetime], None]
STEPS: Mapping[str, Step] = {
    "join": _join,
    "loaded": _join,
    "room": _room,
    "end": _end,
    "returned": _moved,
    "transfer": _moved,
    "move": _moved,
    "overflow": _moved,
    "declined": _moved,
    "missed": _moved,
    "login": _login,
    "logout": _logout,
    "agent_lost": _logout,
    "pause": _pause,
    "resume": _resume,
    "miss": _miss,
}
