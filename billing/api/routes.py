"""Billing's routes behind Django. The hot lane's routes are listed for the OpenAPI document."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import register_converter
from django.urls.converters import PathConverter
from ninja import Router

from billing.api import (
    reading,
    routes_accounts,
    routes_books,
    routes_campaigns,
    routes_exceptions,
    routes_files,
    routes_invoices,
    routes_invoicing,
    routes_paying,
    routes_promotions,
    routes_recipients,
    routes_refunds,
    routes_senders,
    routes_tariffs,
)
from billing.api.common import Slug
from billing.api.examples import EXAMPLES
from billing.api.examples_invoices import EXAMPLES as OF_INVOICES
from billing.api.examples_more import EXAMPLES as MORE
from billing.schemas import (
    BalanceOut,
    HoldIn,
    IdIn,
    MessageAnswer,
    MessageItemAnswer,
    MessageOut,
    MessageProblem,
    ReportIn,
    SessionIn,
)
from billing.services.senders import WalletRef, wallet_ref
from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api import examples
from poolsite.api.root import ProblemError, api

router = Router(tags=["billing"])
PARTS = (
    routes_accounts,
    routes_books,
    routes_files,
    routes_invoices,
    routes_tariffs,
    routes_paying,
    routes_promotions,
    routes_recipients,
    routes_refunds,
    routes_campaigns,
    routes_senders,
    routes_exceptions,
)
_DONE: dict[int, Any] = {
    200: MessageAnswer | list[MessageItemAnswer],
    422: MessageProblem,  # all errors have this schema
}
_TAKEN: dict[int, Any] = {**_DONE, 202: MessageAnswer}


class AnyTextConverter(PathConverter):
    """The rest of a path, including line breaks, so that a malformed ID returns "not found"."""

    regex = r"(?s:.+)"


register_converter(AnyTextConverter, "any")


def register() -> None:
    """Register the routes. Called once, by poolsite.urls."""
    examples.declare(EXAMPLES)
    examples.declare(MORE)
    examples.declare(OF_INVOICES)
    api.add_router("/accounts", router)
    for part in PARTS:
        api.add_router("/accounts", part.router)
    api.add_router("/invoicing", routes_invoicing.router)


def _one_or_many(schema: str, plain_ids: bool = False) -> dict[str, Any]:
    """Return the schema of a request body: one object, or an array of up to 1 000."""
    one = {"$ref": f"#/components/schemas/{schema}"}
    item = {"anyOf": [one, {"type": "string", "pattern": "^[!-~]{1,80}$"}]} if plain_ids else one
    many = {"type": "array", "items": item, "minItems": 1, "maxItems": 1000}
    content = {"application/json": {"schema": {"anyOf": [one, many]}}}
    return {"requestBody": {"required": True, "content": content}}


@router.post(
    "/{slug}/holds",
    response=_DONE,
    summary="Hold the price of messages",
    openapi_extra=_one_or_many("HoldIn"),
)
def post_holds(request: HttpRequest, hold: HoldIn, slug: str = Slug) -> HttpResponse:
    """Hold the highest price that a message can cost. Takes one message or up to 1,000.

    Repeating an ID with the same body returns the same hold. In a batch, each item has its own
    `status`.
    """
    return _hot_only()


@router.post(
    "/{slug}/sent",
    response=_DONE,
    summary="Mark messages as sent",
    openapi_extra=_one_or_many("IdIn", plain_ids=True),
)
def post_sent(request: HttpRequest, message: IdIn, slug: str = Slug) -> HttpResponse:
    """Mark held messages as sent, just before passing them to the gateway."""
    return _hot_only()


@router.post(
    "/{slug}/cancellations",
    response=_DONE,
    summary="Cancel messages",
    openapi_extra=_one_or_many("IdIn", plain_ids=True),
)
def post_cancellations(request: HttpRequest, message: IdIn, slug: str = Slug) -> HttpResponse:
    """Cancel messages that were not sent. Their holds are released; they can't be sent later."""
    return _hot_only()


@router.post(
    "/{slug}/settlements",
    response=_TAKEN,
    summary="Send status reports",
    openapi_extra=_one_or_many("ReportIn"),
)
def post_settlements(request: HttpRequest, report: ReportIn, slug: str = Slug) -> HttpResponse:
    """Send status reports of the gateway (platform token only). Only final reports count.

    Delivered: the price of that mode is charged and the rest is released. Failed: everything is
    released. A report for a message that is not known yet answers 202 `parked`.
    """
    return _hot_only()


@router.post(
    "/{slug}/sessions",
    response=_DONE,
    summary="Charge session messages",
    openapi_extra=_one_or_many("SessionIn"),
)
def post_sessions(request: HttpRequest, session: SessionIn, slug: str = Slug) -> HttpResponse:
    """Charge session messages immediately. If the balance is too low: 402, stored as `unpaid`."""
    return _hot_only()


@router.get("/{slug}/balance", response={200: BalanceOut}, summary="Get the balance")
def get_balance(request: HttpRequest, slug: str = Slug) -> Any:
    """The wallet's current figures, with the sequence number of its last change."""
    ref = _ref(request, slug)
    balance = reading.balance_now(ref)
    if balance is None:
        raise ProblemError("unavailable", "the account's data is being rebuilt")
    return reading.balance_out(ref, balance)


@router.get(
    "/{slug}/messages/{any:message_id}",
    response={200: MessageOut},
    summary="Get a message",
)
def get_message(request: HttpRequest, message_id: str, slug: str = Slug) -> Any:
    """A message, open or ended, however old it is."""
    found = reading.message_now(_ref(request, slug), message_id)
    if found is None:
        raise ProblemError("unknown-message", "this account has no message with this id")
    return found


def _ref(request: HttpRequest, slug: str) -> WalletRef:
    """Return the wallet if the user may see it. Another account's is reported as missing."""
    principal = principal_of_request(request)
    ref = wallet_ref(slug)
    if ref is None:
        raise ProblemError("unknown-account", "account not found")
    try:
        access.require(principal, "billing.view", ref)
    except access.Hidden:
        raise ProblemError("unknown-account", "account not found") from None
    return ref


def _hot_only() -> HttpResponse:
    """Refuse the request. This only runs if the process does not serve ASGI."""
    raise ProblemError("unavailable", "messages are charged over ASGI only")
