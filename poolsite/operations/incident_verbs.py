"""The forms of an incident: acknowledge, assign, snooze, add a note, resolve."""

from collections.abc import Callable
from datetime import datetime, time, timedelta

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from poolsite import access
from poolsite.console import tables
from poolsite.console.pages import principal_of, user_of
from poolsite.console.verbs import next_of, word_of
from poolsite.operations import selectors
from poolsite.operations.models import Incident
from poolsite.operations.services import incident_care

SNOOZES: dict[str, timedelta] = {
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "4h": timedelta(hours=4),
}
TOMORROW = "tomorrow"
MORNING = time(9)


@require_POST
def acknowledge(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Make the user the owner of the incident and of the open ones of its type (one cause).

    A second click changes nothing. If the incident has an owner already, the user sees who it is.
    """
    found, group = _changed(request, incident_id)
    user = user_of(request)
    incident_care.acknowledge_incidents(group, actor=user)
    found.refresh_from_db()
    owner = found.acknowledged_name
    mine = found.acknowledged_by_id == user.pk
    if _wants_json(request):
        return JsonResponse({"acknowledged_by": owner, "yours": mine})
    if mine:
        messages.success(request, _("“%(name)s” is assigned to you.") % {"name": found.title})
    elif owner:
        messages.info(request, _("%(name)s has already acknowledged this.") % {"name": owner})
    return _back(request)


@require_POST
def assign(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Make a user the owner of the cause. Only users who may see it can be chosen."""
    found, group = _changed(request, incident_id)
    people = selectors.possible_owners(principal_of(request), group)
    owner = people.filter(pk=tables.key_of(request, "owner") or 0).first()

    def carry_out() -> int:
        if owner is None:
            raise ValidationError(_("Choose a person."))
        return incident_care.assign_incidents(group, owner=owner, actor=user_of(request))

    words = {"title": found.title, "name": owner.display_name if owner else ""}
    return _tell(
        request,
        carry_out,
        done=_("“%(title)s” is assigned to %(name)s.") % words,
        nothing=_("Nothing was changed: %(name)s has it already, or it has ended.") % words,
    )


@require_POST
def snooze(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Snooze the cause until a time, for a reason."""
    _found, group = _changed(request, incident_id)

    def carry_out() -> int:
        until = _snooze_end(word_of(request, "until"))
        reason = word_of(request, "reason", incident_care.REASON_LONGEST + 1)
        return incident_care.snooze_incidents(
            group, actor=user_of(request), until=until, reason=reason
        )

    return _tell(
        request,
        carry_out,
        done=_("Snoozed. It comes back at once if it gets worse."),
        nothing=_("Nothing was snoozed: this incident has ended or has become worse."),
    )


@require_POST
def end_snooze(request: HttpRequest, incident_id: int) -> HttpResponse:
    """End the cause's snooze now."""
    _found, group = _changed(request, incident_id)
    return _tell(
        request,
        lambda: incident_care.resume_incidents(group, actor=user_of(request)),
        done=_("Snooze ended."),
        nothing=_("This incident is not snoozed."),
    )


@require_POST
def resolve(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Resolve an incident that no check closes, for a reason."""
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    access.require(principal, "operations.resolve", found)
    reason = word_of(request, "reason", incident_care.REASON_LONGEST + 1)
    return _tell(
        request,
        lambda: incident_care.resolve_incident(found, actor=user_of(request), reason=reason),
        done=_("Incident resolved."),
        nothing=_("This incident has already ended."),
    )


@require_POST
def add_note(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Add a note to the incident's timeline."""
    found, _group = _changed(request, incident_id)

    def carry_out() -> int:
        text = request.POST.get("text", "")[: incident_care.NOTE_LONGEST + 1]
        return bool(incident_care.add_incident_note(found, text, actor=user_of(request)))

    return _tell(request, carry_out, done=_("Note added."), nothing="")


def _changed(request: HttpRequest, incident_id: int) -> tuple[Incident, list[Incident]]:
    """Return an incident that the user may change, and all open incidents of its type."""
    principal = principal_of(request)
    found = selectors.incident(principal, incident_id)
    return found, selectors.cared_for(principal, found)


def _tell(
    request: HttpRequest, verb: Callable[[], int], *, done: str, nothing: str
) -> HttpResponse:
    try:
        count = verb()
    except ValidationError as error:
        text = " ".join(error.messages)
        if _wants_json(request):
            return JsonResponse({"title": _("Nothing was changed."), "detail": text}, status=422)
        messages.error(request, text)
        return _back(request)
    if _wants_json(request):
        return JsonResponse({"changed": count})
    (messages.success if count else messages.info)(request, done if count else nothing)
    return _back(request)


def snooze_choices() -> list[tuple[str, str]]:
    """Return the choices for the length of a snooze, each with its label."""
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


def _back(request: HttpRequest) -> HttpResponse:
    """Redirect to the form's page, with its filters and the open panel."""
    return redirect(next_of(request, reverse("operations:incidents")))


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
