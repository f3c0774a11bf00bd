"""Agents' shifts: time online with pauses, rooms and wrap-ups, built from the history."""

from datetime import datetime

from queueing.line.models import Agent, AgentShift


def begin(agent: Agent, at: datetime) -> None:
    """Begin a shift when the agent comes online. An open shift continues."""
    if _open(agent) is None:
        AgentShift.objects.create(agent=agent, began_at=at)


def end(agent: Agent, at: datetime, how: str) -> None:
    """End the shift. `how` is "lost", or the reason of the logout."""
    shift = _open(agent)
    if shift is not None:
        _end_pause(shift, at)
        _end_wrap_ups(shift, at)
        shift.ended_at, shift.ended_how = at, how[:16]
        shift.save()


def pause(agent: Agent, at: datetime, reason: str) -> None:
    """Begin a pause. A running pause ends."""
    shift = _open(agent)
    if shift is not None:
        _end_pause(shift, at)
        _end_wrap_ups(shift, at)
        shift.pauses = [*shift.pauses, {"reason": reason, "from": at.isoformat(), "until": None}]
        shift.save()


def resume(agent: Agent, at: datetime) -> None:
    """End the pause."""
    shift = _open(agent)
    if shift is not None:
        _end_pause(shift, at)
        shift.save()


def wrap_up_begin(agent: Agent, at: datetime) -> None:
    """Begin a wrap-up after one of the agent's rooms."""
    shift = _open(agent)
    if shift is not None:
        shift.wrap_ups = [*shift.wrap_ups, at.isoformat()]
        shift.save(update_fields=["wrap_ups"])


def wrap_up_end(agent: Agent, at: datetime) -> None:
    """End all wrap-ups. When the first of two ends, the second counts until that moment."""
    shift = _open(agent)
    if shift is not None:
        _end_wrap_ups(shift, at)
        shift.save(update_fields=["wrap_ups", "wrap_up_seconds"])


def add(agent: Agent, field: str, amount: int = 1) -> None:
    """Add to a counter of the agent's last shift. A lost agent's rooms end after the shift does."""
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
