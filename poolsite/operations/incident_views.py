"""The incident pages: the list of incidents, and an incident with its timeline."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from poolsite import access
from poolsite.access import Principal
from poolsite.console import tables
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn
from poolsite.moments import iso
from poolsite.operations import incident_story, selectors
from poolsite.operations.attention import Cause
from poolsite.operations.incident_verbs import snooze_choices
from poolsite.operations.models import Incident
from poolsite.operations.services import incident_care


def attention_context(principal: Principal, *, most: int = 0) -> dict[str, Any]:
    """Return the context of templates/operations/attention.html.

    most: how many causes to show at most, 0 for all.
    """
    found = selectors.attention_of(principal)
    return {
        "attention": found,
        "causes": found.causes,
        "shown_causes": found.causes[:most] if most else found.causes,
        "critical": found.critical,
        "warnings": found.warnings,
        "most": most,
        "can_act": access.decide(principal, "operations.acknowledge").allowed,
        "checked_at": timezone.now(),
    }


@require_GET
def incidents_page(request: HttpRequest) -> HttpResponse:
    """Show what is open now, then the list: ended incidents, newest first, unless filtered."""
    principal = principal_of(request)
    access.require(principal, "operations.incidents")
    states = [("", _("Ended")), ("open", _("Still open")), ("all", _("Open and ended"))]
    state = tables.choice_of(request, "state", _("State"), states)
    severities = [("", _("All severities")), *Incident.Severity.choices]
    severity = tables.choice_of(request, "severity", _("Severity"), severities)
    periods = [
        ("", _("Any time")),
        ("1", _("Last 24 hours")),
        ("7", _("Last 7 days")),
        ("30", _("Last 30 days")),
    ]
    days = tables.choice_of(request, "days", _("Period"), periods)
    text = tables.text_of(request, "q")
    given = {"q": text, "state": state.value, "severity": severity.value, "days": days.value}
    rows = selectors.incidents(
        principal, state=state.value, severity=severity.value, text=text, days=days.value
    )
    context = {
        **attention_context(principal),
        "snoozes": snooze_choices(),
        "panel": _panel(request, principal),
        "choices": [state, days, severity],
        "text": text,
    }
    return tables.answer(
        request,
        "operations/incidents.html",
        rows,
        _columns(),
        given=given,
        file="incidents",
        counted=lambda n: ngettext("%(n)s incident", "%(n)s incidents", n) % {"n": n},
        context=context,
    )


def _columns() -> list[SqlColumn[Incident]]:
    """Return the list's columns. Sorting by "what" groups incidents of the same type."""
    return [
        SqlColumn("what", _("Incident"), lambda row: row.title, order=("type", "object")),
        SqlColumn("number", "", lambda row: row.pk),
        SqlColumn("detail", "", lambda row: row.detail),
        SqlColumn("type", "", lambda row: row.type),
        SqlColumn("object", "", lambda row: row.object),
        SqlColumn("severity", "", lambda row: row.severity),
        SqlColumn("since", _("Since"), lambda row: iso(row.since), order=("since",)),
        SqlColumn(
            "until",
            _("Until"),
            lambda row: iso(row.until),
            order=("until",),
            nullable=True,
        ),
        SqlColumn("seconds", _("Open for"), lambda row: int(row.lasted_seconds), right=True),
        SqlColumn(
            "known",
            _("Assigned to"),
            lambda row: row.acknowledged_name,
            order=("acknowledged_name",),
        ),
        SqlColumn("known_since", "", lambda row: iso(row.acknowledged_at)),
    ]


@require_GET
def incident_page(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Show a cause: its facts, what to do next, what is affected, and its timeline."""
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    context = {
        **_told(principal, found),
        "earlier": incident_story.earlier(found),
        "snoozes": snooze_choices(),
    }
    return render(request, "operations/incident.html", context)


def _panel(request: HttpRequest, principal: Principal) -> dict[str, Any] | None:
    """Return the incident in the panel next to the list, or None if no panel is open."""
    asked = tables.key_of(request, "panel")
    return None if asked is None else _told(principal, selectors.incident(principal, asked))


def _told(principal: Principal, found: Incident) -> dict[str, Any]:
    """Return what an incident's page and its panel both show."""
    group = selectors.like(principal, found)
    can_act = access.decide(principal, "operations.acknowledge", found).allowed
    return {
        "incident": found,
        "cause": Cause(group),
        "items": incident_story.timeline(principal, group),
        "again": incident_story.again(found),
        "can_act": can_act,
        "can_resolve": found.ends_by_hand
        and access.decide(principal, "operations.resolve", found).allowed,
        "owners": selectors.possible_owners(principal, group) if can_act else [],
        "note_longest": incident_care.NOTE_LONGEST,
    }
