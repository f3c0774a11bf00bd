"""One number: its events, its state, and the actions of an operator."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from redis.exceptions import RedisError

from numbers import health_reasons, services
from numbers import pool as commands
from numbers.models import Number, PoolEvent
from numbers.presentation import IN_CALL, chip_of, story_items, word_of
from numbers.selectors import health, records
from numbers.selectors.late import late_events
from numbers.views.common import answers_json, number_of, reason_of
from numbers.views.who_had import call_row
from poolsite import access, dates, hotpath
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import clock, span
from poolsite.moments import us_of

STORY_LENGTH = 50
CALLS = 10


@require_GET
def number_page(request: HttpRequest, value: str) -> HttpResponse:
    """Show one number's timeline, back from now or from a given moment."""
    principal = principal_of(request)
    number = number_of(principal, value)
    at = _moment(request.GET.get("at", ""))
    after = _place(request.GET.get("after", ""))
    story = records.number_story(
        principal,
        number.value,
        after=after,
        before_us=int(at.timestamp() * 1_000_000) if at else None,
        limit=STORY_LENGTH,
    )
    late = [] if at or after else _late(number)
    may_operate = access.decide(principal, "numbers.operate", number).allowed
    calls = records.recent_calls(principal, number=number.value, limit=CALLS)
    state = _state(number)
    context = {
        "number": number,
        "pool": number.pool,
        "may_operate": may_operate,
        "items": story_items([*late, *story.events]),
        "next_url": _next(request, story.next),
        "at": at,
        "busy_at": _busy_at(principal, number.value, at),
        "state": state,
        "facts": _facts(number, state),
        "calls": [call_row(call) for call in calls],
        "health": list(health.number_health(number.pool, number.value).items()),
        "health_actions": health.health_actions(number.pool, 5, number.value),
        "spam_labels": health.number_labels(number.pool, number.value),
        "page": {
            "number": number.value,
            "may_operate": may_operate,
            "story_url": reverse("numbers:number_story", args=[number.value]),
            "story": None if at or after else _story_json(number, [*late, *story.events], state),
        },
        "empty_title": _("No events yet"),
        "empty_text": _("Registrations and calls appear here, newest first."),
        "no_calls_title": _("No calls yet"),
        "no_calls_text": _("Calls on this number appear here, newest first."),
    }
    return render(request, "numbers/number.html", context)


@require_GET
@answers_json
def number_story(request: HttpRequest, value: str) -> HttpResponse:
    """The latest events of a number, with its current state."""
    principal = principal_of(request)
    number = number_of(principal, value)
    events = records.number_story(principal, number.value, limit=STORY_LENGTH).events
    return JsonResponse(_story_json(number, [*_late(number), *events], _state(number)))


def _late(number: Number) -> list[PoolEvent]:
    try:
        return late_events(number.pool, number.value)
    except (RedisError, hotpath.HotPathError):
        return []


def _story_json(number: Number, events: list[PoolEvent], state: dict[str, Any]) -> dict[str, Any]:
    def address(name: str) -> str:
        return reverse(f"numbers:{name}", args=[number.value])

    return {
        "number": number.value,
        **state,
        "newest_us": events[0].at_us if events else 0,
        "items": [item.as_json() for item in story_items(events[:STORY_LENGTH])],
        "urls": {
            "page": address("number"),
            "quarantine": address("number_quarantine"),
            "release": address("number_release"),
            "hangup": address("number_hangup"),
        },
    }


def _state(number: Number) -> dict[str, Any]:
    """The number's current state: letter, label, and one line of detail."""
    now_us = us_of(timezone.now())
    try:
        found = hotpath.run(commands.states(number.pool.slug, [number.value]))
    except hotpath.HotPathError:
        return _as_state("?", _("Redis didn't respond"), quarantined=False)
    state = found.by_number.get(number.value) if found else None
    if state is None:
        return _as_state("-", "", quarantined=number.quarantined_at is not None)
    letter = state.letter(now_us)
    hint = ""
    if state.busy:
        running = span((now_us - state.since_us) / 1_000_000)
        until = state.lease_until_ms
        ends = ""
        if until:
            at = datetime.fromtimestamp(until / 1000, UTC)
            ends = _("lease ends %(time)s") % {"time": dates.time(at)}
        hint = " · ".join(part for part in (running, ends) if part)
    elif letter in "rp":
        hint = _("for %(time)s") % {"time": span((state.since_us - now_us) / 1_000_000)}
    elif state.quarantined:
        hint = state.quarantine_reason
    return _as_state(letter, hint, quarantined=state.quarantined, in_call=state.busy)


def _as_state(
    letter: str, hint: str, *, quarantined: bool, in_call: bool | None = None
) -> dict[str, Any]:
    return {
        "letter": letter,
        "word": word_of(letter),
        "chip": chip_of(letter),
        "hint": hint,
        "quarantined": quarantined,
        "in_call": letter in IN_CALL if in_call is None else in_call,
    }


def _facts(number: Number, state: dict[str, Any]) -> list[tuple[str, str]]:
    tags = ", ".join(number.tags.values_list("tag", flat=True))
    quarantine = ""
    if number.quarantined_at:
        by, why = number.quarantined_by, health_reasons.said(number.quarantined_reason)
        quarantine = f"{why} ({by})" if by else why
    facts = [
        (_("Pool"), number.pool.name),
        (_("Label"), number.label),
        (_("Region"), number.region),
        (_("Carrier"), number.carrier),
        (_("Tags"), tags),
        (_("Quarantined"), quarantine),
        (_("Notes"), number.notes),
    ]
    return [(label, value) for label, value in facts if value]


def _busy_at(principal: access.Principal, number: str, at: datetime | None) -> str:
    """One sentence that says in which call the number was at that moment, or ""."""
    if at is None:
        return ""
    calls = records.who_had(principal, at=at, number=number, limit=1)
    moment = dates.time_exact(at)
    if not calls:
        return _("At %(time)s this number was not in a call.") % {"time": moment}
    call = calls[0]
    began = dates.time_exact(call.started_at)
    who = call.agent or call.switch or _("unknown")
    lasted = clock(((call.ended_at or timezone.now()) - call.started_at).total_seconds())
    return _("At %(time)s this number was in a call of %(who)s, from %(began)s for %(lasted)s.") % {
        "time": moment,
        "who": who,
        "began": began,
        "lasted": lasted,
    }


def _moment(text: str) -> datetime | None:
    """Parse a time in the user's time zone. Return None if the text is not a time."""
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    if found is None or timezone.is_aware(found):
        return found
    return timezone.make_aware(found)


def _place(text: str) -> tuple[int, int] | None:
    at_us, _dash, key = text.partition("-")
    good = all(part.isascii() and part.isdecimal() and len(part) < 19 for part in (at_us, key))
    return (int(at_us), int(key)) if good else None


def _next(request: HttpRequest, place: tuple[int, int] | None) -> str:
    if place is None:
        return ""
    given = request.GET.copy()
    given["after"] = f"{place[0]}-{place[1]}"
    return f"?{given.urlencode()}"


# -- actions of an operator -----------------------------------------------------------------------


@require_POST
@answers_json
def number_quarantine(request: HttpRequest, value: str) -> HttpResponse:
    """Quarantine the number, with a reason."""
    principal = principal_of(request)
    number = number_of(principal, value, "numbers.operate")
    reason = reason_of(request, required=True)
    services.number_quarantine(actor=principal, number=number, reason=reason)
    return JsonResponse({"quarantined": True})


@require_POST
@answers_json
def number_release(request: HttpRequest, value: str) -> HttpResponse:
    """End the number's quarantine."""
    principal = principal_of(request)
    number = number_of(principal, value, "numbers.operate")
    reason = reason_of(request, required=False)
    services.number_release(actor=principal, number=number, reason=reason)
    return JsonResponse({"quarantined": False})


@require_POST
@answers_json
def number_hangup(request: HttpRequest, value: str) -> HttpResponse:
    """End the number's call now. The switch is notified."""
    principal = principal_of(request)
    number = number_of(principal, value, "numbers.operate")
    reason = reason_of(request, required=True)
    services.number_force_hangup(actor=principal, number=number, reason=reason)
    return JsonResponse({"ended": True})
