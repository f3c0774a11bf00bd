"""The API of invoicing for all accounts: the list of invoices, the seller and the tax rates."""

from decimal import Decimal
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status

from billing.api.invoices_out import invoice_row, rate_out
from billing.api.routes_invoices import FINANCE, rows_of
from billing.models import Seller, TaxRate
from billing.schemas_invoices import (
    AllInvoicesIn,
    InvoiceRow,
    SellerIn,
    SellerOut,
    TaxRateEndIn,
    TaxRateIn,
    TaxRateOut,
    TaxRatesIn,
)
from billing.services import tax_profiles
from poolsite import access
from poolsite.access import Principal, principal_of_request
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_in_path
from poolsite.api.root import ProblemError

router = Router(tags=["invoices"])
Rate = id_in_path("The tax rate's ID.")


@router.get("/invoices", response={200: Page[InvoiceRow]}, summary="List all invoices")
def list_all_invoices(request: HttpRequest, asked: Query[AllInvoicesIn]) -> Any:
    """The invoices of all accounts, newest first. Requires an operator."""
    _reader(request)
    return page(request, asked, rows_of(asked, None, asked.q), invoice_row)


@router.get("/seller", response={200: SellerOut}, summary="Get the seller")
def get_seller(request: HttpRequest) -> Any:
    """The company that issues the invoices. Requires an operator."""
    _reader(request)
    found = tax_profiles.seller_of()
    if found is None:
        raise ProblemError("unknown-seller", "no seller was entered")
    return _seller(found)


@router.put("/seller", response={200: SellerOut}, summary="Set the seller")
def set_seller(request: HttpRequest, given: SellerIn) -> Any:
    """Replace the seller. Issued invoices don't change.

    Without a seller, no invoices are issued. Requires an operator with the grant `finance`.
    """
    principal = _finance(request)
    return _seller(tax_profiles.seller_set(actor=principal, **given.model_dump()))


@router.get("/tax-rates", response={200: Page[TaxRateOut]}, summary="List tax rates")
def list_tax_rates(request: HttpRequest, asked: Query[TaxRatesIn]) -> Any:
    """The tax rates, newest first. Requires an operator."""
    _reader(request)
    rows = TaxRate.objects.all()
    if asked.country:
        rows = rows.filter(country=asked.country)
    if asked.kind:
        rows = rows.filter(kind=asked.kind)
    return page(request, asked, rows, rate_out)


@router.post("/tax-rates", response={201: TaxRateOut}, summary="Create a tax rate")
def create_tax_rate(request: HttpRequest, given: TaxRateIn) -> Any:
    """Create a tax rate. It counts for months whose last day is in its period.

    Requires an operator with the grant `finance`.
    """
    principal = _finance(request)
    values = given.model_dump() | {"rate": int(Decimal(given.rate) * 100)}
    return Status(201, rate_out(tax_profiles.rate_create(actor=principal, **values)))


@router.post("/tax-rates/{rate}/end", response={200: TaxRateOut}, summary="End a tax rate")
def end_tax_rate(request: HttpRequest, given: TaxRateEndIn, rate: int = Rate) -> Any:
    """End a tax rate. Issued invoices don't change.

    Requires an operator with the grant `finance`.
    """
    principal = _finance(request)
    found = TaxRate.objects.filter(pk=rate).first()
    if found is None:
        raise ProblemError("unknown-tax-rate", "tax rate not found")
    return rate_out(tax_profiles.rate_end(found, actor=principal, **given.model_dump()))


def _reader(request: HttpRequest) -> None:
    access.require(principal_of_request(request), "billing.books")


def _finance(request: HttpRequest) -> Principal:
    """Return a principal with write access. Raise ProblemError `second-factor` if needed again."""
    principal = principal_of_request(request)
    try:
        access.require(principal, FINANCE)
    except access.FactorNeeded:
        raise ProblemError("second-factor", "prove your second factor again") from None
    return principal


def _seller(row: Seller) -> SellerOut:
    return SellerOut(**{name: getattr(row, name) for name in tax_profiles.SELLER})
