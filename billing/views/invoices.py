"""An account's invoices: the list, each invoice with its files, and the account's tax profile."""

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_GET, require_http_methods

from billing import money
from billing.forms import ReasonForm
from billing.invoicing.document import line_words, party_lines, rate_words, treatment_words
from billing.models import Invoice, InvoiceMail
from billing.selectors.invoices import InvoiceQuery, invoice_get, invoice_years, open_months
from billing.selectors.wallets import wallet_get
from billing.services import tax_profiles
from billing.services.acting import person
from billing.services.invoices_credit import why_not_approve
from billing.views.common import finance_of, may_pay
from billing.views.invoices_files import credit_pdf_file, invoice_csv_file, invoice_pdf_file
from billing.views.invoices_forms import IssueForm, TaxProfileForm
from poolsite.access import four_eyes
from poolsite.console import tables
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.tables import Choice, SqlColumn
from poolsite.console.templatetags.console import figure
from poolsite.moments import iso


@require_GET
def invoices(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """Show the account's invoices; `?format=csv` returns them as a file."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    state = state_choice(request)
    year = year_choice(request, invoice_years(wallet))
    query = InvoiceQuery(state.value, year=int(year.value or 0))
    finance = principal.is_operator and finance_of(principal, wallet, request)[0]
    seller = tax_profiles.seller_of()
    months = open_months(wallet) if finance and seller is not None else []
    return tables.answer(
        request,
        "billing/invoices/invoices.html",
        query.rows(wallet),
        columns(),
        given={"state": state.value, "year": year.value},
        file=f"invoices-{slug}",
        counted=counted,
        context={
            "wallet": wallet,
            "choices": [state, year] if len(year.options) > 2 else [state],
            "may_pay": may_pay(principal, wallet),
            "profile": tax_profiles.profile_of(wallet.account),
            "has_seller": seller is not None,
            "issue": IssueForm(months=months) if months else None,
        },
    )


def state_choice(request: HttpRequest) -> Choice:
    """Return the filter by state."""
    options = [
        ("", _("All states")),
        ("issued", _("Issued")),
        ("credited", pgettext("invoice", "Credited")),
        ("waiting", _("Credit note waiting for approval")),
    ]
    return tables.choice_of(request, "state", _("State"), options)


def year_choice(request: HttpRequest, years: list[int]) -> Choice:
    """Return the filter by year."""
    options = [("", _("All years")), *((str(year), str(year)) for year in years)]
    return tables.choice_of(request, "year", _("Year"), options)


def columns() -> list[SqlColumn[Invoice]]:
    """Return the table headings, and the columns of the file."""
    return [
        SqlColumn("number", _("Number"), lambda row: row.number, order=("pk",), falls=True),
        SqlColumn("month", _("Month"), lambda row: row.month_name, order=("month",), falls=True),
        SqlColumn("state", _("State"), lambda row: "credited" if row.credit_note else "issued"),
        SqlColumn("credit_note", "", lambda row: row.credit_note.number if row.credit_note else ""),
        SqlColumn("net", _("Net"), lambda row: money.plain(row.net), right=True),
        SqlColumn("tax", _("Tax"), lambda row: money.plain(row.tax), right=True),
        SqlColumn(
            "total", _("Total"), lambda row: money.plain(row.total), right=True, order=("total",)
        ),
        SqlColumn("due", pgettext("invoice", "Due"), lambda row: money.plain(row.due), right=True),
        SqlColumn("currency", "", lambda row: row.currency),
        SqlColumn("customer", "", lambda row: row.customer.get("name", "")),
        SqlColumn("issued_at", _("Issued on"), lambda row: iso(row.issued_at)),
    ]


def counted(n: int) -> str:
    """Return how many invoices a page shows, as text."""
    return ngettext("%(n)s invoice", "%(n)s invoices", n) % {"n": figure(n)}


@require_GET
def invoice(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one invoice, printable; finance also sees the actions on it."""
    found = invoice_get(principal_of(request), slug, pk)
    return invoice_page(request, found, ReasonForm())


def invoice_page(
    request: HttpRequest, found: Invoice, form: ReasonForm, status: int = 200
) -> HttpResponse:
    """Return the page; `form` has the reason of a credit note, or of its rejection."""
    principal = principal_of(request)
    waiting = found.credit_waiting
    finance, factor = finance_of(principal, found.wallet, request)
    finance = finance and principal.is_operator
    context: dict[str, Any] = {
        "wallet": found.wallet,
        "invoice": found,
        "lines": [(line_words(line), line) for line in found.lines.all()],
        "taxes": [
            (rate_words(tax.name, tax.rate) if tax.name else _("No tax"), tax)
            for tax in found.taxes.all()
        ],
        "seller": party_lines(found.seller),
        "customer": party_lines(found.customer),
        "treatment": treatment_words(found.treatment),
        "note": found.credit_note,
        "waiting": waiting,
        "finance": finance,
        "factor_url": factor,
        "form": form,
        "mails": _mails(found) if principal.is_operator else [],
    }
    if finance and waiting is not None:
        reader = person(principal)
        context |= {
            "own": waiting.asked_by_id == reader.pk,
            "why_not": why_not_approve(waiting, reader),
            "approvers": four_eyes.approvers(waiting.asked_by),
        }
    return render(request, "billing/invoices/invoice.html", context, status=status)


def _mails(found: Invoice) -> list[InvoiceMail]:
    return list(found.mails.select_related("credit_note").order_by("pk"))


@require_GET
def invoice_pdf(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Return the document; it never changes."""
    return invoice_pdf_file(invoice_get(principal_of(request), slug, pk))


@require_GET
def invoice_csv(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Return the invoice's lines."""
    return invoice_csv_file(invoice_get(principal_of(request), slug, pk))


@require_GET
def credit_pdf(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Return the credit note that cancels the invoice. Raise Http404 if there is none."""
    note = invoice_get(principal_of(request), slug, pk).credit_note
    if note is None:
        raise Http404
    return credit_pdf_file(note)


@require_http_methods(["GET", "POST"])
def tax_profile(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit the account's tax profile, which its next invoices use."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.pay")
    profile = tax_profiles.profile_of(wallet.account)
    initial = tax_profiles.profile_values(wallet.account, profile)
    form = TaxProfileForm(request.POST or None, initial=initial)
    save = partial(tax_profiles.profile_set, wallet, actor=principal)
    done = redirect_with(
        request, _("Saved. The next invoice uses it."), "billing:invoices", slug=slug
    )
    context = {"wallet": wallet, "form": form}
    return saved(form, save, done) or form_page(
        request, "billing/invoices/tax_profile.html", context
    )
