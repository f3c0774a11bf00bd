"""All gates live, and the first gate."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from poolsite import access
from poolsite.access import Principal
from poolsite.live.scopes import address_for
from poolsite.operations import lists
from poolsite.operations.lists import Column
from poolsite.operations.pages import principal_of
from queueing.admission import selectors, services
from queueing.admission.forms import GateCreateForm
from queueing.admission.selectors import GateNow


@require_GET
def gate_list(request: HttpRequest) -> HttpResponse:
    """Every gate that the reader may see, with its figures; state in the address."""
    principal = principal_of(request)
    access.require(principal, "admission.view")
    may_create = access.decide(principal, "admission.create").allowed
    form = GateCreateForm() if may_create else None
    context = _context(request, principal, form)
    if request.GET.get("format") == "csv":
        return lists.csv_answer("gates", _columns(), context["rows"])
    return render(request, "admission/gates.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def gate_create(request: HttpRequest) -> HttpResponse:
    """Make a gate, then show it."""
    principal = principal_of(request)
    access.require(principal, "admission.create")
    form = GateCreateForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            gate = services.gate_create(actor=principal, **form.settings())
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            words = _("Gate %(name)s is there. Upload its first batch next.")
            messages.success(request, words % {"name": gate.name})
            return redirect("admission:gate", slug=gate.slug)
    context = {**_context(request, principal, form), "open_form": True}
    return render(request, "admission/gates.html", context, status=422 if form.is_bound else 200)


def _context(
    request: HttpRequest, principal: Principal, form: GateCreateForm | None
) -> dict[str, Any]:
    page = lists.page_of(request, selectors.visible_gates(principal), kind="gate")
    found = selectors.with_figures(page.rows, patient=True)
    rows = lists.ordered(found, _columns(), page.sort)
    words = ngettext("%(n)s gate", "%(n)s gates", page.total)
    return {
        "rows": rows,
        "page": page,
        "heads": lists.heads(_columns(), page.sort),
        "total_words": words % {"n": f"{page.total:,}"},
        "shown": _("%(count)s of %(total)s gates") % {"count": len(rows), "total": page.total},
        "next_url": page.next_url,
        "back_url": page.back_url,
        "many_accounts": principal.is_operator,
        "create_form": form,
        "topic": address_for(principal, "admission.gates"),
    }


def _columns() -> list[Column[GateNow]]:
    return [
        Column("gate", _("Gate"), lambda row: row.gate.name, right=False),
        Column("use", _("In use"), _figure("used"), right=False),
        *(
            Column(name, label, _figure(name))
            for name, label in (
                ("waiting", _("Waiting")),
                ("refused", _("Refused")),
                ("expired", _("Expired")),
                ("overrun", _("Overrun")),
            )
        ),
    ]


def _figure(name: str) -> Callable[[GateNow], int | None]:
    return lambda row: getattr(row.figures, name, None)
