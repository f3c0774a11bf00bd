"""The routes of sessions: list, explain and end them."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite import hotpath
from poolsite.access import principal_of_request
from poolsite.api.pages import Page, check_known
from poolsite.api.root import ProblemError
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.api.common import Slug, group_of, peer_rows
from queueing.dispatch.api.list_schemas import SESSION, SessionRowOut, SessionsIn
from queueing.dispatch.schemas import ReasonIn, SessionOut
from queueing.dispatch.selectors.peers import peer_of
from queueing.dispatch.services.common import redis_refusals

sessions = Router(tags=["groups"])


@sessions.get("/{slug}/sessions", response={200: Page[SessionRowOut]}, summary="List sessions")
def list_sessions(request: HttpRequest, asked: Query[SessionsIn], slug: str = Slug) -> Any:
    """The sessions of a front-end or an instance, by ID."""
    group = group_of(principal_of_request(request), slug)
    check_known(request, asked)
    if peer_of(group, asked.peer, peer_rows(group)) is None:
        raise ProblemError("unknown-peer")
    with redis_refusals():
        found = hotpath.run(commands.sessions_of(group.slug, asked.peer, asked.cursor, asked.limit))
    rows = [SessionRowOut(**selectors.session_row_out(row)) for row in found.rows]
    return Page(data=rows, next=found.after or None)


@sessions.get("/{slug}/sessions/explain", response={200: SessionOut}, summary="Explain a session")
def explain_session(
    request: HttpRequest,
    slug: str = Slug,
    session: str = param.Query(..., pattern=SESSION),
) -> Any:
    """Which instance serves the session, why, for how long, and what blocking it would do."""
    group = group_of(principal_of_request(request), slug)
    with redis_refusals():
        story = selectors.session_story(group, session)
    if story is None:
        raise ProblemError("unknown-session")
    return selectors.session_out(story)


@sessions.post("/{slug}/sessions/end", response={204: None}, summary="End a session")
def end_session(
    request: HttpRequest,
    given: ReasonIn,
    slug: str = Slug,
    session: str = param.Query(..., pattern=SESSION),
) -> Any:
    """End a session. Both ends are notified."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.session_end(actor=principal, group=group, session=session, reason=given.reason)
    return Status(204, None)
