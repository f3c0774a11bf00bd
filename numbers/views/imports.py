"""Imports of numbers: the steps of one; numbers/views/import_list.py lists them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from numbers.errors import NumbersError
from numbers.models import ImportRow, NumberImport
from numbers.reason_words import sentence_of
from numbers.selectors.imports import import_of, rows_left_out
from numbers.services import imports as service
from numbers.views.common import pool_of
from poolsite import access
from poolsite.console.pages import principal_of
from poolsite.csv_text import csv_file


@require_POST
def import_upload(request: HttpRequest) -> HttpResponse:
    """Take a file and show its preview; a file that is refused leaves nothing behind."""
    principal = principal_of(request)
    access.require(principal, "numbers.operate")
    pool = pool_of(principal, request.POST.get("pool", ""), "numbers.operate")
    file = request.FILES.get("file")
    try:
        if file is None or not file.name:
            raise NumbersError("malformed", _("Choose a file first."))
        found = service.import_upload(
            actor=principal, pool=pool, file_name=file.name, data=file.chunks()
        )
    except NumbersError as error:
        messages.error(request, sentence_of(error.detail))
        return HttpResponseRedirect(f"{reverse('numbers:numbers')}?panel=new&pool={pool.slug}")
    return _show(found)


@require_POST
def import_confirm(request: HttpRequest, import_id: int) -> HttpResponse:
    """Start the import."""
    principal = principal_of(request)
    found = import_of(principal, import_id)
    return _step(
        request, found, lambda: service.import_confirm(actor=principal, number_import=found)
    )


@require_POST
def import_undo(request: HttpRequest, import_id: int) -> HttpResponse:
    """Start taking the import's numbers out again."""
    principal = principal_of(request)
    found = import_of(principal, import_id)
    reason = " ".join(request.POST.get("reason", "").split())
    return _step(
        request,
        found,
        lambda: service.import_undo(actor=principal, number_import=found, reason=reason),
    )


@require_POST
def import_discard(request: HttpRequest, import_id: int) -> HttpResponse:
    """Throw a preview away; back to choosing a file."""
    principal = principal_of(request)
    found = import_of(principal, import_id)
    try:
        service.import_discard(actor=principal, number_import=found)
    except NumbersError as error:
        messages.error(request, sentence_of(error.detail))
        return _show(found)
    if request.POST.get("again"):
        return HttpResponseRedirect(
            f"{reverse('numbers:numbers')}?panel=new&pool={found.pool.slug}"
        )
    return HttpResponseRedirect(reverse("numbers:numbers"))


@require_GET
def import_refused(request: HttpRequest, import_id: int) -> StreamingHttpResponse:
    """The rows that are left out, as CSV, to be mended and imported again."""
    found = import_of(principal_of(request), import_id)
    left_out = (ImportRow.Kind.SUSPICIOUS, ImportRow.Kind.REFUSED)
    kinds = [kind for kind in left_out if kind == request.GET.get("kind", kind)]
    head = (_("row"), "number", "label", "region", _("why"), _("how to fix it"))
    rows = (
        (row.row, row.raw, row.label, row.region, row.reason, row.remedy)
        for row in rows_left_out(found, *kinds)
    )
    return csv_file(f"{found.public_id}-refused.csv", head, rows)


def _step(request: HttpRequest, found: NumberImport, run: Any) -> HttpResponse:
    try:
        run()
    except NumbersError as error:
        messages.error(request, sentence_of(error.detail))
    return _show(found)


def _show(found: NumberImport) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('numbers:numbers')}?panel={found.pk}")
