"""The API of top-ups, and of adjustments that a second operator approves."""

from typing import Any, cast
from uuid import uuid4

from django.http import HttpRequest
from django.urls import reverse
from ninja import Query, Router, Status
from payments.core import get_base_url

from billing.api.common import Id, Slug, money_of, units_of, wallet_of
from billing.models import Adjustment, Recharge, Wallet
from billing.money import plain
from billing.recharging import variants
from billing.schemas_common import MoneyNoteIn, MoneyReasonIn
from billing.schemas_paying import (
    AdjustmentIn,
    AdjustmentOut,
    AdjustmentsIn,
    AdjustmentState,
    TopUpIn,
    TopUpOut,
    TopUpsIn,
)
from billing.selectors.recharges import RechargeQuery
from billing.services import adjustments, recharges
from billing.services.adjustments_giving_up import adjustment_give_up
from billing.services.recharges_asking import recharge_cancel
from poolsite.access import Principal
from poolsite.api.pages import Page, page
from poolsite.api.paths import id_of
from poolsite.api.root import ProblemError

router = Router(tags=["payments"])
STATES = {"given_up": "cancelled"}  # the API's names of these states


@router.get("/{slug}/top-ups", response={200: Page[TopUpOut]}, summary="List top-ups")
def list_top_ups(request: HttpRequest, asked: Query[TopUpsIn], slug: str = Slug) -> Any:
    """The account's top-ups, newest first."""
    _principal, wallet = wallet_of(request, slug)
    rows = RechargeQuery(asked.state or "", asked.provider, 0, asked.q).rows(wallet)
    rows = rows.select_related("wallet__account")
    if asked.since:
        rows = rows.filter(created__gte=asked.since)
    if asked.until:
        rows = rows.filter(created__lt=asked.until)
    return page(request, asked, rows, _top_up)


@router.get("/{slug}/top-ups/{top_up}", response={200: TopUpOut}, summary="Get a top-up")
def get_top_up(request: HttpRequest, slug: str = Slug, top_up: int = Id) -> Any:
    """A top-up and its status."""
    return _top_up(_own_top_up(wallet_of(request, slug)[1], top_up))


@router.post("/{slug}/top-ups", response={201: TopUpOut}, summary="Start a top-up")
def start_top_up(request: HttpRequest, given: TopUpIn, slug: str = Slug) -> Any:
    """Start a top-up. No money moves until it is paid on the page at `url`."""
    principal, wallet = money_of(request, slug, "billing.pay")
    if given.provider not in {each.name for each in variants.configured()}:
        raise ProblemError("malformed", "provider: not available")
    made = recharges.recharge_start(
        wallet,
        actor=principal,
        amount=units_of(given.amount),
        variant=given.provider,
        token=given.token or uuid4(),
        keep_method=given.keep_method,
    )
    return Status(201, _top_up(made))


@router.post("/{slug}/top-ups/{top_up}/cancel", response={200: TopUpOut}, summary="Cancel a top-up")
def cancel_top_up(request: HttpRequest, slug: str = Slug, top_up: int = Id) -> Any:
    """Cancel a top-up that is not paid. If it is paid later, it is still credited."""
    principal, wallet = money_of(request, slug, "billing.pay")
    recharge_cancel(_own_top_up(wallet, top_up), actor=principal)
    return _top_up(_own_top_up(wallet, top_up))


@router.get("/{slug}/adjustments", response={200: Page[AdjustmentOut]}, summary="List adjustments")
def list_adjustments(request: HttpRequest, asked: Query[AdjustmentsIn], slug: str = Slug) -> Any:
    """Credits, debits, cash refunds, chargebacks and manual charges, newest first.

    Requires an operator with the grant `finance`.
    """
    _principal, wallet = money_of(request, slug, "billing.finance")
    rows = _adjustments(wallet)
    if asked.state:
        rows = rows.filter(status="given_up" if asked.state == "cancelled" else asked.state)
    if asked.kind:
        rows = rows.filter(kind=asked.kind)
    return page(request, asked, rows, adjustment_out)


@router.get(
    "/{slug}/adjustments/{adjustment}", response={200: AdjustmentOut}, summary="Get an adjustment"
)
def get_adjustment(request: HttpRequest, slug: str = Slug, adjustment: int = Id) -> Any:
    """An adjustment. Requires an operator with the grant `finance`."""
    return adjustment_out(_financed(request, slug, adjustment)[1])


@router.post("/{slug}/adjustments", response={201: AdjustmentOut}, summary="Create an adjustment")
def create_adjustment(request: HttpRequest, given: AdjustmentIn, slug: str = Slug) -> Any:
    """Request a credit, debit, cash refund or chargeback.

    Up to the platform's limit it is applied at once. Above it, the state is `waiting` until
    another operator approves it. Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, "billing.finance")
    made = adjustments.adjustment_ask(
        wallet,
        actor=principal,
        kind=given.kind,
        amount=units_of(given.amount),
        reason=given.reason,
        token=given.token or uuid4(),
        reference=given.reference,
        recharge=None if given.top_up is None else _own_top_up(wallet, given.top_up),
    )
    return Status(201, adjustment_out(made))


@router.post(
    "/{slug}/adjustments/{adjustment}/approve",
    response={200: AdjustmentOut},
    summary="Approve an adjustment",
)
def approve_adjustment(
    request: HttpRequest, given: MoneyNoteIn, slug: str = Slug, adjustment: int = Id
) -> Any:
    """Approve an adjustment that another operator requested. It is applied at once.

    Requires an operator with the grant `finance`.
    """
    principal, found = _financed(request, slug, adjustment)
    return adjustment_out(
        adjustments.adjustment_approve(found, actor=principal, reason=given.reason)
    )


@router.post(
    "/{slug}/adjustments/{adjustment}/reject",
    response={200: AdjustmentOut},
    summary="Reject an adjustment",
)
def reject_adjustment(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, adjustment: int = Id
) -> Any:
    """Reject a waiting adjustment, or withdraw your own. No money moves.

    Requires an operator with the grant `finance`.
    """
    principal, found = _financed(request, slug, adjustment)
    return adjustment_out(
        adjustments.adjustment_reject(found, actor=principal, reason=given.reason)
    )


@router.post(
    "/{slug}/adjustments/{adjustment}/cancel",
    response={200: AdjustmentOut},
    summary="Cancel a cash refund",
)
def cancel_adjustment(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, adjustment: int = Id
) -> Any:
    """Cancel an approved cash refund that was not paid out because the balance is too low.

    Requires an operator with the grant `finance`.
    """
    principal, found = _financed(request, slug, adjustment)
    return adjustment_out(adjustment_give_up(found, actor=principal, reason=given.reason))


def _financed(request: HttpRequest, slug: str, key: int) -> tuple[Principal, Adjustment]:
    principal, wallet = money_of(request, slug, "billing.finance")
    found = _adjustments(wallet).filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-adjustment", "adjustment not found")
    return principal, found


def _adjustments(wallet: Wallet) -> Any:
    rows = Adjustment.objects.filter(wallet=wallet)
    return rows.select_related("wallet__account", "asked_by", "decided_by")


def _own_top_up(wallet: Wallet, key: int) -> Recharge:
    rows = Recharge.objects.filter(wallet=wallet).select_related("wallet__account")
    found = rows.filter(pk=id_of(key)).first()
    if found is None:
        raise ProblemError("unknown-top-up", "top-up not found")
    return found


def _top_up(row: Recharge) -> TopUpOut:
    name = "recharge" if row.credited_at else "recharge_pay"
    return TopUpOut(
        id=row.pk,
        number=row.number,
        status=str(row.status),
        amount=plain(row.amount),
        currency=row.currency,
        refunded=plain(row.reversed),
        provider=row.variant,
        provider_reference=row.transaction_id or "",
        automatic=row.is_automatic,
        requested_by=row.requested_by,
        created_at=row.created,
        credited_at=row.credited_at,
        url=f"{get_base_url()}{reverse(f'billing:{name}', args=[row.wallet.slug, row.pk])}",
    )


def adjustment_out(row: Adjustment) -> AdjustmentOut:
    """Return an adjustment in the API's form."""
    return AdjustmentOut(
        id=row.pk,
        kind=row.kind,
        amount=plain(row.amount),
        state=cast(AdjustmentState, STATES.get(row.status, row.status)),
        reason=row.reason,
        reference=row.reference,
        top_up=row.recharge_id,
        flagged_report=row.flagged_report_id,
        requested_by=row.asked_by.get_username(),
        requested_at=row.asked_at,
        decided_by=row.decided_by.get_username() if row.decided_by else "",
        decided_at=row.decided_at,
        decision_reason=row.decision_reason,
    )
