"""A month's statement as CSV and PDF, as on the statement's page."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import Router

from billing.api.common import Slug, wallet_of
from billing.api.examples_more import STATEMENT_CSV
from billing.api.routes_books import Month
from billing.selectors.statements import statement_of
from billing.selectors.statements_asked import month_asked
from billing.views.statements_files import statement_csv_file, statement_pdf_file
from billing.views.statements_pdf import MOVES_LIMIT
from poolsite.api.root import ProblemError

router = Router(tags=["statements"])


def file_told(media_type: str, schema: dict[str, str], example: str) -> dict[str, Any]:
    """Return a file's part of the OpenAPI document."""
    return {"responses": {200: {"content": {media_type: {"schema": schema, "example": example}}}}}


@router.get(
    "/{slug}/statements/{month}/csv",
    response={200: None},
    summary="Download a statement as CSV",
    openapi_extra=file_told("text/csv", {"type": "string"}, STATEMENT_CSV),
)
def get_statement_csv(
    request: HttpRequest, slug: str = Slug, month: str = Month
) -> HttpResponseBase:
    """Every entry of the month, oldest first, with the spendable balance after it.

    UTF-8 with a byte order mark. Times are in the account's time zone.
    """
    _principal, wallet = wallet_of(request, slug)
    return statement_csv_file(wallet, month_asked(wallet, month))


@router.get(
    "/{slug}/statements/{month}/pdf",
    response={200: None},
    summary="Download a statement as PDF",
    openapi_extra=file_told("application/pdf", {"type": "string", "format": "binary"}, "%PDF-1.4"),
)
def get_statement_pdf(
    request: HttpRequest, slug: str = Slug, month: str = Month
) -> HttpResponseBase:
    """The statement as a PDF, once its `state` is `final`. Before that: 409."""
    _principal, wallet = wallet_of(request, slug)
    found = statement_of(wallet, month_asked(wallet, month), MOVES_LIMIT)
    if not found.statement.is_final:
        raise ProblemError("month-not-final", "the month is not complete yet")
    return statement_pdf_file(found)
