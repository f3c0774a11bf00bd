"""All gates live, and the first gate."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.operations.pages import principal_of
from queueing.admission import gate as door
from queueing.admission import services
from queueing.admission.forms import GateCreateForm
from queueing.admission.models import Gate

PAGE_ROWS = 100


@dataclass(frozen=True, slots=True)
class GateRow:
    """A gate and its figures; None = Redis cannot say at the moment."""

    gate: Gate
    figures: door.Figures | None

    @property
    def status(self) -> str:
        return self.figures.status if self.figures else "missing"

    @property
    def share(self) -> float | None:
        """Of the cap that is in use; over 1 while a lowered cap waits for its holders."""
        return self.figures.used / self.figures.cap if self.figures else None


def visible_gates(principal: Principal) -> "QuerySet[Gate]":
    """The gates that the reader may see."""
    return access.visible(Gate.objects.select_related("account"), principal, "admission.view")


def gate_rows(gates: list[Gate]) -> list[GateRow]:
    """The gates with their figures, read at once; a page stands while Redis is away."""
    try:
        found = hotpath.run_batch([door.show(gate.slug) for gate in gates])
    except hotpath.HotPathError:
        return [GateRow(gate, None) for gate in gates]
    return [
        GateRow(gate, None if isinstance(figures, hotpath.HotPathError) else figures)
        for gate, figures in zip(gates, found, strict=True)
    ]


@require_GET
def gate_list(request: HttpRequest) -> HttpResponse:
    """Every gate that the reader may see, with its figures; state in the address."""
    principal = principal_of(request)
    access.require(principal, "admission.view")
    may_create = access.decide(principal, "admission.create").allowed
    form = GateCreateForm() if may_create else None
    return render(request, "admission/gates.html", _context(request, principal, form))


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
    gates = visible_gates(principal)
    total = gates.count()
    text = request.GET.get("q", "")[:40]
    if text:
        gates = gates.filter(slug__startswith=text.lower()) | gates.filter(name__istartswith=text)
    after = request.GET.get("after", "")[:40]
    shown = list(gates.filter(slug__gt=after).order_by("slug")[: PAGE_ROWS + 1])
    following = shown[PAGE_ROWS - 1].slug if len(shown) > PAGE_ROWS else ""
    rows = gate_rows(shown[:PAGE_ROWS])
    return {
        "rows": rows,
        "empty": total == 0,
        "text": text,
        "total_words": ngettext("%(n)s gate", "%(n)s gates", total) % {"n": f"{total:,}"},
        "shown": _("%(count)s of %(total)s gates") % {"count": len(rows), "total": total},
        "next_url": _address(q=text, after=following) if following else "",
        "back_url": _address(q=text) if after else "",
        "many_accounts": principal.is_operator,
        "create_form": form,
        "topic": _topic(principal),
    }


def _address(**given: str) -> str:
    return "?" + urlencode({name: value for name, value in given.items() if value})


def _topic(principal: Principal) -> str:
    """The live list that this reader may watch: all, or that of the one account."""
    if principal.is_operator:
        return "admission.gates:all"
    if len(principal.account_ids) == 1:
        return f"admission.gates:{next(iter(principal.account_ids))}"
    return ""
