"""A desk's own settings, skills, saved replies, holidays and blocked visitors."""

from collections.abc import Sequence
from datetime import date, datetime
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath
from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, clean_reason, name_of, require
from poolsite.access.services.aggregates import Act
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import (
    Agent,
    BlockedVisitor,
    CannedReply,
    Closure,
    Desk,
    Queue,
    Skill,
)
from queueing.line.services import hours, routing
from queueing.line.services.common import after_commit, clean
from queueing.line.services.desks import apply_agent, apply_queue

SETTINGS = (
    *("name", "callback_pool", "transcript_days", "pause_reasons", "log_limit", "outcome_required"),
    *("attachment_mb", "attachment_kinds", "attachments_per_visit", "attachment_day_mb"),
)
REPLIES_LIMIT = 300
SKILLS_LIMIT = 40


def desk_configure(*, actor: Actor, desk: Desk, reason: str = "", **changes: Any) -> Desk:
    """Change a desk's own settings. Raise ValidationError if one is invalid."""
    require(actor, "line.configure", desk)
    unknown = set(changes) - set(SETTINGS)
    if unknown:
        raise TypeError(f"not settings of a desk: {sorted(unknown)}")
    act = Act(actor, "line.desk_configure", clean_reason(reason))
    with transaction.atomic():
        desk = Desk.objects.select_for_update().get(pk=desk.pk)
        aggregates.configure(desk, changes, Desk.full_clean, act)
    return desk


def agent_archive(*, actor: Actor, agent: Agent, reason: str = "") -> Agent:
    """Take an agent out of service. Raise LineError agent-online if the agent is logged in."""
    require(actor, "line.configure", agent.desk)
    found = hotpath.run(commands.agent_remove(agent.desk.slug, agent.user_id))
    if found.answer == "in_use":
        raise LineError("agent-online", _("The agent is online. Log the agent out first."))
    with transaction.atomic():
        agent = Agent.objects.select_for_update().select_related("desk").get(pk=agent.pk)
        if agent.archived_at is None:
            agent.archived_at = timezone.now()
            agent.save(update_fields=["archived_at"])
            access.audit(
                actor=actor, action="line.agent_archive", thing=agent, reason=clean(reason, 200)
            )
    return agent


def agent_restore(*, actor: Actor, agent: Agent) -> Agent:
    """Bring an archived agent back into service, with the previous settings."""
    require(actor, "line.configure", agent.desk)
    with transaction.atomic():
        agent = Agent.objects.select_for_update().select_related("desk").get(pk=agent.pk)
        if agent.archived_at is not None:
            agent.archived_at = None
            agent.save(update_fields=["archived_at"])
            access.audit(actor=actor, action="line.agent_restore", thing=agent)
        after_commit(agent.desk, lambda: apply_agent(agent))
    return agent


# -- skills and replies --------------------------------------------------------------------------


def skill_create(*, actor: Actor, desk: Desk, slug: str, name: str) -> Skill:
    """Create a skill that visitors may need. Raise ValidationError if it is invalid or exists."""
    require(actor, "line.configure", desk)
    if desk.skills.count() >= SKILLS_LIMIT:
        words = _("A desk can have up to %(limit)s skills. Remove one first.")
        raise ValidationError({"slug": words % {"limit": SKILLS_LIMIT}})
    skill = Skill(desk=desk, slug=slug, name=clean(name, 80))
    skill.full_clean()
    with transaction.atomic():
        skill.save(force_insert=True)
        access.audit(actor=actor, action="line.skill_create", thing=desk, after={"skill": slug})
    return skill


def skill_delete(*, actor: Actor, skill: Skill) -> None:
    """Delete a skill. Agents lose it; visitors who already wait for it find no agent."""
    desk = skill.desk
    require(actor, "line.configure", desk)
    holders = [agent for agent in desk.agents.select_related("desk") if skill.slug in agent.skills]
    with transaction.atomic():
        for agent in holders:
            agent.skills = {name: at for name, at in agent.skills.items() if name != skill.slug}
            agent.save(update_fields=["skills"])
        access.audit(
            actor=actor,
            action="line.skill_delete",
            thing=desk,
            before={"skill": skill.slug, "agents": [agent.name for agent in holders]},
        )
        routing.forget_skill(desk, skill.slug)
        skill.delete()
        for agent in holders:
            after_commit(desk, partial(apply_agent, agent))


def reply_save(*, actor: Actor, desk: Desk, shortcut: str, text: str) -> CannedReply:
    """Save a reply, replacing the text of its shortcut. Raise ValidationError if it is invalid."""
    require(actor, "line.configure", desk)
    reply = desk.canned_replies.filter(shortcut=shortcut).first()
    if reply is None and desk.canned_replies.count() >= REPLIES_LIMIT:
        words = _("A desk can have up to %(limit)s saved replies. Remove one first.")
        raise ValidationError({"shortcut": words % {"limit": REPLIES_LIMIT}})
    before = {"shortcut": shortcut, "text": reply.text} if reply is not None else None
    reply = reply or CannedReply(desk=desk, shortcut=shortcut)
    reply.text = text.strip()
    reply.full_clean()
    with transaction.atomic():
        reply.save()
        access.audit(
            actor=actor,
            action="line.reply_save",
            thing=desk,
            before=before,
            after={"shortcut": shortcut, "text": reply.text},
        )
    return reply


def reply_delete(*, actor: Actor, reply: CannedReply) -> None:
    """Delete a reply. Messages that were sent with it stay."""
    require(actor, "line.configure", reply.desk)
    with transaction.atomic():
        before = {"shortcut": reply.shortcut, "text": reply.text}
        access.audit(actor=actor, action="line.reply_delete", thing=reply.desk, before=before)
        reply.delete()


# -- holidays ------------------------------------------------------------------------------------


def closure_save(
    *,
    actor: Actor,
    queue: Queue,
    day: date,
    spans: Sequence[Sequence[str]],
    text: str = "",
    yearly: bool = False,
) -> Closure:
    """Give the queue these hours on that day; [] means closed. Raise ValidationError if invalid.

    yearly: on that day of every year, unless a year has its own entry for the day.
    """
    require(actor, "line.configure", queue)
    try:
        hours.read_spans(spans)
    except (ValueError, TypeError) as error:
        raise ValidationError({"hours": str(error)}) from None
    with transaction.atomic():
        closure, _made = Closure.objects.update_or_create(
            queue=queue,
            day=day,
            defaults={"hours": list(spans), "text": clean(text, 200), "yearly": yearly},
        )
        after: dict[str, Any] = {"day": day.isoformat(), "hours": list(spans)}
        if yearly:
            after["yearly"] = True
        access.audit(actor=actor, action="line.closure_save", thing=queue, after=after)
        after_commit(queue.desk, lambda: apply_queue(queue))
    return closure


def closures_import(
    *,
    actor: Actor,
    queues: Sequence[Queue],
    days: Sequence[tuple[date, Sequence[Sequence[str]], str]],
    yearly: bool = False,
) -> int:
    """Save the same days for several queues, as closure_save does. Return the number of days.

    Atomic: all days are saved, or none.
    """
    with transaction.atomic():
        for queue in queues:
            for day, spans, text in days:
                closure_save(
                    actor=actor, queue=queue, day=day, spans=spans, text=text, yearly=yearly
                )
    return len(days)


def closure_delete(*, actor: Actor, closure: Closure) -> None:
    """Delete a holiday. The day has its weekday's hours again."""
    queue = closure.queue
    require(actor, "line.configure", queue)
    with transaction.atomic():
        before = {"day": closure.day.isoformat(), "hours": closure.hours}
        access.audit(actor=actor, action="line.closure_delete", thing=queue, before=before)
        closure.delete()
        after_commit(queue.desk, lambda: apply_queue(queue))


# -- blocked visitors ----------------------------------------------------------------------------


def visitor_block(
    *, actor: Actor, desk: Desk, key: str, reason: str, until: datetime | None = None
) -> BlockedVisitor:
    """Refuse joins from a network address until a time, or permanently.

    Repeating it replaces the reason and the time.
    """
    require(actor, "line.supervise", desk)
    key = clean(key, 80)
    if not key or not reason.strip():
        raise LineError("malformed", _("Enter the address and the reason."))
    with transaction.atomic():
        blocked, _made = BlockedVisitor.objects.update_or_create(
            desk=desk,
            key=key,
            defaults={"reason": clean(reason, 200), "until": until, "created_by": name_of(actor)},
        )
        access.audit(
            actor=actor,
            action="line.visitor_block",
            thing=desk,
            after={"key": key, "until": until.isoformat() if until else None},
            reason=clean(reason, 200),
        )
    return blocked


def visitor_unblock(*, actor: Actor, blocked: BlockedVisitor) -> None:
    """Allow the address to join again."""
    require(actor, "line.supervise", blocked.desk)
    with transaction.atomic():
        before = {"key": blocked.key, "reason": blocked.reason}
        access.audit(actor=actor, action="line.visitor_unblock", thing=blocked.desk, before=before)
        blocked.delete()
