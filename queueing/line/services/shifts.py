"""Agents' shifts: time online with its pauses, rooms and wrap-ups, as the history tells them."""

from datetime import datetime

from queueing.line.models import Agent, AgentShift


def begin(agent: Agent, at: datetime) -> None:
    """The agent is online; a shift that is open already goes on."""
    if _open(agent) is None:
        AgentShift.objects.create(agent=agent, began_at=at)


def end(agent: Agent, at: datetime, how: str) -> None:
    """The agent is offline: "lost", or the reason of the log-out."""
    shift = _open(agent)
    if shift is not None:
        _end_pause(shift, at)
        _end_wrap_ups(shift, at)
        shift.ended_at, shift.ended_how = at, how[:16]
        shift.save()


def pause(agent: Agent, at: datetime, reason: str) -> None:
    """The agent pauses; a pause that runs already ends."""
    shift = _open(agent)
    if shift is not None:
        _end_pause(shift, at)
        _end_wrap_ups(shift, at)
        shift.pauses = [*shift.pauses, {"reason": reason, "from": at.isoformat(), "until": None}]
        shift.save()


def resume(agent: Agent, at: datetime) -> None:
    """The pause is over."""
    shift = _open(agent)
    if shift is not None:
        _end_pause(shift, at)
        shift.save()


def wrap_up_begin(agent: Agent, at: datetime) -> None:
    """One of the agent's rooms is in wrap-up."""
    shift = _open(agent)
    if shift is not None:
        shift.wrap_ups = [*shift.wrap_ups, at.isoformat()]
        shift.save(update_fields=["wrap_ups"])


def wrap_up_end(agent: Agent, at: datetime) -> None:
    """Wrap-ups are over; of two side by side the later is counted until the first one's end."""
    shift = _open(agent)
    if shift is not None:
        _end_wrap_ups(shift, at)
        shift.save(update_fields=["wrap_ups", "wrap_up_seconds"])


def add(agent: Agent, field: str, amount: int = 1) -> None:
    """Add to a counter of the open shift, else of the last: who is lost gives rooms back after."""
    shift = AgentShift.objects.filter(agent=agent).order_by("-began_at").first()
    if shift is not None:
        setattr(shift, field, getattr(shift, field) + max(0, amount))
        shift.save(update_fields=[field])


def _open(agent: Agent) -> AgentShift | None:
    return AgentShift.objects.filter(agent=agent, ended_at=None).first()


def _end_pause(shift: AgentShift, at: datetime) -> None:
    if shift.pauses and shift.pauses[-1]["until"] is None:
        began = datetime.fromisoformat(shift.pauses[-1]["from"])
        shift.pauses[-1]["until"] = at.isoformat()
        shift.paused_seconds += max(0, round((at - began).total_seconds()))


def _end_wrap_ups(shift: AgentShift, at: datetime) -> None:
    for began in shift.wrap_ups:
        seconds = (at - datetime.fromisoformat(began)).total_seconds()
        shift.wrap_up_seconds += max(0, round(seconds))
    shift.wrap_ups = []
