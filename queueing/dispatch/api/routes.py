"""The groups' routes. Peers, sessions, events and upgrades have their own modules."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api import examples
from poolsite.api.root import api
from queueing.dispatch import selectors, services
from queueing.dispatch.api.common import Slug, Why, group_of
from queueing.dispatch.api.events import events
from queueing.dispatch.api.examples import EXAMPLES
from queueing.dispatch.api.group_schemas import GroupChangeIn, GroupIn
from queueing.dispatch.api.peers import peers
from queueing.dispatch.api.sessions import sessions
from queueing.dispatch.api.upgrades import upgrades
from queueing.dispatch.models import Group
from queueing.dispatch.schemas import GroupOut

groups = Router(tags=["groups"])


def register() -> None:
    """Register the routes. poolsite.urls calls this once."""
    examples.declare(EXAMPLES)
    for router in (peers, sessions, events, upgrades):
        groups.add_router("", router)
    api.add_router("/groups", groups)


@groups.get("", response={200: list[GroupOut]}, summary="List groups")
def list_groups(request: HttpRequest) -> Any:
    """The groups that you can access."""
    principal = principal_of_request(request)
    access.require(principal, "dispatch.view")
    return [selectors.group_out(now) for now in selectors.GROUPS.every(principal)]


@groups.post("", response={201: GroupOut}, summary="Create a group")
def make_group(request: HttpRequest, given: GroupIn) -> Any:
    """Create a group that belongs to the platform."""
    principal = principal_of_request(request)
    group = services.group_create(
        actor=principal, slug=given.slug, reason=given.reason, **given.given
    )
    return Status(201, _out_after(group))


@groups.get("/{slug}", response={200: GroupOut}, summary="Get a group")
def get_group(request: HttpRequest, slug: str = Slug) -> Any:
    """The group's settings and its current figures."""
    group = group_of(principal_of_request(request), slug)
    return selectors.group_out(selectors.GROUPS.now(group))


@groups.patch("/{slug}", response={200: GroupOut}, summary="Change a group's settings")
def change_group(request: HttpRequest, given: GroupChangeIn, slug: str = Slug) -> Any:
    """Change settings. They take effect immediately, and links and sessions are not affected."""
    principal = principal_of_request(request)
    group = group_of(principal, slug, "dispatch.configure")
    group = services.group_configure(
        actor=principal, group=group, reason=given.reason, **given.given
    )
    return _out_after(group)


@groups.delete("/{slug}", response={204: None}, summary="Delete a group")
def delete_group(request: HttpRequest, slug: str = Slug, reason: str = Why) -> Any:
    """Delete a group. Its history is kept, and its slug can't be used again.

    Refused while peers are linked or pending, and while an upgrade runs.
    """
    principal = principal_of_request(request)
    group = group_of(principal, slug, "dispatch.configure")
    services.group_delete(actor=principal, group=group, reason=reason)
    return Status(204, None)


def _out_after(group: Group) -> dict[str, Any]:
    """Return a group that was just changed in SQL, whether or not Redis answers now."""
    return selectors.group_out(selectors.GROUPS.with_figures([group], patient=True)[0])
