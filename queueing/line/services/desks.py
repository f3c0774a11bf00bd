"""Desks, queues and agents: created and changed in SQL, then written to Redis."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite import access, hotpath
from poolsite.access.models import Account, User
from poolsite.access.models.tenants import refuse_reserved
from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.moments import zone_names
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, Queue
from queueing.line.services import hours
from queueing.line.services.common import after_commit, agent_settings, queue_settings

# Hours, topics and the overflow queue have their own forms in every interface.
QUEUE_SETTINGS = (
    *("name", "is_open", "welcome", "closed_text", "zone", "position", "mode"),
    *("offer_seconds", "decline_seconds", "misses_limit", "wrap_up_seconds"),
    *("max_wait_seconds", "max_length", "grace_seconds", "room_grace_seconds"),
    *("skills_relax_seconds", "no_agent", "no_agent_seconds"),
    *("answer_within_seconds", "service_level_alarm_percent", "longest_wait_alarm_seconds"),
    *("ttl_seconds", "agent_grace_seconds"),
)
AGENT_SETTINGS = ("name", "capacity", "phone")


def desk_create(
    *, actor: Actor, slug: str, name: str, account: Account | None = None, **settings: Any
) -> Desk:
    """Create a desk in SQL, then in Redis. Raise ValidationError if a field is invalid."""
    require(actor, "line.create")
    generation = hotpath.generation_new()
    desk = Desk(slug=slug, name=name, account=account, generation=generation, **settings)
    refuse_reserved(slug)
    desk.full_clean()
    with transaction.atomic():
        desk.save(force_insert=True)
        after = {"slug": slug, "name": name}
        access.audit(actor=actor, action="line.desk_create", thing=desk, after=after)
        after_commit(desk, lambda: begin_desk(desk))
    return desk


def begin_desk(desk: Desk) -> None:
    """Create the desk's data in Redis, with its queues and agents.

    Never replaces a later generation.
    """
    if hotpath.run(commands.create(desk.slug, desk.generation, log_limit=desk.log_limit)).ok:
        apply_desk(desk)


def apply_desk(desk: Desk) -> None:
    """Write every queue and agent from SQL to Redis. Repeating it changes nothing."""
    queues = [
        commands.queue_write(
            *(desk.slug, queue.pk, queue_settings(queue, is_open=hours.is_open(queue))),
            log_limit=desk.log_limit,
        )
        for queue in desk.queues.select_related("desk", "desk__account")
    ]
    agents = [
        commands.agent_write(desk.slug, agent.user_id, agent_settings(agent))
        for agent in desk.agents.filter(archived_at=None).prefetch_related("queues")
    ]
    hotpath.run_all([*queues, *agents])


def queue_create(*, actor: Actor, desk: Desk, slug: str, name: str, **settings: Any) -> Queue:
    """Create a queue. Raise ValidationError if a field is invalid."""
    require(actor, "line.configure", desk)
    queue = Queue(desk=desk, slug=slug, name=name, **settings)
    refuse_reserved(slug)
    _full_clean(queue)
    with transaction.atomic():
        queue.save(force_insert=True)
        Act(actor, "line.queue_create", "").write(queue, None, {"slug": slug, **settings})
        after_commit(desk, lambda: apply_queue(queue))
    return queue


def queue_configure(*, actor: Actor, queue: Queue, reason: str = "", **changes: Any) -> Queue:
    """Change a queue's settings, effective immediately. Raise ValidationError if one is invalid."""
    require(actor, "line.configure", queue)
    act = Act(actor, "line.queue_configure", clean_reason(reason))
    with transaction.atomic():
        queue = Queue.objects.select_for_update().select_related("desk").get(pk=queue.pk)
        aggregates.configure(queue, changes, _full_clean, act)
        after_commit(queue.desk, lambda: apply_queue(queue))
    return queue


def apply_queue(queue: Queue) -> None:
    """Write a queue's settings to Redis, including whether it is open now."""
    settings = queue_settings(queue, is_open=hours.is_open(queue))
    command = commands.queue_write(
        queue.desk.slug, queue.pk, settings, log_limit=queue.desk.log_limit
    )
    hotpath.run(command)


def _full_clean(queue: Queue) -> None:
    queue.full_clean()
    for day, spans in queue.hours.items():
        try:
            hours.read_spans(spans)
        except (ValueError, TypeError) as error:
            raise ValidationError({"hours": f"{day}: {error}"}) from None
    if queue.zone and queue.zone not in zone_names():
        raise ValidationError({"zone": _("Unknown time zone. Use a name such as Asia/Shanghai.")})
    over = queue.overflow
    if over is not None and (over.desk_id != queue.desk_id or over.pk == queue.pk):
        raise ValidationError({"overflow": _("Choose another queue of the same desk.")})


def agent_create(
    *,
    actor: Actor,
    desk: Desk,
    user: User,
    name: str,
    queues: Iterable[Queue],
    capacity: int = 1,
    skills: Mapping[str, int] | None = None,
    phone: str = "",
) -> Agent:
    """Make a user an agent of this desk. Raise ValidationError if a field is invalid."""
    require(actor, "line.configure", desk)
    agent = Agent(
        desk=desk,
        user=user,
        name=name,
        capacity=capacity,
        skills={} if skills is None else skills,
        phone=phone,
    )
    agent.full_clean()
    wanted = _queues_of(desk, queues)
    with transaction.atomic():
        agent.save(force_insert=True)
        agent.queues.set(wanted)
        after = {"user": user.get_username(), "queues": [queue.slug for queue in wanted]}
        access.audit(actor=actor, action="line.agent_create", thing=agent, after=after)
        after_commit(desk, lambda: apply_agent(agent))
    return agent


def agent_configure(
    *,
    actor: Actor,
    agent: Agent,
    queues: Iterable[Queue] | None = None,
    reason: str = "",
    **changes: Any,
) -> Agent:
    """Change an agent's settings. The agent's open rooms continue."""
    require(actor, "line.configure", agent.desk)
    act = Act(actor, "line.agent_configure", clean_reason(reason))
    with transaction.atomic():
        agent = Agent.objects.select_for_update().select_related("desk").get(pk=agent.pk)
        if queues is not None:
            changes["queues"] = _queues_of(agent.desk, queues)
        aggregates.configure(agent, changes, Agent.full_clean, act)
        after_commit(agent.desk, lambda: apply_agent(agent))
    return agent


def apply_agent(agent: Agent) -> None:
    """Write an agent's settings to Redis."""
    hotpath.run(commands.agent_write(agent.desk.slug, agent.user_id, agent_settings(agent)))


def _queues_of(desk: Desk, queues: Iterable[Queue]) -> list[Queue]:
    wanted = list(queues)
    if any(queue.desk_id != desk.pk for queue in wanted):
        raise LineError("unknown-queue", _("An agent serves queues of its own desk only."))
    return wanted
