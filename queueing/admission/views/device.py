"""Why a device gets no task: what its gate and its batches say of it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from poolsite import hotpath
from poolsite.console.pages import principal_of
from queueing.admission import selectors
from queueing.admission.gate import is_device_name
from queueing.admission.selectors import GATES

GOOD = ("running", "next-report", "done", "result-pending")


@require_GET
def device_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The answer for the device `q`, which is a whole name; without it, the question."""
    gate = GATES.get(principal_of(request), slug)
    text = request.GET.get("q", "").strip()[:64]
    is_missing, found = False, None
    if is_device_name(text):
        try:
            found = selectors.explain(gate, text)
        except hotpath.HotPathError:
            is_missing = True
    context = {
        "gate": gate,
        "text": text,
        "found": found,
        "is_good": found is not None and found.reason in GOOD,
        "is_missing": is_missing,
        "is_malformed": bool(text) and not is_device_name(text),
    }
    return render(request, "admission/device.html", context)
