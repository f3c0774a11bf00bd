"""Outcomes: a desk's list, and the one chosen for a visit."""

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath, live
from poolsite.access.services.actor import Actor, name_of, require
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, OutcomeCode, Visit
from queueing.line.services.common import clean

CODES_LIMIT = 12
AGENT_CHANGES = timedelta(days=7)  # after the visit's end; a supervisor may change it later


def outcome_add(
    *, actor: Actor, desk: Desk, name: str, tone: str = OutcomeCode.Tone.PLAIN
) -> OutcomeCode:
    """Add an outcome at the end of the list, or restore a removed one of this name.

    Raise ValidationError if it is invalid, already exists, or the desk has CODES_LIMIT outcomes.
    """
    require(actor, "line.configure", desk)
    with transaction.atomic():
        Desk.objects.select_for_update().get(pk=desk.pk)
        codes = desk.outcome_codes.all()
        if codes.filter(archived_at=None).count() >= CODES_LIMIT:
            raise ValidationError(
                {
                    "name": _("A desk can have up to %(n)s outcomes. Remove one first.")
                    % {"n": CODES_LIMIT}
                }
            )
        name = clean(name, 40)
        code = codes.exclude(archived_at=None).filter(name=name).first()
        code = code or OutcomeCode(desk=desk, name=name)
        last = codes.order_by("-position").first()
        code.tone, code.archived_at = tone, None
        code.position = last.position + 1 if last is not None else 1
        code.full_clean()
        code.save()
        after = {"outcome": code.name, "tone": code.tone}
        access.audit(actor=actor, action="line.outcome_add", thing=desk, after=after)
    return code


def outcomes_usual(*, actor: Actor, desk: Desk) -> int:
    """Add the four usual outcomes, in the actor's language. Return how many were new."""
    usual = (
        (_("Solved"), OutcomeCode.Tone.GOOD),
        (_("Needs follow-up"), OutcomeCode.Tone.OPEN),
        (_("Passed on"), OutcomeCode.Tone.PLAIN),
        (_("Not for us"), OutcomeCode.Tone.PLAIN),
    )
    known = set(desk.outcome_codes.filter(archived_at=None).values_list("name", flat=True))
    new = [each for each in usual if each[0] not in known]
    with transaction.atomic():
        for name, tone in new:
            outcome_add(actor=actor, desk=desk, name=name, tone=tone)
    return len(new)


def outcome_remove(*, actor: Actor, code: OutcomeCode) -> None:
    """Remove an outcome from the choices. Visits that have it keep it, and reports count it."""
    require(actor, "line.configure", code.desk)
    with transaction.atomic():
        before = {"outcome": code.name}
        access.audit(actor=actor, action="line.outcome_remove", thing=code.desk, before=before)
        if Visit.objects.filter(outcome_code=code).exists():
            code.archived_at = code.archived_at or timezone.now()
            code.save(update_fields=["archived_at"])
        else:
            code.delete()


def outcome_move_up(*, actor: Actor, code: OutcomeCode) -> None:
    """Move an outcome one place up in the list. The first one stays."""
    require(actor, "line.configure", code.desk)
    with transaction.atomic():
        Desk.objects.select_for_update().get(pk=code.desk_id)
        codes = list(code.desk.outcome_codes.filter(archived_at=None))
        at = next((place for place, each in enumerate(codes) if each.pk == code.pk), 0)
        if at == 0:
            return
        codes[at - 1], codes[at] = codes[at], codes[at - 1]
        for place, each in enumerate(codes, 1):
            each.position = place
        OutcomeCode.objects.bulk_update(codes, ["position"])
        after = {"outcome": code.name, "place": at}
        access.audit(actor=actor, action="line.outcome_move", thing=code.desk, after=after)


# -- of a visit ----------------------------------------------------------------------------------


def outcome_of_id(visit: Visit, key: int | None) -> OutcomeCode | None:
    """Return the desk's outcome with this ID; None stays None. Raise LineError no-such-outcome."""
    if key is None:
        return None
    code = OutcomeCode.objects.filter(desk=visit.desk_id, pk=key).first()
    if code is None or (code.archived_at is not None and visit.outcome_code_id != code.pk):
        raise LineError("no-such-outcome", _("Outcome not found at this desk."))
    return code


def visit_outcome(
    *, actor: Actor, visit: Visit, code: OutcomeCode | None, agent: Agent | None = None
) -> Visit:
    """Set the outcome of a visit. Repeating it changes nothing.

    The agent of the last room (`agent`) may set it from the start of the room until AGENT_CHANGES
    after the visit's end. Without `agent`, the actor must be a supervisor, and the change is
    audited. Raise LineError not-yours or outcome-closed.
    """
    if agent is None:
        require(actor, "line.supervise", visit)
    else:
        _refuse_agent(agent, visit)
    with transaction.atomic():
        row = Visit.objects.select_for_update().get(pk=visit.pk)
        if row.outcome_code_id == (code.pk if code is not None else None):
            return row
        before = {"outcome": row.outcome_code.name} if row.outcome_code is not None else None
        row.outcome_code, row.outcome_at = code, timezone.now()
        row.outcome_by = name_of(actor)[:150]
        row.save(update_fields=["outcome_code", "outcome_at", "outcome_by"])
        if agent is None:
            after = {"outcome": code.name if code is not None else ""}
            access.audit(
                actor=actor, action="line.visit_outcome", thing=visit, before=before, after=after
            )
        live.touch(f"line.room:{visit.public_id}")
    return row


def may_choose(agent: Agent, visit: Visit) -> bool:
    """Whether this agent may set the visit's outcome now."""
    try:
        _refuse_agent(agent, visit)
    except LineError:
        return False
    return True


def had_last(agent: Agent, visit: Visit) -> bool:
    """Whether this agent has, or had, the visit's last room."""
    return _last_agent(visit) == agent.user_id


def _refuse_agent(agent: Agent, visit: Visit) -> None:
    if not had_last(agent, visit):
        raise LineError("not-yours", _("Only the last agent of this visit can set its outcome."))
    if visit.ended_at is not None and visit.ended_at < timezone.now() - AGENT_CHANGES:
        raise LineError(
            "outcome-closed",
            _("The visit ended too long ago. Ask a supervisor to change its outcome."),
        )


def _last_agent(visit: Visit) -> int | None:
    """Return the user ID of the visit's last agent. Redis knows it first; SQL is the fallback."""
    found = hotpath.run(commands.visits(visit.desk.slug, [visit.public_id])).get(visit.public_id)
    if found is not None:
        return found.agent if found.state in ("room", "ended") else None
    return visit.agent.user_id if visit.agent is not None else None
