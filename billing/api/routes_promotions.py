"""The API of promotional credit: list, grant, revoke."""

from typing import Any, cast
from uuid import uuid4

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from billing.api.common import Id, Slug, money_of, units_of, wallet_of
from billing.api.routes_paying import adjustment_out
from billing.models import MoneyOrder, Promotion, Wallet
from billing.money import plain
from billing.schemas_common import MoneyReasonIn
from billing.schemas_promotions import (
    PromotionAskedOut,
    PromotionIn,
    PromotionOut,
    PromotionsIn,
    PromotionState,
)
from billing.selectors.promotions import promotions_in, state_of, with_granted
from billing.services.adjustments import adjustment_ask
from billing.services.promotions import promotion_revoke
from poolsite.api.pages import Page, page
from poolsite.api.root import ProblemError

router = Router(tags=["payments"])


@router.get(
    "/{slug}/promotions", response={200: Page[PromotionOut]}, summary="List promotional credits"
)
def list_promotions(request: HttpRequest, asked: Query[PromotionsIn], slug: str = Slug) -> Any:
    """The account's promotional credits, newest first. The balance includes the unused part."""
    _principal, wallet = wallet_of(request, slug)
    rows = with_granted(promotions_in(wallet))
    if asked.active:
        rows = rows.filter(expires_at__gt=timezone.now(), revoked_at=None, remaining__gt=0)
    return page(request, asked, rows, promotion_out)


@router.post(
    "/{slug}/promotions", response={201: PromotionAskedOut}, summary="Grant promotional credit"
)
def grant_promotion(request: HttpRequest, given: PromotionIn, slug: str = Slug) -> Any:
    """Request promotional credit. It is used before own money, and the unused part expires.

    Up to the platform's limit it is granted at once. Above it, the adjustment waits until another
    operator approves it. Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, "billing.finance")
    made = adjustment_ask(
        wallet,
        actor=principal,
        kind=MoneyOrder.Kind.GRANT,
        amount=units_of(given.amount),
        reason=given.reason,
        token=given.token or uuid4(),
        expires_at=given.expires_at,
    )
    found = with_granted(promotions_in(wallet)).filter(operation_id=made.operation_id).first()
    answer = PromotionAskedOut(
        adjustment=adjustment_out(made), promotion=promotion_out(found) if found else None
    )
    return Status(201, answer)


@router.post(
    "/{slug}/promotions/{promotion}/revoke",
    response={200: PromotionOut},
    summary="Revoke promotional credit",
)
def revoke_promotion(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, promotion: int = Id
) -> Any:
    """Take the unused part of a promotional credit. The part that messages have used stays used.

    Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, "billing.finance")
    promotion_revoke(_own(wallet, promotion), actor=principal, reason=given.reason)
    return promotion_out(_own(wallet, promotion))


def promotion_out(row: Promotion) -> PromotionOut:
    """Return a promotional credit in the API's form."""
    return PromotionOut(
        id=row.pk,
        amount=plain(row.amount),
        remaining=plain(row.remaining),
        state=cast(PromotionState, state_of(row)),
        expires_at=row.expires_at,
        reason=row.reason,
        granted_by=row.granted_by,
        granted_at=row.created_at,
        revoked_at=row.revoked_at,
        revoked_by=row.revoked_by,
    )


def _own(wallet: Wallet, key: int) -> Promotion:
    found = with_granted(promotions_in(wallet)).filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-promotion", "promotional credit not found")
    return found
