"""The operators' list of adjustments: those that wait for a second operator, those decided."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing import money
from billing.models import Adjustment
from billing.selectors.adjustments import ALL, adjustment_counts, adjustment_rows
from billing.selectors.recharges import open_refunds
from poolsite import access
from poolsite.console import tables
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn
from poolsite.console.templatetags.console import figure, person_name
from poolsite.moments import iso

CHIPS = {
    Adjustment.Status.WAITING: ("chip--warn", "schedule"),
    Adjustment.Status.APPLIED: ("chip--ok", "check"),
    Adjustment.Status.REJECTED: ("", "block"),
    Adjustment.Status.CANCELLED: ("", "block"),
}
KINDS = ("credit", "debit", "cash_refund", "chargeback", "by_hand", "credit_limit", "grant")


@require_GET
def adjustments(request: HttpRequest) -> HttpResponse:
    """Show waiting and decided adjustments; `?format=csv` returns them as a file."""
    access.require(principal_of(request), "billing.finance")
    text = tables.text_of(request, "q")
    words = dict(Adjustment.kinds())
    options = [("", _("All types")), *((kind, kind_of(kind, words)) for kind in KINDS)]
    kind = tables.choice_of(request, "kind", _("Type"), options)
    counts = adjustment_counts(kind.value, text)
    show = tables.choice_of(request, "show", _("State"), _shows(counts))
    first = not request.GET.get("after") and not request.GET.get("before")
    return tables.answer(
        request,
        "billing/adjustments/adjustments.html",
        adjustment_rows(show.value, kind.value, text),
        _columns(),
        given={
            "q": text,
            "kind": kind.value,
            "show": show.value if show.value != Adjustment.Status.WAITING else "",
        },
        file="adjustments",
        dress=lambda rows: [row_of(each) for each in rows],
        context={
            "text": text,
            "choices": [show, kind],
            "refunds": open_refunds()[:50] if first else [],
        },
    )


def _shows(counts: dict[str, int]) -> list[tuple[str, str]]:
    options = [*Adjustment.Status.choices, (ALL, _("all"))]
    return [
        (value, f"{str(word).capitalize()} ({figure(counts.get(value, 0))})")
        for value, word in options
    ]


def kind_of(kind: str, words: dict[Any, Any] | None = None) -> str:
    """Return a kind's name, capitalized."""
    found = words or dict(Adjustment.kinds())
    return str(found.get(kind, kind)).capitalize()


def row_of(adjustment: Adjustment) -> dict[str, Any]:
    """Return an adjustment with the look of its state."""
    chip, icon = CHIPS[Adjustment.Status(adjustment.status)]
    return {
        "adjustment": adjustment,
        "chip": chip,
        "icon": icon,
        "kind": kind_of(adjustment.kind),
    }


def _columns() -> list[SqlColumn[Adjustment]]:
    return [
        SqlColumn(
            "account",
            _("Account"),
            lambda row: row.wallet.account.name,
            right=False,
            order=("wallet__account__name",),
        ),
        SqlColumn("state", _("State"), lambda row: row.status, order=("status",)),
        SqlColumn("type", _("Type"), lambda row: row.kind, order=("kind",)),
        SqlColumn(
            "amount",
            _("Amount"),
            lambda row: money.plain(row.amount),
            right=True,
            order=("amount",),
        ),
        SqlColumn("currency", "", lambda row: row.wallet.account.currency),
        SqlColumn("reason", _("Reason"), lambda row: row.reason),
        SqlColumn("reference", "", lambda row: row.reference),
        SqlColumn("requested_by", _("Requested by"), lambda row: person_name(row.asked_by)),
        SqlColumn(
            "decided_by",
            _("Decided by"),
            lambda row: person_name(row.decided_by) if row.decided_by else "",
        ),
        SqlColumn("decided_at", "", lambda row: iso(row.decided_at)),
        SqlColumn("decision_reason", "", lambda row: row.decision_reason),
        SqlColumn(
            "requested_at",
            _("Requested"),
            lambda row: iso(row.asked_at),
            order=("asked_at",),
            falls=True,
        ),
    ]
