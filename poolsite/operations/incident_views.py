"""The incidents: what is wrong, one of them with its timeline, and who looks after it."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access.principal import Principal
from poolsite.operations import incident_story, incidents, selectors, services, tables
from poolsite.operations.attention import Cause
from poolsite.operations.models import Incident
from poolsite.operations.pages import principal_of, user_of
from poolsite.operations.tables import SqlColumn
from poolsite.operations.verbs import word_of

SNOOZES: dict[str, timedelta] = {
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "4h": timedelta(hours=4),
}
TOMORROW = "tomorrow"
MORNING = time(9)


def attention_context(principal: Principal, *, most: int = 0) -> dict[str, Any]:
    """What templates/operations/attention.html shows; most: of so many causes, 0 = of all."""
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
    """What is open now, then the list: the ended ones, the latest first, unless asked otherwise."""
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
        "snoozes": _snooze_choices(),
        "panel": _panel(principal, request.GET.get("panel", "")),
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
    """Sorted by what was wrong, those of one kind stand together."""
    return [
        SqlColumn("what", _("Incident"), lambda row: row.title, order=("type", "object")),
        SqlColumn("number", "", lambda row: row.pk),
        SqlColumn("detail", "", lambda row: row.detail),
        SqlColumn("type", "", lambda row: row.type),
        SqlColumn("object", "", lambda row: row.object),
        SqlColumn("severity", "", lambda row: row.severity),
        SqlColumn("since", _("Since"), lambda row: tables.moment(row.since), order=("since",)),
        SqlColumn(
            "until",
            _("Until"),
            lambda row: tables.moment(row.until),
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
        SqlColumn("known_since", "", lambda row: tables.moment(row.acknowledged_at)),
    ]


@require_GET
def incident_page(request: HttpRequest, incident_id: int) -> HttpResponse:
    """One cause: its facts, what to do next, what is affected, and everything that happened."""
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    context = {
        **_told(principal, found),
        "earlier": incident_story.earlier(found),
        "snoozes": _snooze_choices(),
    }
    return render(request, "operations/incident.html", context)


def _panel(principal: Principal, asked: str) -> dict[str, Any] | None:
    """The incident that is opened beside the list; None = none is."""
    if not (asked.isascii() and asked.isdecimal() and len(asked) <= tables.KEY_DIGITS):
        return None
    return _told(principal, selectors.incident(principal, int(asked)))


def _told(principal: Principal, found: Incident) -> dict[str, Any]:
    """What an incident's page and its panel both show."""
    group = selectors.like(principal, found)
    return {
        "incident": found,
        "cause": Cause(group),
        "items": incident_story.timeline(principal, group),
        "again": incident_story.again(found),
        "can_act": access.decide(principal, "operations.acknowledge", found).allowed,
        "note_longest": services.NOTE_LONGEST,
    }


@require_POST
def acknowledge(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Make the reader the owner of it, and of the open ones of its type: they are one cause.

    A second click changes nothing; whoever comes second is told who was first.
    """
    found, group = _changed(request, incident_id)
    user, now = user_of(request), timezone.now()
    noted = incidents.acknowledge(found, actor=user, at=now)
    for each in group:
        if each.pk != found.pk:
            incidents.acknowledge(each, actor=user, at=now)
    owner = noted.acknowledged_name
    mine = noted.acknowledged_by_id == user.pk
    if _wants_json(request):
        return JsonResponse({"acknowledged_by": owner, "yours": mine})
    if mine:
        messages.success(request, _("“%(name)s” is assigned to you.") % {"name": found.title})
    elif owner:
        messages.info(request, _("%(name)s has already acknowledged this.") % {"name": owner})
    return _back(request, found)


@require_POST
def snooze(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Fold the cause away until a moment, for a reason."""
    found, group = _changed(request, incident_id)

    def carry_out() -> int:
        until = _snooze_end(word_of(request, "until"))
        reason = word_of(request, "reason", services.REASON_LONGEST + 1)
        return services.snooze_incidents(group, actor=user_of(request), until=until, reason=reason)

    return _tell(
        request,
        found,
        carry_out,
        done=_("Snoozed. It comes back at once if it gets worse."),
        nothing=_("Nothing was snoozed: this incident has ended or has become worse."),
    )


@require_POST
def end_snooze(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Bring the cause back to the list now."""
    found, group = _changed(request, incident_id)
    return _tell(
        request,
        found,
        lambda: services.resume_incidents(group, actor=user_of(request)),
        done=_("Snooze ended."),
        nothing=_("This incident is not snoozed."),
    )


@require_POST
def add_note(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Write into the incident's timeline."""
    found, _group = _changed(request, incident_id)

    def carry_out() -> int:
        text = request.POST.get("text", "")[: services.NOTE_LONGEST + 1]
        return bool(services.add_incident_note(found, text, actor=user_of(request)))

    return _tell(request, found, carry_out, done=_("Note added."), nothing="")


def _changed(request: HttpRequest, incident_id: int) -> tuple[Incident, list[Incident]]:
    """An incident that the reader may look after, and those of its cause, itself among them."""
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    access.require(principal, "operations.acknowledge", found)
    group = selectors.like(principal, found)
    return found, [
        each for each in group if access.decide(principal, "operations.acknowledge", each).allowed
    ]


def _tell(
    request: HttpRequest, found: Incident, verb: Callable[[], int], *, done: str, nothing: str
) -> HttpResponse:
    try:
        count = verb()
    except ValidationError as error:
        text = " ".join(error.messages)
        if _wants_json(request):
            return JsonResponse({"title": _("Nothing was changed."), "detail": text}, status=422)
        messages.error(request, text)
        return _back(request, found)
    if _wants_json(request):
        return JsonResponse({"changed": count})
    (messages.success if count else messages.info)(request, done if count else nothing)
    return _back(request, found)


def _snooze_choices() -> list[tuple[str, str]]:
    minutes = ngettext("%(n)s minute", "%(n)s minutes", 15) % {"n": 15}
    hours = [ngettext("%(n)s hour", "%(n)s hours", n) % {"n": n} for n in (1, 4)]
    return list(zip((*SNOOZES, TOMORROW), (minutes, *hours, _("Tomorrow at 9:00")), strict=True))


def _snooze_end(choice: str) -> datetime:
    now = timezone.now()
    if choice in SNOOZES:
        return now + SNOOZES[choice]
    if choice != TOMORROW:
        raise ValidationError(_("Choose how long to snooze."))
    day = timezone.localtime(now).date() + timedelta(days=1)
    return datetime.combine(day, MORNING, timezone.get_current_timezone())


def _back(request: HttpRequest, found: Incident) -> HttpResponse:
    back = request.POST.get("back")
    if back == "incident":
        return redirect("operations:incident", found.pk)
    beside = f"?panel={found.pk}" if back == "panel" else ""
    return redirect(reverse("operations:incidents") + beside)


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
