"""A gate, live: its page, its chart, and what an operator may do to it."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.aggregates.minutes import hour_values
from poolsite.console.pages import principal_of
from poolsite.console.verbs import act, cleaned, word_of
from queueing.admission import selectors, services
from queueing.admission.errors import AdmissionError
from queueing.admission.forms import CapForm
from queueing.admission.models import Gate
from queueing.admission.selectors import GATES
from queueing.admission.selectors.holders import SHOWN, first_snapshots

SERIES = ("used", "cap", "waiting", "granted", "refused", "expired", "overrun")

BATCHES_SHOWN = 5


@require_GET
def gate_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a gate, live."""
    principal = principal_of(request)
    gate = GATES.get(principal, slug)
    now = selectors.GATES.with_figures([gate], patient=True)[0]
    figures = now.figures
    may_operate = access.decide(principal, "admission.operate", gate).allowed
    hour = selectors.GATES.hours([gate])[gate.pk]
    batches = list(selectors.batch_list(gate)[:BATCHES_SHOWN])
    context = {
        "gate": gate,
        "figures": figures,
        "hour": hour,
        "status": now.status,
        "may_operate": may_operate,
        "cap_form": CapForm(initial={"cap": figures.cap if figures else gate.cap}),
        "first_snapshots": first_snapshots(gate.slug),
        "batches": [{"batch": batch, **selectors.progress(batch)} for batch in batches],
        "page": {
            "slug": gate.slug,
            "name": gate.name,
            "status": now.status,
            "live": selectors.figures_of(figures),
            "hour": hour,
            "may_operate": may_operate,
            "permit_seconds": gate.permit_seconds,
            "shown_rows": SHOWN,
            "samples_url": reverse("admission:samples", args=[gate.slug]),
        },
    }
    return render(request, "admission/gate.html", context)


@require_GET
def gate_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the last hour by the minute. Null means no sample: a gap in the data."""
    gate = GATES.get(principal_of(request), slug)
    return JsonResponse(hour_values(partial(selectors.GATES.samples, gate), SERIES))


# -- what an operator may do ----------------------------------------------------------------------


@require_POST
def gate_act(request: HttpRequest, slug: str) -> HttpResponse:
    """Run one of the verbs below, and show what was done, or why nothing was."""
    gate = GATES.get(principal_of(request), slug, "admission.operate")
    act(request, VERBS, gate)
    return redirect("admission:gate", slug=gate.slug)


def _cap_of(request: HttpRequest) -> int:
    cap: int = cleaned(CapForm(request.POST))["cap"]
    return cap


def _resize(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    cap = _cap_of(request)
    services.gate_resize(actor=principal, gate=gate, cap=cap, reason=word_of(request, "reason"))
    return _("Concurrency limit set to %(cap)s. Permits in use stay valid.") % {"cap": f"{cap:,}"}


def _pin(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    cap, reason = _cap_of(request), word_of(request, "reason")
    services.gate_pin(actor=principal, gate=gate, cap=cap, reason=reason)
    return _("Concurrency limit pinned at %(cap)s.") % {"cap": f"{cap:,}"}


def _unpin(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_pin(actor=principal, gate=gate, cap=None, reason=word_of(request, "reason"))
    return _("Concurrency limit unpinned.")


def _pause(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_pause(actor=principal, gate=gate, reason=word_of(request, "reason"))
    return _("Gate paused. Permits in use stay valid.")


def _resume(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_resume(actor=principal, gate=gate, reason=word_of(request, "reason"))
    return _("Gate resumed.")


def _open_early(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    services.gate_open_early(actor=principal, gate=gate, reason=word_of(request, "reason"))
    return _("Gate opened.")


def _free(principal: Principal, gate: Gate, request: HttpRequest) -> str:
    holder, token = request.POST.get("holder", "")[:65], request.POST.get("token", "")
    if not (holder and token.isascii() and token.isdecimal() and len(token) < 17):
        raise AdmissionError("malformed", _("Choose a holder first."))
    reason = word_of(request, "reason")
    services.permit_free(actor=principal, gate=gate, holder=holder, token=int(token), reason=reason)
    return _("Slot held by %(holder)s freed.") % {"holder": holder}


VERBS: dict[str, Callable[[Principal, Gate, HttpRequest], str]] = {
    "resize": _resize,
    "pin": _pin,
    "unpin": _unpin,
    "pause": _pause,
    "resume": _resume,
    "open_early": _open_early,
    "free": _free,
}
