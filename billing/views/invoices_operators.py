"""Operators' pages of invoices: a list of all accounts, issue, credit, set seller and rates."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing.forms import ReasonForm
from billing.invoicing.document import percent
from billing.models import Invoice, TaxRate
from billing.selectors.invoices import (
    InvoiceQuery,
    credit_get,
    invoice_get,
    invoice_years,
    open_months,
)
from billing.selectors.wallets import wallet_get
from billing.services import invoices as services
from billing.services import invoices_credit as crediting
from billing.services import tax_profiles
from billing.services.days import month_of
from billing.views.common import finance_of
from billing.views.invoices import (
    columns,
    counted,
    invoice_page,
    state_choice,
    year_choice,
)
from billing.views.invoices_forms import IssueForm, RateEndForm, SellerForm, TaxRateForm
from poolsite import access
from poolsite.console import tables
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn
from poolsite.console.verbs import carry_out


@require_GET
def invoice_list(request: HttpRequest) -> HttpResponse:
    """Show the invoices of all accounts; `?format=csv` returns them as a file."""
    principal = principal_of(request)
    access.require(principal, "billing.books")
    text = tables.text_of(request, "q")
    state = state_choice(request)
    year = year_choice(request, invoice_years())
    query = InvoiceQuery(state.value, year=int(year.value or 0), search=text)
    account: SqlColumn[Invoice] = SqlColumn(
        "account",
        _("Account"),
        lambda row: row.wallet.account.name,
        order=("wallet__account__name",),
    )
    return tables.answer(
        request,
        "billing/invoices/invoice_list.html",
        query.rows(),
        [columns()[0], account, *columns()[1:]],
        given={"q": text, "state": state.value, "year": year.value},
        file="invoices",
        counted=counted,
        context={
            "text": text,
            "choices": [state, year],
            "may_set": finance_of(principal, None, request)[0],
            "has_seller": tax_profiles.seller_of() is not None,
        },
    )


@require_POST
def invoice_issue(request: HttpRequest, slug: str) -> HttpResponse:
    """Issue the invoice of a complete month."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    form = IssueForm(request.POST, months=open_months(wallet))
    if not form.is_valid():
        messages.error(request, _("Choose a complete month without an invoice."))
        return redirect("billing:invoices", slug=slug)
    month = month_of(wallet.account, form.cleaned_data["month"])
    try:
        made = services.invoice_issue(wallet, month, actor=principal)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("billing:invoices", slug=slug)
    messages.success(request, _("Invoice %(number)s issued.") % {"number": made.number})
    return redirect("billing:invoice", slug=slug, pk=made.pk)


@require_POST
def invoice_credit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Cancel an invoice with a credit note, or request a second operator's approval."""
    principal = principal_of(request)
    found = invoice_get(principal, slug, pk, "billing.finance")
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return invoice_page(request, found, form, 422)

    def ask() -> str:
        note = crediting.credit_ask(found, actor=principal, **form.cleaned_data)
        if not note.number:
            return _("Another operator must approve the credit note.")
        return _("Credit note %(number)s issued.") % {"number": note.number}

    carry_out(request, ask)
    return redirect("billing:invoice", slug=slug, pk=pk)


@require_POST
def credit_approve(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve as the second operator."""
    principal = principal_of(request)
    note = credit_get(principal, pk)
    return _decided(
        request,
        note.invoice,
        lambda: crediting.credit_approve(note, actor=principal),
        _("Credit note issued."),
    )


@require_POST
def credit_reject(request: HttpRequest, pk: int) -> HttpResponse:
    """Reject a credit note, or withdraw one's own."""
    principal = principal_of(request)
    note = credit_get(principal, pk)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return invoice_page(request, note.invoice, form, 422)
    reason = form.cleaned_data["reason"]
    return _decided(
        request,
        note.invoice,
        lambda: crediting.credit_reject(note, actor=principal, reason=reason),
        _("Credit note rejected. The invoice stands."),
    )


def _decided(
    request: HttpRequest, found: Invoice, decide: Callable[[], object], words: str
) -> HttpResponse:
    carry_out(request, decide, words)
    return redirect("billing:invoice", slug=found.wallet.slug, pk=found.pk)


# -- seller and rates ------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
def seller(request: HttpRequest) -> HttpResponse:
    """Show one page with two forms; the field `part` names the one that was sent."""
    principal = principal_of(request)
    access.require(principal, "billing.finance")
    part = request.POST.get("part", "")
    found = tax_profiles.seller_of()
    initial: dict[str, Any] = {"zone": timezone.get_current_timezone_name()}
    initial |= {"first_month": timezone.localdate().replace(day=1)}
    if found is not None:
        initial = {name: getattr(found, name) for name in tax_profiles.SELLER}
    form = SellerForm(request.POST if part == "seller" else None, initial=initial)
    rate = TaxRateForm(request.POST if part == "rate" else None, auto_id="rate_%s")
    done = redirect_with(request, _("Saved."), "billing:seller")
    answer = saved(form, partial(tax_profiles.seller_set, actor=principal), done) or saved(
        rate, partial(tax_profiles.rate_create, actor=principal), done
    )
    if answer:
        return answer
    today = timezone.localdate()
    rates = [
        (each, percent(each.rate), each.valid_until is not None and each.valid_until <= today)
        for each in TaxRate.objects.all()[:200]
    ]
    context = {"seller": found, "form": form, "rate": rate, "rates": rates}
    return form_page(request, "billing/invoices/seller.html", context)


@require_http_methods(["GET", "POST"])
def rate_end(request: HttpRequest, pk: int) -> HttpResponse:
    """End a rate on a day."""
    principal = principal_of(request)
    access.require(principal, "billing.finance")
    found = get_object_or_404(TaxRate, pk=pk)
    form = RateEndForm(request.POST or None, initial={"valid_until": timezone.localdate()})
    save = partial(tax_profiles.rate_end, found, actor=principal)
    done = redirect_with(request, _("Saved."), "billing:seller")
    context = {"rate": found, "percent": percent(found.rate), "form": form}
    return saved(form, save, done) or form_page(request, "billing/invoices/rate_end.html", context)
