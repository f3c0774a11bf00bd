"""The page of a finance grant that waits, with the approval by a second finance operator."""

from collections.abc import Callable

from django.forms import Form
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from poolsite.access import Decision, decide, four_eyes, principal_of_request, selectors, services
from poolsite.access.confirming import factor_url
from poolsite.access.models import FinanceRequest
from poolsite.access.services.finance_requests import DECIDE, why_not_approve
from poolsite.console.pages import user_of
from poolsite.console.verbs import carry_out
from poolsite.people.forms import ReasonForm
from poolsite.people.views.common import asks

CHIPS = {
    FinanceRequest.Status.WAITING: ("chip--warn", "schedule"),
    FinanceRequest.Status.APPROVED: ("chip--ok", "check"),
    FinanceRequest.Status.REJECTED: ("", "block"),
    FinanceRequest.Status.WITHDRAWN: ("", "block"),
}


@never_cache
@require_GET
@asks("access.operators_view")
def finance_request(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Show one request with what the second finance operator needs to know."""
    return _page(request, _found(pk), ReasonForm(), 200)


def _found(pk: int) -> FinanceRequest:
    rows = FinanceRequest.objects.select_related("user", "asked_by", "decided_by")
    return get_object_or_404(rows, pk=pk)


def _page(request: HttpRequest, found: FinanceRequest, form: Form, status: int) -> HttpResponseBase:
    reader, answer = user_of(request), decide(principal_of_request(request), DECIDE)
    waiting = found.status == FinanceRequest.Status.WAITING
    chip, icon = CHIPS[FinanceRequest.Status(found.status)]
    context = {
        "found": found,
        "chip": chip,
        "icon": icon,
        "invitation": selectors.invitation_of_user(found.user),
        "waiting": waiting,
        "own": found.asked_by_id == reader.pk,
        "why_not": why_not_approve(found, reader) if waiting else "",
        "approvers": four_eyes.approvers(found.asked_by, but=[found.user]) if waiting else [],
        "may_decide": answer.allowed or answer is Decision.FACTOR,
        "confirm_url": factor_url(request) if answer is Decision.FACTOR else "",
        "form": form,
    }
    return render(request, "access/finance_request.html", context, status=status)


@never_cache
@require_POST
@asks(DECIDE)
def finance_approve(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Approve as the second finance operator."""
    found = _found(pk)
    return _decided(
        request,
        lambda: services.finance_approve(found, actor=principal_of_request(request)),
        pk,
        _("Request approved. The grant is now in effect."),
    )


@never_cache
@require_POST
@asks(DECIDE)
def finance_reject(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Reject a request, or withdraw the reader's own, with a reason."""
    found, form = _found(pk), ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, 422)
    reason = form.cleaned_data["reason"]
    return _decided(
        request,
        lambda: services.finance_reject(found, actor=principal_of_request(request), reason=reason),
        pk,
        _("Request closed. Nothing was granted."),
    )


def _decided(
    request: HttpRequest, act: Callable[[], object], pk: int, words: str
) -> HttpResponseBase:
    carry_out(request, act, words)
    return redirect("access:finance_request", pk=pk)
