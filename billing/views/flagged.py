"""Flagged reports: the operators' list, and closing a report."""

from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_GET, require_POST

from billing import money
from billing.models import FlaggedReport
from billing.presentation import amount
from billing.selectors.flagged import SHOWS, FlaggedQuery, open_totals, report_get
from billing.services.flagged_reports import TOPIC, flagged_accept, flagged_charge
from billing.views.common import finance_of, given, number_of
from poolsite import access
from poolsite.console.chips import chips_of
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.verbs import answers_json, body_of, reason_of


@require_GET
def flagged_page(request: HttpRequest) -> HttpResponse:
    """Show the open reports, newest first, or others by the filter."""
    principal = principal_of(request)
    access.require(principal, "billing.books")
    filters = given(request, "show", "flag", "account", "q")
    show = filters["show"] if filters["show"] in SHOWS else "open"
    before = number_of(request.GET.get("before", ""))
    query = FlaggedQuery(show, filters["flag"], filters["account"], filters["q"], before)
    rows, following = query.page(principal)
    totals = open_totals(principal)
    may_close, confirm_url = finance_of(principal, None, request)
    context = {
        "rows": rows,
        "filters": {**filters, "show": show},
        "shows": _shows(),
        "flags": FlaggedReport.Flag.choices,
        "totals": [
            (
                label,
                totals.counts.get(flag, 0),
                totals.amounts.get(flag, 0),
                address({"flag": flag}),
            )
            for flag, label in FlaggedReport.Flag.choices
        ],
        "open_count": totals.count,
        "open_amount": totals.amount,
        "may_close": may_close,
        "confirm_url": confirm_url,
        "topic": TOPIC,
        "chips": _chips(filters),
        "shown": ngettext("%(n)s report", "%(n)s reports", len(rows)) % {"n": len(rows)},
        "next_url": address(filters, before=following) if following else "",
        "back_url": address(filters) if before else "",
        "token": uuid4(),
    }
    return render(request, "billing/flagged.html", context)


def _shows() -> list[tuple[str, str]]:
    return [
        ("open", pgettext("state", "Open")),
        ("waiting", _("Waiting for approval")),
        ("closed", _("Closed")),
        ("all", _("All")),
    ]


def _chips(filters: dict[str, str]) -> list[dict[str, str]]:
    names = {"flag": _("Flag"), "account": _("Account"), "q": _("Message ID starts with")}
    return chips_of(filters, names)


@require_POST
@answers_json
def flagged_accept_loss(request: HttpRequest, report_id: int) -> HttpResponse:
    """Close a report without a charge: the loss is accepted."""
    principal = principal_of(request)
    report = report_get(principal, report_id, "billing.finance")
    flagged_accept(report, actor=principal, reason=reason_of(body_of(request)))
    return JsonResponse({"title": _("Report closed"), "detail": _("Loss accepted.")})


@require_POST
@answers_json
def flagged_charge_by_hand(request: HttpRequest, report_id: int) -> HttpResponse:
    """Request a charge; another operator approves it."""
    principal = principal_of(request)
    report = report_get(principal, report_id, "billing.finance")
    body = body_of(request)
    units = _units(body)
    flagged_charge(
        report, actor=principal, amount=units, reason=reason_of(body), token=_token(body)
    )
    currency = report.wallet.account.currency
    detail = _("%(amount)s is waiting for another operator's approval.") % {
        "amount": amount(units, currency)
    }
    return JsonResponse({"title": _("Charge submitted"), "detail": detail})


def _units(body: dict[str, Any]) -> int:
    try:
        return money.check_units(money.parse(str(body.get("amount", ""))))
    except money.MoneyError as error:
        raise ValidationError(str(error)) from None


def _token(body: dict[str, Any]) -> UUID:
    try:
        return UUID(str(body.get("token", "")))
    except ValueError:
        raise ValidationError(_("The request can't be read.")) from None
