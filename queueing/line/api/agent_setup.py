"""Routes that list, add, change, archive and restore a desk's agents."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Query, Router, Status

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.models import User
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.reading import NothingIn
from poolsite.moments import iso
from queueing.line import desk as commands
from queueing.line.api.agent_schemas import (
    CandidateOut,
    DeskAgentChangeIn,
    DeskAgentIn,
    DeskAgentOut,
    DeskAgentsIn,
)
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desk_schemas import SupervisedReasonIn
from queueing.line.api.desks import Slug
from queueing.line.api.found import agent_named, may_configure, queue_named
from queueing.line.api.supervising import AgentId
from queueing.line.models import Agent, Desk
from queueing.line.selectors.people import people_of
from queueing.line.selectors.wallboard import state_of
from queueing.line.services import desk_settings, desks
from queueing.line.services.common import agents_at

agent_setup = Router(tags=["desk-people"])
VIEW, CONFIGURE = AtDesk("line.view"), AtDesk("line.configure")
ONE: dict[int, Any] = {200: DeskAgentOut}
Records = dict[int, commands.AgentRecord]


@agent_setup.get(
    "/{slug}/agents", auth=VIEW, response={200: Page[DeskAgentOut]}, summary="List a desk's agents"
)
def list_agents(request: HttpRequest, asked: Query[DeskAgentsIn], slug: str = Slug) -> Any:
    """The agents of the desk with their current state, newest first."""
    desk = desk_of_request(request)
    if asked.archived:
        access.require(principal_of_request(request), "line.configure", desk)
    rows = desk.agents.filter(archived_at__isnull=not asked.archived).prefetch_related("queues")
    if asked.queue:
        rows = rows.filter(queues=queue_named(request, asked.queue))
    records, may = _records(desk), may_configure(request)
    return page(request, asked, rows, lambda row: _out(row, records, may))


@agent_setup.post(
    "/{slug}/agents", auth=CONFIGURE, response={201: DeskAgentOut}, summary="Add an agent"
)
def add_agent(request: HttpRequest, given: DeskAgentIn, slug: str = Slug) -> Any:
    """Make a person an agent of the desk. They can go online at once."""
    desk = desk_of_request(request)
    settings = _settings(request, given.model_dump(exclude={"user"}))
    agent = desks.agent_create(
        actor=principal_of_request(request), desk=desk, user=_person(desk, given.user), **settings
    )
    return Status(201, _one(request, agent.user_id))


@agent_setup.get(
    "/{slug}/candidates",
    auth=CONFIGURE,
    response={200: Page[CandidateOut]},
    summary="List people who can become agents",
)
def list_candidates(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """Members of the desk's account who aren't agents of any desk."""
    rows = people_of(desk_of_request(request))
    return page(request, asked, rows, lambda row: {"user": row.pk, "name": row.display_name})


@agent_setup.get("/{slug}/agents/{agent}", auth=VIEW, response=ONE, summary="Get a desk's agent")
def get_desk_agent(request: HttpRequest, slug: str = Slug, agent: int = AgentId) -> Any:
    """The agent with the settings and the current state."""
    return _one(request, agent)


@agent_setup.patch(
    "/{slug}/agents/{agent}", auth=CONFIGURE, response=ONE, summary="Change an agent"
)
def change_agent(
    request: HttpRequest, given: DeskAgentChangeIn, slug: str = Slug, agent: int = AgentId
) -> Any:
    """Change some of the agent's settings. The agent's open rooms continue."""
    found = agent_named(request, agent)
    changes = _settings(request, given.model_dump(exclude_unset=True))
    desks.agent_configure(actor=principal_of_request(request), agent=found, **changes)
    return _one(request, agent)


@agent_setup.post(
    "/{slug}/agents/{agent}/archive", auth=CONFIGURE, response=ONE, summary="Archive an agent"
)
def archive_agent(
    request: HttpRequest, given: SupervisedReasonIn, slug: str = Slug, agent: int = AgentId
) -> Any:
    """Take the agent out of service. Log the agent out first. Repeating it changes nothing."""
    desk_settings.agent_archive(
        actor=principal_of_request(request), agent=agent_named(request, agent), reason=given.reason
    )
    return _one(request, agent)


@agent_setup.post(
    "/{slug}/agents/{agent}/restore", auth=CONFIGURE, response=ONE, summary="Restore an agent"
)
def restore_agent(
    request: HttpRequest, given: NothingIn, slug: str = Slug, agent: int = AgentId
) -> Any:
    """The archived agent can serve again, with the same settings."""
    found = agent_named(request, agent)
    desk_settings.agent_restore(actor=principal_of_request(request), agent=found)
    return _one(request, agent)


def _person(desk: Desk, user_id: int) -> User:
    found = people_of(desk).filter(pk=user_id).first()
    if found is None:
        raise ValidationError("user: not a member of the desk's account, or already an agent")
    return found


def _settings(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings for the services: queues as rows, and only skills that the desk has."""
    known = set(desk_of_request(request).skills.values_list("slug", flat=True))
    if unknown := sorted(set(given.get("skills", ())) - known):
        raise ValidationError(f"skills: the desk has no skill {unknown[0]}")
    if "queues" in given:
        given["queues"] = [queue_named(request, each) for each in given["queues"]]
    return given


def _records(desk: Desk) -> Records:
    return {record.agent: record for record in agents_at(desk.slug)}


def _one(request: HttpRequest, user_id: int) -> dict[str, Any]:
    found = agent_named(request, user_id)
    return _out(found, _records(found.desk), may_configure(request))


def _out(agent: Agent, records: Records, may_configure: bool) -> dict[str, Any]:
    record = records.get(agent.user_id)
    is_online = record is not None and record.state != "offline"
    state = state_of(record) if record is not None and is_online else "offline"
    return {
        "agent": agent.user_id,
        "name": agent.name,
        "capacity": agent.capacity,
        "queues": sorted(queue.slug for queue in agent.queues.all()),
        "skills": agent.skills,
        "state": state,
        "pause": record.word if record is not None and state == "paused" else "",
        "archived_at": iso(agent.archived_at),
        "phone": agent.phone if may_configure else None,
    }
