"""The groups' routes: looking, instances, sessions, upgrades, the event log."""

from typing import Any

from django.http import HttpRequest
from ninja import Path, Query, Router, Status

from poolsite import access, hotpath
from poolsite.access import principal_of_request
from poolsite.api import examples
from poolsite.api.root import ProblemError, api
from queueing.dispatch import dispatcher as door
from queueing.dispatch import selectors, services
from queueing.dispatch.api.common import Slug, group_of
from queueing.dispatch.api.examples import EXAMPLES
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
    examples.declare(EXAMPLES)
    groups.add_router("", upgrades)
    api.add_router("/groups", groups)


# -- groups ----------------------------------------------------------------------------------------


@groups.get("", response={200: list[GroupOut]}, summary="List groups")
def list_groups(request: HttpRequest) -> Any:
    """The groups that the credential can access."""
    principal = principal_of_request(request)
    access.require(principal, "dispatch.view")
    return [selectors.group_out(now) for now in selectors.group_list(principal)]


@groups.post("", response={201: GroupOut}, summary="Create a group")
def make_group(request: HttpRequest, given: GroupIn) -> Any:
    """Create a group that belongs to the platform."""
    principal = principal_of_request(request)
    group = services.group_create(actor=principal, **given.model_dump())
    return Status(201, selectors.group_out(selectors.group_now(group)))


@groups.get("/{slug}", response={200: GroupOut}, summary="Get a group")
def get_group(request: HttpRequest, slug: str = Slug) -> Any:
    """The group and its current figures."""
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


@groups.get("/{slug}/instances", response={200: list[InstanceOut]}, summary="List instances")
def list_instances(request: HttpRequest, slug: str = Slug) -> Any:
    """All instance names with their manual state, including instances that have stopped."""
    return _peers(group_of(principal_of_request(request), slug), "back")


@groups.get(
    "/{slug}/front-ends",
    response={200: list[FrontEndOut]},
    summary="List front-ends",
)
def list_front_ends(request: HttpRequest, slug: str = Slug) -> Any:
    """The front-ends that are connected or pending."""
    return _peers(group_of(principal_of_request(request), slug), "front")


@groups.post(
    "/{slug}/instances/{name}/manual",
    response={204: None},
    summary="Open, drain or block an instance",
)
def set_instance(request: HttpRequest, given: ManualIn, slug: str = Slug, name: str = Name) -> Any:
    """Set the manual state of an instance name. The state survives any restart."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.instance_set(actor=principal, group=group, name=name, **given.model_dump())
    return Status(204, None)


@groups.post(
    "/{slug}/front-ends/{peer_id}/count",
    response={204: None},
    summary="Report a front-end's session count",
)
def count_front(request: HttpRequest, given: CountIn, slug: str = Slug, peer_id: str = Name) -> Any:
    """Report how many sessions the front-end started and lost, by its own count."""
    principal = principal_of_request(request)
    group = group_of(principal, slug, "dispatch.link")
    services.front_count(actor=principal, group=group, peer_id=peer_id, **given.model_dump())
    return Status(204, None)


# -- sessions --------------------------------------------------------------------------------------


@groups.get("/{slug}/sessions", response={200: SessionOut}, summary="Explain a session")
def explain_session(
    request: HttpRequest,
    slug: str = Slug,
    session: str = Query(..., pattern=SESSION),  # type: ignore[type-arg]
) -> Any:
    """Which instance serves the session, why, for how long, and what blocking it would do."""
    group = group_of(principal_of_request(request), slug)
    with redis_refusals():
        story = selectors.session_story(group, session)
    if story is None:
        raise ProblemError("unknown-session")
    return selectors.session_out(story)


@groups.post("/{slug}/sessions/end", response={204: None}, summary="End a session")
def end_session(
    request: HttpRequest,
    given: ReasonIn,
    slug: str = Slug,
    session: str = Query(..., pattern=SESSION),  # type: ignore[type-arg]
) -> Any:
    """End one session. Both ends are notified."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.session_end(actor=principal, group=group, session=session, reason=given.reason)
    return Status(204, None)


# -- the event log ---------------------------------------------------------------------------------


@groups.get("/{slug}/events", response={200: list[EventOut]}, summary="List events")
def list_events(
    request: HttpRequest,
    slug: str = Slug,
    before_us: int = Query(2**62, ge=0, le=2**62),  # type: ignore[type-arg]
) -> Any:
    """The latest 200 events before a given time, newest first."""
    group = group_of(principal_of_request(request), slug)
    return list(selectors.story(group, at_us__lt=before_us)[:PAGE].values(*EventOut.model_fields))
