"""The routes of rolling upgrades."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status

from poolsite.access import Principal, principal_of_request
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_of
from poolsite.api.root import ProblemError
from queueing.dispatch import selectors, services
from queueing.dispatch.api.common import Slug, group_of
from queueing.dispatch.api.list_schemas import UpgradesIn
from queueing.dispatch.models import Upgrade
from queueing.dispatch.schemas import EndedOut, ReasonIn, UpgradeIn, UpgradeOut

upgrades = Router(tags=["groups"])


@upgrades.get("/{slug}/upgrades", response={200: Page[UpgradeOut]}, summary="List upgrades")
def list_upgrades(request: HttpRequest, asked: Query[UpgradesIn], slug: str = Slug) -> Any:
    """The upgrades of a group, newest first."""
    group = group_of(principal_of_request(request), slug)
    rows = selectors.upgrades_of(group).select_related("group")
    if asked.status is not None:
        rows = rows.filter(status=asked.status)
    return page(request, asked, rows, _out)


@upgrades.post("/{slug}/upgrades", response={201: UpgradeOut}, summary="Start an upgrade")
def start_upgrade(request: HttpRequest, given: UpgradeIn, slug: str = Slug) -> Any:
    """Start a rolling upgrade. Refused if the other instances can't carry the load."""
    principal = principal_of_request(request)
    group = group_of(principal, slug)
    made = services.upgrade_start(actor=principal, group=group, **given.model_dump())
    return Status(201, selectors.upgrade_out(made))


@upgrades.get(
    "/{slug}/upgrades/{upgrade}",
    response={200: UpgradeOut},
    summary="Get an upgrade",
)
def get_upgrade(request: HttpRequest, upgrade: int, slug: str = Slug) -> Any:
    """An upgrade and its progress."""
    return selectors.upgrade_out(_upgrade(principal_of_request(request), slug, upgrade))


@upgrades.post(
    "/{slug}/upgrades/{upgrade}/force",
    response={200: EndedOut},
    summary="End the remaining sessions",
)
def force_upgrade(request: HttpRequest, upgrade: int, given: ReasonIn, slug: str = Slug) -> Any:
    """End the sessions that remain on the draining instance."""
    principal = principal_of_request(request)
    found = _upgrade(principal, slug, upgrade)
    ended = services.upgrade_force(actor=principal, upgrade=found, reason=given.reason)
    return {"ended": ended}


@upgrades.post(
    "/{slug}/upgrades/{upgrade}/abort",
    response={200: UpgradeOut},
    summary="Abort an upgrade",
)
def abort_upgrade(request: HttpRequest, upgrade: int, given: ReasonIn, slug: str = Slug) -> Any:
    """Stop an upgrade. Each step then reports the manual state of its instance."""
    principal = principal_of_request(request)
    found = _upgrade(principal, slug, upgrade)
    ended = services.upgrade_abort(actor=principal, upgrade=found, reason=given.reason)
    return selectors.upgrade_out(ended)


def _out(upgrade: Upgrade) -> UpgradeOut:
    return UpgradeOut.model_validate(selectors.upgrade_out(upgrade))


def _upgrade(principal: Principal, slug: str, key: int) -> Upgrade:
    group = group_of(principal, slug)
    found = Upgrade.objects.select_related("group").filter(group=group, pk=id_of(key)).first()
    if found is None:
        raise ProblemError("unknown-upgrade")
    return found
