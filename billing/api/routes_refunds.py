"""Refund requests: customers ask for money back, operators answer."""

from typing import Any, cast
from uuid import uuid4

from django.http import HttpRequest
from ninja import Query, Router, Status

from billing.api.common import Id, Slug, money_of, units_of
from billing.api.routes_paying import adjustment_out
from billing.models import RefundRequest, Wallet
from billing.money import plain
from billing.schemas_common import MoneyReasonIn
from billing.schemas_paying import (
    AdjustmentOut,
    RefundAcceptIn,
    RefundIn,
    RefundOut,
    RefundsIn,
    RefundState,
)
from billing.services import refunds
from poolsite.access import Principal
from poolsite.api.pages import Page, page
from poolsite.api.root import ProblemError

router = Router(tags=["payments"])
STATES = {"taken": "withdrawn"}  # the API's name of this state


@router.get("/{slug}/refunds", response={200: Page[RefundOut]}, summary="List refund requests")
def list_refunds(request: HttpRequest, asked: Query[RefundsIn], slug: str = Slug) -> Any:
    """The account's refund requests, newest first."""
    _principal, wallet = money_of(request, slug, "billing.pay")
    rows = _refunds(wallet)
    if asked.state:
        rows = rows.filter(status="taken" if asked.state == "withdrawn" else asked.state)
    return page(request, asked, rows, _refund)


@router.post("/{slug}/refunds", response={201: RefundOut}, summary="Request a refund")
def request_refund(request: HttpRequest, given: RefundIn, slug: str = Slug) -> Any:
    """Request money back, up to the balance. An account can have one open request at a time."""
    principal, wallet = money_of(request, slug, "billing.pay")
    made = refunds.refund_ask(
        wallet,
        actor=principal,
        amount=units_of(given.amount),
        reason=given.reason,
        payout=given.payout,
    )
    return Status(201, _refund(made))


@router.post(
    "/{slug}/refunds/{refund}/withdraw",
    response={200: RefundOut},
    summary="Withdraw a refund request",
)
def withdraw_refund(request: HttpRequest, slug: str = Slug, refund: int = Id) -> Any:
    """Withdraw a refund request that is not answered yet."""
    principal, found = _found(request, slug, refund, "billing.pay")
    return _refund(refunds.refund_withdraw(found, actor=principal))


@router.post(
    "/{slug}/refunds/{refund}/accept",
    response={200: AdjustmentOut},
    summary="Accept a refund request",
)
def accept_refund(
    request: HttpRequest, given: RefundAcceptIn, slug: str = Slug, refund: int = Id
) -> Any:
    """Turn a refund request into a cash refund, and return that adjustment.

    Requires an operator with the grant `finance`, independent of the person who requested it.
    """
    principal, found = _found(request, slug, refund, "billing.finance")
    made = refunds.refund_accept(
        found, actor=principal, reference=given.reference, token=given.token or uuid4()
    )
    return adjustment_out(made)


@router.post(
    "/{slug}/refunds/{refund}/decline",
    response={200: RefundOut},
    summary="Decline a refund request",
)
def decline_refund(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, refund: int = Id
) -> Any:
    """Decline a refund request. The customer sees the reason.

    Requires an operator with the grant `finance`.
    """
    principal, found = _found(request, slug, refund, "billing.finance")
    return _refund(refunds.refund_decline(found, actor=principal, reason=given.reason))


def _found(
    request: HttpRequest, slug: str, key: int, action: str
) -> tuple[Principal, RefundRequest]:
    principal, wallet = money_of(request, slug, action)
    found = _refunds(wallet).filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-refund", "refund request not found")
    return principal, found


def _refunds(wallet: Wallet) -> Any:
    rows = RefundRequest.objects.filter(wallet=wallet)
    return rows.select_related("wallet__account", "asked_by")


def _refund(row: RefundRequest) -> RefundOut:
    return RefundOut(
        id=row.pk,
        amount=plain(row.amount),
        state=cast(RefundState, STATES.get(row.status, row.status)),
        reason=row.reason,
        payout=row.payout,
        requested_by=row.asked_by.get_username(),
        requested_at=row.asked_at,
        answered_at=row.answered_at,
        answer=row.answer,
        adjustment=row.adjustment_id,
    )
