"""The routes of peers: instances, their names and manual states, front-ends, links."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status
from ninja.params import functions as param

from poolsite.access import principal_of_request
from queueing.dispatch import selectors, services
from queueing.dispatch.api.common import Slug, Why, group_of, peer_rows
from queueing.dispatch.api.list_schemas import PEER
from queueing.dispatch.models import Group, Instance
from queueing.dispatch.schemas import (
    BackupIn,
    CountIn,
    FrontEndOut,
    InstanceOut,
    ManualIn,
    ReasonIn,
)

peers = Router(tags=["groups"])
Name: Any = param.Path(..., pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")
Peer: Any = param.Path(
    ..., pattern=PEER, description="`f:` and a front-end's ID, or `b:` and an instance's ID."
)


def _peers(group: Group, kind: str) -> list[dict[str, Any]]:
    instances = Instance.objects.filter(group=group)
    found = selectors.peers_of(peer_rows(group), instances, selectors.front_counts(group))
    return [row for _, row in sorted(found.items()) if row["kind"] == kind]


@peers.get("/{slug}/instances", response={200: list[InstanceOut]}, summary="List instances")
def list_instances(request: HttpRequest, slug: str = Slug) -> Any:
    """All instance names with their manual state, including instances that have stopped."""
    return _peers(group_of(principal_of_request(request), slug), "back")


@peers.get("/{slug}/front-ends", response={200: list[FrontEndOut]}, summary="List front-ends")
def list_front_ends(request: HttpRequest, slug: str = Slug) -> Any:
    """The front-ends that are connected or pending."""
    return _peers(group_of(principal_of_request(request), slug), "front")


@peers.post(
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


@peers.post(
    "/{slug}/instances/{name}/backup",
    response={204: None},
    summary="Make an instance a backup or a primary",
)
def set_backup(request: HttpRequest, given: BackupIn, slug: str = Slug, name: str = Name) -> Any:
    """Make an instance a backup, or a primary again. Its sessions continue.

    A backup gets new sessions only while no primary instance can take them.
    """
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.instance_backup(actor=principal, group=group, name=name, **given.model_dump())
    return Status(204, None)


@peers.post(
    "/{slug}/instances/{name}/uneject", response={204: None}, summary="End an instance's ejection"
)
def uneject(request: HttpRequest, given: ReasonIn, slug: str = Slug, name: str = Name) -> Any:
    """End the ejection of an instance before its time. The manual state doesn't change."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.instance_uneject(actor=principal, group=group, name=name, reason=given.reason)
    return Status(204, None)


@peers.delete("/{slug}/instances/{name}", response={204: None}, summary="Remove an instance's name")
def forget_name(request: HttpRequest, slug: str = Slug, name: str = Name, reason: str = Why) -> Any:
    """Remove the name of a stopped instance, with its manual state.

    Refused while an instance is linked or pending under the name.
    """
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.name_forget(actor=principal, group=group, name=name, reason=reason)
    return Status(204, None)


@peers.post(
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


@peers.post("/{slug}/peers/{peer}/disconnect", response={204: None}, summary="Close a link")
def close_link(request: HttpRequest, given: ReasonIn, slug: str = Slug, peer: str = Peer) -> Any:
    """Close the link of a front-end or an instance. It is pending until it reconnects.

    If it doesn't before the disconnect timer runs out, its sessions end.
    """
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    services.peer_disconnect(actor=principal, group=group, peer=peer, reason=given.reason)
    return Status(204, None)
