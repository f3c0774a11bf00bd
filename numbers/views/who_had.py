"""Call lookup: who had a number at a given moment, and the calls just before and after it."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from numbers import selectors
from numbers.forms import WhoHadForm
from numbers.models import CallRecord
from numbers.presentation import end_of
from numbers.selectors import records
from poolsite import access, dates
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import phone, span
from poolsite.number_format import masked

SECOND = timedelta(seconds=1)


@require_GET
def who_had(request: HttpRequest) -> HttpResponse:
    """Show who had a number, or which number a person had, at one moment."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    asked = "what" in request.GET
    initial = {"by": "number", "at": timezone.localtime().replace(microsecond=0)}
    form = WhoHadForm(request.GET if asked else None, initial=initial)
    context: dict[str, Any] = {"form": form, "asked": asked and form.is_valid()}
    if context["asked"]:
        context |= _answer(principal, form.cleaned_data)
    return render(request, "numbers/who_had.html", context)


def _answer(principal: access.Principal, data: dict[str, Any]) -> dict[str, Any]:
    by, what, at = data["by"], data["what"], data["at"]
    if by == "number":  # find the stored number that was meant, whatever its typed format
        what = selectors.stored_value(selectors.visible_numbers(principal), what)
    calls = records.who_had(principal, at=at, **{by: what})
    before, after = records.calls_around(principal, at=at, **{by: what})
    words = {"n": len(calls), "time": dates.moment_exact(at), "what": phone(what)}
    answer = ngettext(
        "%(n)s call at %(time)s: %(what)s", "%(n)s calls at %(time)s: %(what)s", len(calls)
    )
    none = _("%(what)s: no call at %(time)s") % words
    return {
        "calls": [_at_moment(call, at) for call in calls],
        "answer": answer % words if calls else none,
        "around": [_around(call, by, what, at) for call in (before, after) if call],
    }


def _around(call: CallRecord, by: str, what: str, at: datetime) -> dict[str, Any]:
    """A call that ended before the moment or began after it: how far away, and a link to it."""
    later = call.started_at > at
    ended = call.ended_at or at
    away = span((call.started_at - at if later else at - ended).total_seconds())
    moment = _within(call)
    words = _("began %(time)s later") if later else _("ended %(time)s before")
    return {
        **_at_moment(call, moment),
        "away": words % {"time": away},
        "there": lookup_url(by, what, moment),
    }


def lookup_url(by: str, what: str, moment: datetime) -> str:
    """The URL of a lookup: which call was it at that moment?"""
    at = f"{timezone.localtime(moment):%Y-%m-%dT%H:%M:%S}"
    return f"{reverse('numbers:who_had')}?{urlencode({'what': what, 'by': by, 'at': at})}"


def _within(call: CallRecord) -> datetime:
    """A whole second within the call, for the form's field."""
    moment = timezone.localtime(call.started_at).replace(microsecond=0)
    lasts = call.ended_at is None or call.ended_at - call.started_at > SECOND
    return moment + SECOND if moment < call.started_at and lasts else moment


def _at_moment(call: CallRecord, at: datetime) -> dict[str, Any]:
    row = call_row(call)
    return {**row, "url": f"{row['url']}?at={timezone.localtime(at):%Y-%m-%dT%H:%M:%S}"}


def call_row(call: CallRecord) -> dict[str, Any]:
    """A call as tables show it."""
    ended = call.ended_at
    return {
        "number": call.number,
        "agent": call.agent,
        "callee": call.callee,
        "masked_callee": masked(call.callee) if call.callee else "–",
        "lookup": lookup_url("number", call.number, _within(call)),
        "switch": call.switch,
        "call_id": call.call_id,
        "started_at": call.started_at,
        "ended_at": ended,
        "length_seconds": (ended - call.started_at).total_seconds() if ended else None,
        "how": end_of(call.ended_how) or "–",
        "url": f"{reverse('numbers:number', args=[call.number])}",
    }
