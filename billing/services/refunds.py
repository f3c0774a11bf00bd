"""Refunds: requested by the customer, turned into an adjustment by an operator."""

from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import Adjustment, MoneyOrder, RefundRequest, Wallet
from billing.selectors.promotions import own_balance
from billing.services.acting import clean_amount, clean_line, locked, person, wrong_state
from billing.services.adjustments import TOPIC, adjustment_ask
from poolsite import access, live
from poolsite.access import four_eyes
from poolsite.access.models import User
from poolsite.access.services.actor import Actor, name_of, require

Status = RefundRequest.Status


def refund_ask(
    wallet: Wallet, *, actor: Actor, amount: int, reason: str, payout: str
) -> RefundRequest:
    """Request a cash refund; nothing moves yet. An account has one open request at a time.

    Raise ValidationError if another request is open, if the amount is above SQL's balance without
    promotional credit, or if the reason or the payout account is missing.
    """
    require(actor, "billing.pay", wallet)
    clean_amount(amount)
    reason, payout = clean_line(reason, needed=True), clean_line(payout)
    if not payout:
        raise ValidationError(_("Enter the payout account."))
    with transaction.atomic():
        wallet = locked(wallet)
        if RefundRequest.objects.filter(wallet=wallet, status=Status.OPEN).exists():
            raise wrong_state(_("A refund request is already open."))
        if amount > own_balance(wallet):
            raise ValidationError(_("The amount is more than the balance."))
        request = RefundRequest.objects.create(
            wallet=wallet, amount=amount, reason=reason, payout=payout, asked_by=person(actor)
        )
        _audit(actor, "billing.refund_ask", request, reason)
        live.touch(TOPIC)
        return request


def refund_withdraw(request: RefundRequest, *, actor: Actor) -> RefundRequest:
    """Withdraw the customer's request, while it has no answer."""
    require(actor, "billing.pay", request)
    return _answer(request, actor, Status.WITHDRAWN, "")


def refund_decline(request: RefundRequest, *, actor: Actor, reason: str) -> RefundRequest:
    """Decline a request as an operator, with a reason."""
    require(actor, "billing.finance", request)
    return _answer(request, actor, Status.DECLINED, clean_line(reason, needed=True))


def refund_accept(
    request: RefundRequest, *, actor: Actor, reference: str, token: UUID
) -> Adjustment:
    """Turn a request into a cash refund; by the limit it is ordered at once or waits for four eyes.

    Raise ValidationError if it was answered already, or if the operator and the requester are not
    independent.
    """
    require(actor, "billing.finance", request)
    with transaction.atomic():
        found = _open_request(request)
        if why := why_not_accept(found, person(actor)):
            raise ValidationError(why)
        adjustment = adjustment_ask(
            found.wallet,
            actor=actor,
            kind=MoneyOrder.Kind.CASH_REFUND,
            amount=found.amount,
            reason=found.reason,
            token=token,
            reference=reference or found.payout,
        )
        found.adjustment = adjustment
        _close(found, actor, Status.ACCEPTED, "")
        return adjustment


def why_not_accept(request: RefundRequest, operator: User) -> str:
    """Return why this operator may not accept a request, in the user's language; "" if they may.

    A customer whom the operator invited could be the operator.
    """
    if request.asked_by_id == operator.pk:
        return _("Someone else must approve your request.")
    return four_eyes.why_dependent(operator, request.asked_by)


def _answer(request: RefundRequest, actor: Actor, status: str, answer: str) -> RefundRequest:
    with transaction.atomic():
        found = _open_request(request)
        _close(found, actor, status, answer)
    return found


def _open_request(request: RefundRequest) -> RefundRequest:
    rows = RefundRequest.objects.select_for_update(of=("self",)).select_related("wallet__account")
    found = rows.get(pk=request.pk)
    if found.status != Status.OPEN:
        raise wrong_state(_("This request was already answered: %s.") % found.get_status_display())
    return found


def _close(request: RefundRequest, actor: Actor, status: str, answer: str) -> None:
    request.status = status
    request.answer = answer
    request.answered_by = name_of(actor)
    request.answered_at = timezone.now()
    request.save()
    _audit(actor, "billing.refund_answer", request, answer)
    live.touch(TOPIC)


def _audit(actor: Actor, action: str, request: RefundRequest, reason: str) -> None:
    access.audit(
        actor=actor,
        action=action,
        thing=request.wallet,
        after={"refund": request.pk, "amount": request.amount, "status": request.status},
        reason=reason,
    )
