"""The groups' routes: looking, instances, sessions, upgrades, the event log."""

from typing import Any

from django.http import HttpRequest
from ninja import Path, Query, Router, Status

from poolsite import access, hotpath
from poolsite.access import principal_of_request
from poolsite.api.problems import READ_ERRORS, WRITE_ERRORS
from poolsite.api.root import ProblemError, api
from queueing.dispatch import dispatcher as door
from queueing.dispatch import selectors, services
from queueing.dispatch.api.common import Slug, group_of
from queueing.dispatch.api.upgrades import upgrades
from queueing.dispatch.models import Group, Instance
from queueing.dispatch.schemas import (
    CountIn,
    EventOut,
    FrontEndOut,
    GroupIn,
    GroupOut,
    InstanceOut,
    ManualIn,
    ReasonIn,
    SessionOut,
)
from queueing.dispatch.services.common import redis_refusals

groups = Router(tags=["groups"])
Name: Any = Path(..., pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")  # type: ignore[type-arg]
SESSION = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._:@+~-]{1,39}$"
PAGE = 200


def register() -> None:
    """Called once, by poolsite.urls."""
    groups.add_router("", upgrades)
    api.add_router("/groups", groups)


# -- groups ----------------------------------------------------------------------------------------


@groups.get("", response={200: list[GroupOut], **READ_ERRORS}, summary="Groups")
def list_groups(request: HttpRequest) -> Any:
    """Every group that the credential may see."""
    principal = principal_of_request(request)
    access.require(principal, "dispatch.view")
    return [selectors.group_out(now) for now in selectors.group_list(principal)]


@groups.post("", response={201: GroupOut, **WRITE_ERRORS}, summary="New group")
def make_group(request: HttpRequest, given: GroupIn) -> Any:
    """Make a group of the platform's own."""
    principal = principal_of_request(request)
    group = services.group_create(actor=principal, **given.model_dump())
    return Status(201, selectors.group_out(selectors.group_now(group)))


@groups.get("/{slug}", response={200: GroupOut, **READ_ERRORS}, summary="One group")
def get_group(request: HttpRequest, slug: str = Slug) -> Any:
    """A group with its live figures."""
    group = group_of(principal_of_request(request), slug)
    return selectors.group_out(selectors.group_now(group))


# -- peers -----------------------------------------------------------------------------------------


def _peers(group: Group, kind: str) -> list[dict[str, Any]]:
    try:
        rows = hotpath.run(door.peers(group.slug))
    except door.DispatchRefusedError as error:
        if error.reason != door.reasons.NO_SUCH_GROUP:
            raise
        rows = []  # lost, and not yet rebuilt: the group's own route says so
    instances = Instance.objects.filter(group=group)
    found = selectors.peers_of(rows, instances, selectors.front_counts(group))
    return [row for _, row in sorted(found.items()) if row["kind"] == kind]


@groups.get(
    "/{slug}/instances", response={200: list[InstanceOut], **READ_ERRORS}, summary="Instances"
)
def list_instances(request: HttpRequest, slug: str = Slug) -> Any:
    """Every name, also of instances that have stopped, with its manual state."""
    return _peers(group_of(principal_of_request(request), slug), "back")


@groups.get(
    "/{slug}/front-ends", response={200: list[FrontEndOut], **READ_ERRORS}, summary="Front-ends"
)
def list_front_ends(request: HttpRequest, slug: str = Slug) -> Any:
    """The front-ends that are linked or pending."""
    return _peers(group_of(principal_of_request(request), slug), "front")


@groups.post(
    "/{slug}/instances/{name}/manual",
    response={204: None, **WRITE_ERRORS},
    summary="Open, drain or block",
)
def set_instance(request: HttpRequest, given: ManualIn, slug: str = Slug, name: str = Name) -> Any:
    """Set the manual state of a name; it survives restarts of everything."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    if given.until is not None and given.until.tzinfo is None:
        raise ProblemError("malformed", "until: name the zone")
    services.instance_set(actor=principal, group=group, name=name, **given.model_dump())
    return Status(204, None)


@groups.post(
    "/{slug}/front-ends/{peer_id}/count",
    response={204: None, **WRITE_ERRORS},
    summary="A front-end's own count",
)
def count_front(request: HttpRequest, given: CountIn, slug: str = Slug, peer_id: str = Name) -> Any:
    """A front-end tells how many sessions it began and lost, by its own count."""
    principal = principal_of_request(request)
    group = group_of(principal, slug, "dispatch.link")
    services.front_count(actor=principal, group=group, peer_id=peer_id, **given.model_dump())
    return Status(204, None)


# -- sessions --------------------------------------------------------------------------------------


@groups.get(
    "/{slug}/sessions", response={200: SessionOut, **READ_ERRORS}, summary="Explain a session"
)
def explain_session(
    request: HttpRequest,
    slug: str = Slug,
    session: str = Query(..., pattern=SESSION),  # type: ignore[type-arg]
) -> Any:
    """Where a session goes, why, for how long, and what a block of its instance would do."""
    group = group_of(principal_of_request(request), slug)
    with redis_refusals():
        story = selectors.session_story(group, session)
    if story is None:
        raise ProblemError("unknown-session")
    return selectors.session_out(story)


@groups.post("/{slug}/sessions/end", response={204: None, **WRITE_ERRORS}, summary="End a session")
def end_session(
    request: HttpRequest,
    given: ReasonIn,
    slug: str = Slug,
    session: str = Query(..., pattern=SESSION),  # type: ignore[type-arg]
) -> Any:
    """End one session; both ends are told."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.session_end(actor=principal, group=group, session=session, reason=given.reason)
    return Status(204, None)


# -- the event log ---------------------------------------------------------------------------------


@groups.get("/{slug}/events", response={200: list[EventOut], **READ_ERRORS}, summary="Event log")
def list_events(
    request: HttpRequest,
    slug: str = Slug,
    before_us: int = Query(2**62, ge=0, le=2**62),  # type: ignore[type-arg]
) -> Any:
    """The newest 200 events before a moment, newest first."""
    group = group_of(principal_of_request(request), slug)
    return list(selectors.story(group, at_us__lt=before_us)[:PAGE].values(*EventOut.model_fields))
