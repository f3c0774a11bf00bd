"""One gate live: its page, its chart, and what an operator may do to it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.operations.pages import principal_of
from queueing.admission import gate as door
from queueing.admission import selectors, services
from queueing.admission.errors import AdmissionError
from queueing.admission.forms import CapForm
from queueing.admission.models import Gate, MinuteSample
from queueing.admission.views.common import carry_out, gate_of, word_of

HOUR_MINUTES = 60
SERIES = ("used", "cap", "waiting", "granted", "refused", "expired")
BATCHES_SHOWN = 5


@require_GET
def gate_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One gate live."""
    principal = principal_of(request)
    gate = gate_of(principal, slug)
    figures = _figures(gate)
    may_operate = access.decide(principal, "admission.operate", gate).allowed
    status = figures.status if figures else "missing"
    batches = list(selectors.batch_list(gate)[:BATCHES_SHOWN])
    context = {
        "gate": gate,
        "figures": figures,
        "status": status,
        "may_operate": may_operate,
        "cap_form": CapForm(initial={"cap": figures.cap if figures else gate.cap}),
        "batches": [{"batch": batch, **selectors.progress(batch)} for batch in batches],
        "page": {
            "slug": gate.slug,
            "name": gate.name,
            "status": status,
            "live": selectors.figures_of(figures),
            "may_operate": may_operate,
            "samples_url": reverse("admission:samples", args=[gate.slug]),
        },
    }
    return render(request, "admission/gate.html", context)


def _figures(gate: Gate) -> door.Figures | None:
    """The figures now; None while Redis is away, and the page fills when it is back."""
    try:
        return hotpath.run(door.show(gate.slug))
    except hotpath.HotPathError:
        return None


@require_GET
def gate_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """The last hour by the minute; null = no sample, a gap in the data."""
    gate = gate_of(principal_of(request), slug)
    last = timezone.now().astimezone(UTC).replace(second=0, microsecond=0)
    minutes = [last - timedelta(minutes=n) for n in reversed(range(HOUR_MINUTES + 1))]
    known = {row.minute: row for row in selectors.samples(gate, minutes[0])}
    values = {name: [_value(known, at, name) for at in minutes] for name in SERIES}
    return JsonResponse({"at": [int(at.timestamp() * 1000) for at in minutes], "values": values})


def _value(known: dict[datetime, MinuteSample], at: datetime, name: str) -> int | None:
    return getattr(known[at], name) if at in known else None


# -- what an operator may do ----------------------------------------------------------------------


@require_POST
def gate_act(request: HttpRequest, slug: str) -> HttpResponse:
    """One of the verbs below. Says what was done, or why nothing was."""
    principal = principal_of(request)
    gate = gate_of(principal, slug, "admission.operate")
    verb = VERBS.get(request.POST.get("verb", ""), _unknown)
    carry_out(request, lambda: verb(principal, gate, request))
    return redirect("admission:gate", slug=gate.slug)


def _unknown(_principal: Principal, _gate: Gate, _request: HttpRequest) -> str:
    raise AdmissionError("malformed", _("There is no such action."))


def _cap_of(request: HttpRequest) -> int:
    form = CapForm(request.POST)
    if not form.is_valid():
        raise ValidationError(form.errors["cap"].data if "cap" in form.errors else _first(form))
    cap: int = form.cleaned_data["cap"]
    return cap


def _first(form: forms.Form) -> str:
    return " ".join(str(error) for errors in form.errors.values() for error in errors)


def _resize(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    if gate.pinned_cap is not None:
        raise AdmissionError("gate-refused", _("The cap is pinned. Let it go first."))
    cap = _cap_of(request)
    services.gate_resize(actor=principal, gate=gate, cap=cap, reason=word_of(request, "reason"))
    return _("The cap is %(cap)s from now on. Nobody in flight was dropped.") % {"cap": f"{cap:,}"}


def _pin(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    cap, reason = _cap_of(request), _reason(request)
    services.gate_pin(actor=principal, gate=gate, cap=cap, reason=reason)
    return _("The cap is pinned at %(cap)s.") % {"cap": f"{cap:,}"}


def _unpin(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_pin(actor=principal, gate=gate, cap=None, reason=word_of(request, "reason"))
    return _("The cap is not pinned any more.")


def _pause(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_pause(actor=principal, gate=gate, reason=_reason(request))
    return _("The gate is paused. Who is in flight goes on.")


def _resume(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_resume(actor=principal, gate=gate, reason=word_of(request, "reason"))
    return _("The gate lets holders in again.")


def _open_early(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_open_early(actor=principal, gate=gate, reason=_reason(request))
    return _("The gate is open.")


def _free(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    holder, token = request.POST.get("holder", "")[:65], request.POST.get("token", "")
    if not (holder and token.isascii() and token.isdecimal() and len(token) < 17):
        raise AdmissionError("malformed", _("Choose a holder first."))
    reason = _reason(request)
    services.permit_free(actor=principal, gate=gate, holder=holder, token=int(token), reason=reason)
    return _("The slot of %(holder)s is free.") % {"holder": holder}


def _reason(request: HttpRequest) -> str:
    reason = word_of(request, "reason")
    if not reason:
        raise AdmissionError("malformed", _("Say why, in a few words."))
    return reason


VERBS: dict[str, Callable[[Principal, Gate, HttpRequest], Any]] = {
    "resize": _resize,
    "pin": _pin,
    "unpin": _unpin,
    "pause": _pause,
    "resume": _resume,
    "open_early": _open_early,
    "free": _free,
}
