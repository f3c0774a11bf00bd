"""A desk's lists: skills, saved replies, outcomes."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.api.list_schemas import (
    DeskOutcomeIn,
    DeskOutcomeOut,
    DeskSkillIn,
    DeskSkillOut,
    OutcomesAddedOut,
    ReplyIn,
    ReplyOut,
)
from queueing.line.errors import LineError
from queueing.line.models import CannedReply, OutcomeCode, Skill
from queueing.line.services import desk_settings, outcomes

lists = Router(tags=["desk-setup"])
VIEW, CONFIGURE = AtDesk("line.view"), AtDesk("line.configure")
GONE: dict[int, Any] = {204: None}
SkillName: Any = param.Path(..., pattern=r"^[a-z0-9-]{1,20}$", description="The skill's slug.")
Shortcut: Any = param.Path(..., pattern=r"^[a-z0-9-]{1,20}$", description="The reply's shortcut.")
OutcomeId: Any = param.Path(..., ge=1, lt=2**31, description="The outcome's ID.")


# -- skills ----------------------------------------------------------------------------------------


@lists.get(
    "/{slug}/skills", auth=CONFIGURE, response={200: Page[DeskSkillOut]}, summary="List skills"
)
def list_skills(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The skills of the desk, newest first."""
    return page(request, asked, desk_of_request(request).skills.all(), _skill)


@lists.post(
    "/{slug}/skills", auth=CONFIGURE, response={201: DeskSkillOut}, summary="Create a skill"
)
def create_skill(request: HttpRequest, given: DeskSkillIn, slug: str = Slug) -> Any:
    """Create a skill. Give it to agents, and require it for topics or languages."""
    made = desk_settings.skill_create(
        actor=principal_of_request(request), desk=desk_of_request(request), **given.model_dump()
    )
    return Status(201, _skill(made))


@lists.delete("/{slug}/skills/{skill}", auth=CONFIGURE, response=GONE, summary="Delete a skill")
def delete_skill(request: HttpRequest, slug: str = Slug, skill: str = SkillName) -> Any:
    """Delete the skill. Agents and topics lose it."""
    rows = Skill.objects.select_related("desk__account")
    found = rows.filter(desk=desk_of_request(request), slug=skill).first()
    if found is None:
        raise ProblemError("unknown-skill")
    desk_settings.skill_delete(actor=principal_of_request(request), skill=found)
    return Status(204, None)


def _skill(row: Skill) -> dict[str, Any]:
    return {"slug": row.slug, "name": row.name}


# -- saved replies ---------------------------------------------------------------------------------


@lists.get(
    "/{slug}/replies", auth=CONFIGURE, response={200: Page[ReplyOut]}, summary="List saved replies"
)
def list_replies(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The saved replies of the desk, newest first."""
    return page(request, asked, desk_of_request(request).canned_replies.all(), _reply)


@lists.put(
    "/{slug}/replies/{shortcut}",
    auth=CONFIGURE,
    response={200: ReplyOut},
    summary="Save a reply",
)
def save_reply(
    request: HttpRequest, given: ReplyIn, slug: str = Slug, shortcut: str = Shortcut
) -> Any:
    """Create the reply, or replace the text of the one with this shortcut."""
    made = desk_settings.reply_save(
        actor=principal_of_request(request),
        desk=desk_of_request(request),
        shortcut=shortcut,
        text=given.text,
    )
    return _reply(made)


@lists.delete(
    "/{slug}/replies/{shortcut}", auth=CONFIGURE, response=GONE, summary="Delete a saved reply"
)
def delete_reply(request: HttpRequest, slug: str = Slug, shortcut: str = Shortcut) -> Any:
    """Delete the reply. Messages that were sent with it stay."""
    rows = CannedReply.objects.select_related("desk__account")
    found = rows.filter(desk=desk_of_request(request), shortcut=shortcut).first()
    if found is None:
        raise ProblemError("unknown-reply")
    desk_settings.reply_delete(actor=principal_of_request(request), reply=found)
    return Status(204, None)


def _reply(row: CannedReply) -> dict[str, Any]:
    return {"shortcut": row.shortcut, "text": row.text}


# -- outcomes --------------------------------------------------------------------------------------


@lists.get(
    "/{slug}/outcomes",
    auth=VIEW,
    response={200: Page[DeskOutcomeOut]},
    summary="List outcomes",
)
def list_outcomes(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The outcomes that agents can choose, newest first. `position` is their order."""
    rows = desk_of_request(request).outcome_codes.filter(archived_at=None)
    return page(request, asked, rows, _outcome)


@lists.post(
    "/{slug}/outcomes", auth=CONFIGURE, response={201: DeskOutcomeOut}, summary="Add an outcome"
)
def add_outcome(request: HttpRequest, given: DeskOutcomeIn, slug: str = Slug) -> Any:
    """Add an outcome at the end of the list."""
    made = outcomes.outcome_add(
        actor=principal_of_request(request), desk=desk_of_request(request), **given.model_dump()
    )
    return Status(201, _outcome(made))


@lists.post(
    "/{slug}/outcomes/usual",
    auth=CONFIGURE,
    response={200: OutcomesAddedOut},
    summary="Add the usual outcomes",
)
def add_usual_outcomes(request: HttpRequest, given: NothingIn, slug: str = Slug) -> Any:
    """Add the four outcomes that most desks begin with, except those that already exist."""
    principal, desk = principal_of_request(request), desk_of_request(request)
    return {"added": outcomes.outcomes_usual(actor=principal, desk=desk)}


@lists.delete(
    "/{slug}/outcomes/{outcome}", auth=CONFIGURE, response=GONE, summary="Remove an outcome"
)
def remove_outcome(request: HttpRequest, slug: str = Slug, outcome: int = OutcomeId) -> Any:
    """Remove the outcome from the agents' choices. Visits that have it keep it."""
    outcomes.outcome_remove(
        actor=principal_of_request(request), code=_found_outcome(request, outcome)
    )
    return Status(204, None)


@lists.post(
    "/{slug}/outcomes/{outcome}/up",
    auth=CONFIGURE,
    response={200: DeskOutcomeOut},
    summary="Move an outcome up",
)
def move_outcome_up(
    request: HttpRequest, given: NothingIn, slug: str = Slug, outcome: int = OutcomeId
) -> Any:
    """Move the outcome up one place in the list. The first one stays."""
    code = _found_outcome(request, outcome)
    outcomes.outcome_move_up(actor=principal_of_request(request), code=code)
    return _outcome(_found_outcome(request, outcome))


def _found_outcome(request: HttpRequest, key: int) -> OutcomeCode:
    rows = OutcomeCode.objects.select_related("desk__account").filter(archived_at=None)
    found = rows.filter(desk=desk_of_request(request), pk=key).first()
    if found is None:
        raise LineError("no-such-outcome")
    return found


def _outcome(row: OutcomeCode) -> dict[str, Any]:
    return {"id": row.pk, "name": row.name, "tone": row.tone, "position": row.position}
