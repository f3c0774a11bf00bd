"""Incidents in the API: list, acknowledge, assign, snooze and resolve them."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from poolsite import access
from poolsite.access import Principal, principal_of_request
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_in_path
from poolsite.api.root import ProblemError
from poolsite.console.pages import user_of
from poolsite.moments import iso
from poolsite.operations import incident_story, selectors
from poolsite.operations.api.schemas import (
    AssignIn,
    IncidentDetailOut,
    IncidentOut,
    IncidentReasonIn,
    IncidentsIn,
    NoteIn,
    OwnerOut,
    SnoozeIn,
    TimelineOut,
)
from poolsite.operations.models import Incident
from poolsite.operations.services import incident_care

router = Router(tags=["incidents"])
VIEW = "operations.incidents"
IncidentId = id_in_path("The incident's ID.")
# The names that the page's list uses for them.
STATES = {"open": "open", "closed": "", "all": "all"}


@router.get("", response={200: Page[IncidentOut]}, summary="List incidents")
def list_incidents(request: HttpRequest, asked: Query[IncidentsIn]) -> Any:
    """The incidents that you can view, newest first. By default only open ones."""
    principal = principal_of_request(request)
    access.require(principal, VIEW)
    rows = selectors.incidents(
        principal, state=STATES[asked.state], severity=asked.severity or "", text=asked.object
    )
    exact = {"type": asked.type, "account__slug": asked.account}
    rows = rows.filter(**{name: value for name, value in exact.items() if value})
    return page(request, asked, rows.select_related("account"), _out)


@router.get(
    "/{incident}",
    response={200: IncidentDetailOut},
    summary="Get an incident",
)
def get_incident(request: HttpRequest, incident: int = IncidentId) -> Any:
    """An incident with its timeline, and the users it can be assigned to."""
    principal = principal_of_request(request)
    found = _incident(principal, incident)
    group = selectors.like(principal, found)
    may_act = access.decide(principal, "operations.acknowledge", found).allowed
    owners = selectors.possible_owners(principal, group) if may_act else ()
    return IncidentDetailOut(
        **_fields(found),
        resolvable=found.ends_by_hand,
        related=[each.pk for each in group if each.pk != found.pk],
        timeline=[
            TimelineOut(at=item.at.isoformat(), title=str(item.title), text=str(item.why))
            for item in incident_story.timeline(principal, group)
        ],
        owners=[
            OwnerOut(id=each.pk, username=each.get_username(), name=each.display_name)
            for each in owners
        ],
    )


@router.post(
    "/{incident}/acknowledge",
    response={200: IncidentOut},
    summary="Acknowledge an incident",
)
def acknowledge_incident(request: HttpRequest, incident: int = IncidentId) -> Any:
    """Become the owner of the incident and of the other open incidents of its type.

    An incident that already has an owner keeps that owner: see `assigned_to` in the response.
    """
    found, group = _changed(request, incident)
    incident_care.acknowledge_incidents(group, actor=user_of(request))
    return _again(found)


@router.post(
    "/{incident}/assign",
    response={200: IncidentOut},
    summary="Assign an incident",
)
def assign_incident(request: HttpRequest, given: AssignIn, incident: int = IncidentId) -> Any:
    """Make a user the owner of the incident and of the other open incidents of its type."""
    found, group = _changed(request, incident)
    owner = selectors.possible_owner(principal_of_request(request), group, given.user)
    incident_care.assign_incidents(group, owner=owner, actor=user_of(request))
    return _again(found)


@router.post(
    "/{incident}/snooze",
    response={200: IncidentOut},
    summary="Snooze an incident",
)
def snooze_incident(request: HttpRequest, given: SnoozeIn, incident: int = IncidentId) -> Any:
    """Hide the incident, and the other open incidents of its type, until a time.

    Alerts are paused until then. An incident that becomes critical is shown again immediately.
    """
    found, group = _changed(request, incident)
    incident_care.snooze_incidents(group, actor=user_of(request), **given.model_dump())
    return _again(found)


@router.post(
    "/{incident}/end-snooze",
    response={200: IncidentOut},
    summary="End a snooze",
)
def end_incident_snooze(request: HttpRequest, incident: int = IncidentId) -> Any:
    """Show the incident, and the other open incidents of its type, again."""
    found, group = _changed(request, incident)
    incident_care.resume_incidents(group, actor=user_of(request))
    return _again(found)


@router.post(
    "/{incident}/notes",
    response={200: IncidentOut},
    summary="Add a note to an incident",
)
def add_incident_note(request: HttpRequest, given: NoteIn, incident: int = IncidentId) -> Any:
    """Add a note to the timeline. Closed incidents accept notes, too."""
    found, _group = _changed(request, incident)
    incident_care.add_incident_note(found, given.text, actor=user_of(request))
    return _again(found)


@router.post(
    "/{incident}/resolve",
    response={200: IncidentOut},
    summary="Resolve an incident",
)
def resolve_incident(
    request: HttpRequest, given: IncidentReasonIn, incident: int = IncidentId
) -> Any:
    """Close an incident that has to be closed by hand. Others close when their cause is gone."""
    principal = principal_of_request(request)
    found = _incident(principal, incident)
    access.require(principal, "operations.resolve", found)
    incident_care.resolve_incident(found, actor=user_of(request), reason=given.reason)
    return _again(found)


def _incident(principal: Principal, key: int) -> Incident:
    access.require(principal, VIEW)
    try:
        return selectors.incident(principal, key)
    except access.Hidden:
        raise ProblemError("unknown-incident", "incident not found") from None


def _changed(request: HttpRequest, key: int) -> tuple[Incident, list[Incident]]:
    """Return an incident that the caller may change, and all open incidents of its type."""
    principal = principal_of_request(request)
    found = _incident(principal, key)
    return found, selectors.cared_for(principal, found)


def _again(found: Incident) -> IncidentOut:
    found.refresh_from_db()
    return _out(found)


def _out(row: Incident) -> IncidentOut:
    return IncidentOut(**_fields(row))


def _fields(row: Incident) -> dict[str, Any]:
    words = ("type", "object", "severity", "title", "detail", "remedy", "snooze_reason")
    return {
        **{name: getattr(row, name) for name in words},
        "id": row.pk,
        "account": row.account.slug if row.account else None,
        "open": row.until is None,
        "since": row.since.isoformat(),
        "until": iso(row.until),
        "assigned_to": row.acknowledged_name,
        "assigned_at": iso(row.acknowledged_at),
        "snoozed_until": row.snoozed_until.isoformat()
        if row.snoozed_until is not None and row.is_snoozed
        else None,
        "snoozed_by": row.snoozed_name,
    }
