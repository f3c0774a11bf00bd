"""The route of the event log."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from poolsite.access import principal_of_request
from poolsite.api.pages import Page, check_known
from poolsite.api.root import ProblemError
from poolsite.moments import us_of
from poolsite.paging import keyset_page
from queueing.dispatch import selectors
from queueing.dispatch.api.common import Slug, group_of
from queueing.dispatch.api.list_schemas import EventsIn
from queueing.dispatch.schemas import EventOut

events = Router(tags=["groups"])


@events.get("/{slug}/events", response={200: Page[EventOut]}, summary="List events")
def list_events(request: HttpRequest, asked: Query[EventsIn], slug: str = Slug) -> Any:
    """The event log of a group, newest first."""
    group = group_of(principal_of_request(request), slug)
    check_known(request, asked)
    rows = selectors.story_of(
        group,
        event=asked.event,
        who=asked.who,
        since_us=us_of(asked.since) if asked.since else None,
        until_us=us_of(asked.until) if asked.until else None,
    )
    if asked.cursor:
        place = selectors.place_of(asked.cursor)
        if place is None:
            raise ProblemError("malformed", "cursor: use `next` of the page before")
        rows = selectors.older_than(rows, place)
    shown, last = keyset_page(rows, asked.limit)
    return Page(
        data=[EventOut.model_validate(row, from_attributes=True) for row in shown],
        next=selectors.place_told(last) if last is not None else None,
    )
