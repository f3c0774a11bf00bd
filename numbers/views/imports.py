"""Imports of numbers: their list, and the steps of one import."""

from typing import Any

from django.contrib import messages
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from numbers.errors import NumbersError
from numbers.models import ImportRow, NumberImport
from numbers.reason_words import sentence_of
from numbers.selectors import pool_get
from numbers.selectors.imports import import_of, rows_left_out, visible_imports
from numbers.services import imports as service
from numbers.views.common import visible_pools
from poolsite import access
from poolsite.console import lists, tables
from poolsite.console.chips import chips_of
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn
from poolsite.console.templatetags.console import figure
from poolsite.csv_text import csv_file
from poolsite.moments import iso

CHIPS = {
    "reading": "chip--info",
    "previewed": "chip--warn",
    "importing": "chip--info",
    "done": "chip--ok",
    "undoing": "chip--info",
    "failed": "chip--bad",
    "stopped": "chip--warn",
}
State = NumberImport.State
ROWS_OF_FILE = F("rows_as_they_are") + F("rows_cleaned") + F("rows_suspicious") + F("rows_refused")
STATES = tuple(each for each in State if each != State.STOPPED)


@require_GET
def import_list(request: HttpRequest) -> HttpResponse:
    """List every import that the user may see, newest first, with the possible actions."""
    principal = principal_of(request)
    access.require(principal, "numbers.view")
    everything = visible_imports(principal)
    text, pool = tables.text_of(request, "q"), tables.text_of(request, "pool", 40)
    options = [("", _("All states")), *[(each.value, each.label) for each in STATES]]
    state = tables.choice_of(request, "state", _("State"), options)
    given = {"q": text, "state": state.value, "pool": pool}
    may = any(
        access.decide(principal, "numbers.operate", each).allowed
        for each in visible_pools(principal)[:500]
    )
    address = reverse("numbers:numbers")

    def dress(rows: list[NumberImport]) -> list[dict[str, Any]]:
        return [
            {
                "import": each,
                "chip": CHIPS.get(each.shown_state, ""),
                "may": access.decide(principal, "numbers.operate", each).allowed,
                "undo_label": _undo_label(each),
            }
            for each in rows
        ]

    return tables.answer(
        request,
        "numbers/imports.html",
        _matching(everything, given).annotate(all_rows=ROWS_OF_FILE),
        _columns(),
        given=given,
        file="imports",
        dress=dress,
        counted=lambda n: ngettext("%(n)s import", "%(n)s imports", n) % {"n": figure(n)},
        context={
            "text": text,
            "choices": [state],
            "chips": chips_of({"pool": pool}, {"pool": _("Pool")}),
            "any": everything.exists(),
            "new_url": address + lists.address({"pool": pool}, panel="new") if may else "",
        },
    )


def _matching(rows: QuerySet[NumberImport], given: dict[str, str]) -> QuerySet[NumberImport]:
    if given["q"]:
        number = given["q"].lower().removeprefix("imp-")
        by_id = Q(pk=int(number)) if number.isascii() and number.isdecimal() else Q()
        rows = rows.filter(Q(file_name__icontains=given["q"]) | by_id)
    if given["state"]:
        rows = rows.filter(state=given["state"])
    return rows.filter(pool__slug=given["pool"]) if given["pool"] else rows


def _columns() -> list[SqlColumn[NumberImport]]:
    return [
        SqlColumn("import", _("Import"), lambda row: row.public_id, order=("pk",), falls=True),
        SqlColumn("state", _("State"), lambda row: row.shown_state.value),
        SqlColumn("file", _("File"), lambda row: row.file_name, order=("file_name",)),
        SqlColumn("pool", _("Pool"), lambda row: row.pool.slug, order=("pool__slug",)),
        SqlColumn("rows", _("Rows"), lambda row: row.rows, right=True, order=("all_rows",)),
        SqlColumn("left_out", _("Left out"), lambda row: row.rows_left_out, right=True),
        SqlColumn(
            "imported", _("Imported"), lambda row: row.imported, right=True, order=("imported",)
        ),
        SqlColumn("cleaned", "", lambda row: row.rows_cleaned),
        SqlColumn("by", _("By"), lambda row: row.actor_name, order=("actor_name",)),
        SqlColumn("when", _("When"), lambda row: iso(row.created_at)),
    ]


def _undo_label(found: NumberImport) -> str:
    words = ngettext("Delete %(n)s number", "Delete %(n)s numbers", found.imported)
    return words % {"n": figure(found.imported)}


@require_POST
def import_upload(request: HttpRequest) -> HttpResponse:
    """Store a file and show its preview. A refused file leaves nothing behind."""
    principal = principal_of(request)
    access.require(principal, "numbers.operate")
    pool = pool_get(principal, request.POST.get("pool", ""), "numbers.operate")
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
    """Start deleting the import's numbers."""
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
    """Discard a preview, and return to choosing a file."""
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
    """The rows that are left out, as CSV, to be corrected and imported again."""
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
